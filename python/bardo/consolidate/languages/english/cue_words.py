"""Cues of change in a clause: words by which it announces an effect on an earlier statement (`cues.toml`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from bardo.consolidate.clause import Cue
from bardo.consolidate.languages.english.contrast import changed_before
from bardo.consolidate.languages.english.endings import is_gone
from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import contrasts, is_denied, is_past, lemma, predicate_of

#: Phrases of a new state that are more than one word.
_NOW = re.compile(
    r"\b(?:these days|from now on|from this (?:week|month|term|season|year)|as of|any ?more|no longer|going forward)\b",
    re.IGNORECASE,
)
#: Words by which what held does so no more.
_NO_MORE = re.compile(r"\b(?:any ?more|no longer|any longer)\b", re.IGNORECASE)
#: Complements with which "is" or "gets" ends a thing: "is over", "got cancelled".
_ENDED = frozenset(
    {"over", "gone", "history", "off", "done", "finished", "dead", "closed", "cancelled", "canceled"}
)
#: Verbs by which a person gets off a habit, a medicine or a shift.
_GETTING_OFF = frozenset({"be", "come", "get", "go", "move", "take"})
#: Dependents of a verb that can be the thing that it ends.
_ENDABLE = frozenset({"dobj", "nsubjpass", "prep", "advmod", "nsubj"})
_THINGS = frozenset({"NOUN", "PROPN", "NUM"})
_VALUES = frozenset({"NOUN", "PROPN", "NUM", "ADJ"})
_MINE = frozenset({"my", "our"})
#: Adjectives that tell a time by the present, such as "next Friday", which announces nothing new.
_DEICTIC = frozenset({"next", "current", "latest"})
_TIMES = frozenset({"DATE", "TIME"})
#: Verbs of journeys: their "from" and "to" are places on the way.
_JOURNEYS = frozenset({"come", "commute", "cycle", "drive", "fly", "ride", "run", "sail", "travel", "walk"})
#: Tags of the simple present, and a time of the day.
_PRESENT = frozenset({"VBZ", "VBP"})
_CLOCK = re.compile(r"\b(?:\d{1,2}[:.]\d{2}|\d{1,2} ?[ap]\.?m\b|noon|midday|midnight)", re.IGNORECASE)
#: Number of words after "instead of" that can be the replaced value.
_AFTER_INSTEAD = 5


@dataclass(slots=True)
class Cues:
    """Cues of a clause.

    Args:
        kinds: Effects that the words announce.
        left: Lemmas of the values that it names as replaced.
        value: Lemmas of the values that it names as new.
    """

    kinds: set[Cue] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    value: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Table:
    """Lists of `cues.toml`.

    Args:
        ending: Verbs that end a state or an activity.
        change: Verbs that put one value in the place of another.
        restore: Verbs that put a value back that held before a change.
        now: Adverbs of a new state.
        new: Adjectives of a new state.
        correction: Phrases that take back an earlier statement.
        announcing: Words that announce a correction before a mark, with up to two words before them.
        frames: Objects with which an ending verb ends nothing that lasts.
        relations: Words for a person in a relation that can end, by relation.
        partings: Verbs that end a relation, by relation.
        bonds: Words by which two people are in a relation, by relation.
    """

    ending: frozenset[str]
    change: frozenset[str]
    restore: frozenset[str]
    now: frozenset[str]
    new: frozenset[str]
    correction: re.Pattern[str]
    announcing: re.Pattern[str]
    frames: Mapping[str, frozenset[str]]
    relations: Mapping[str, frozenset[str]]
    partings: Mapping[str, frozenset[str]]
    bonds: Mapping[str, frozenset[str]]


@cache
def _table() -> _Table:
    read = cue_tables()
    phrases = "|".join(sorted((re.escape(each) for each in read["correction"]), key=len, reverse=True))
    return _Table(
        ending=frozenset(read["ending"]),
        change=frozenset(read["change"]),
        restore=frozenset(read["restore"]),
        now=frozenset(read["now"]),
        new=frozenset(read["new"]),
        correction=re.compile(rf"(?<!\w)(?:{phrases})(?!\w)", re.IGNORECASE),
        announcing=re.compile(rf"(?i)^\W*(?:\w+ ){{0,2}}(?:{'|'.join(read['announcing'])})\s*(?:[:,;–—-]|$)"),
        relations={name: frozenset(words) for name, words in read["relations"].items()},
        partings={name: frozenset(verbs) for name, verbs in read["partings"].items()},
        bonds={name: frozenset(words) for name, words in read["bonds"].items()},
        frames={verb: frozenset(objects) for verb, objects in read["frames"].items()},
    )


def corrects(sentence: str) -> bool:
    """Whether a sentence has a phrase that takes back an earlier statement, such as "I misspoke"."""
    return bool(_table().correction.search(sentence) or _table().announcing.match(sentence))


def restores(head: Any) -> bool:
    """Whether a clause tells that a change was taken back, as "the port change was rolled back" does."""
    return bool({predicate_of(head), lemma(head)} & _table().restore) and not is_denied(head)


def relation_of(subject: Any) -> str:
    """Relation of a subject to the speaker, if it is one that can end: `partner` of "my boyfriend"; else empty."""
    if subject is None or not any(token.text.lower() in _MINE for token in subject.children):
        return ""
    words = {lemma(token) for token in subject.children if token.dep_ in ("compound", "appos", "nmod")}
    words.add(lemma(subject))
    return next((name for name, known in _table().relations.items() if words & known), "")


def parts(head: Any) -> str:
    """Relation that a clause ends: `partner` of "broke up", "aren't together any more"; else empty."""
    table = _table()
    verbs = {predicate_of(head), lemma(head)}
    if lemma(head) == "be":
        said = {lemma(child) for child in head.children}
        is_over = is_denied(head) and tells_no_more(head)
        return next((name for name, words in table.bonds.items() if is_over and said & words), "")
    is_told = is_past(head) or head.tag_ == "VBN"
    if not is_told or is_denied(head) or _is_set_apart(head):
        return ""
    if lemma(head) == "get":
        verbs |= {lemma(child) for child in head.children if child.dep_ == "acomp"}
    found = next((name for name, known in table.partings.items() if verbs & known), "")
    # One divorces a husband, and splits a bill.
    objects = [child for child in head.children if child.dep_ == "dobj"]
    is_of_person = found and all(
        each.pos_ == "PROPN" or lemma(each) in table.relations[found] for each in objects
    )
    return found if is_of_person else ""


def tells_no_more(head: Any) -> bool:
    """Whether the sentence of a clause has words by which what held does so no more: "no longer", "any more"."""
    return bool(_NO_MORE.search(head.sent.text))


def _is_parting(head: Any) -> bool:
    """Whether a verb can end a relation."""
    return any(lemma(head) in verbs for verbs in _table().partings.values())


def _is_set_apart(head: Any) -> bool:
    """Whether people were parted by a place or a time, as in "we were separated at the airport"."""
    is_undergone = any(child.dep_ == "auxpass" for child in head.children)
    return is_undergone and any(
        child.dep_ in ("prep", "agent") and lemma(child) != "from" for child in head.children
    )


def cues(head: Any, words: list[Any], sentence: Any, *, denied: bool, correction: bool) -> Cues:
    """Cues of a clause.

    Args:
        head: Head of the clause.
        words: Words of the clause.
        sentence: Sentence of the clause.
        denied: Whether the clause is negated.
        correction: Whether the sentence takes back an earlier statement.
    """
    found = Cues(_kinds(head, words, sentence))
    if parts(head):
        found.kinds.add("ending")
    if denied:
        found.kinds.add("denial")
    if correction:
        found.kinds.add("correction")
    is_change = "change" in found.kinds
    for token in words:
        if (replaced := _replaced(token, head, words, is_change=is_change)) is not None:
            found.kinds |= replaced.kinds
            found.left |= replaced.left
            found.value |= replaced.value
    return found


def _kinds(head: Any, words: list[Any], sentence: Any) -> set[Cue]:
    """Cues by the verb and by words of a new state."""
    table = _table()
    found: set[Cue] = set()
    verbs = {predicate_of(head), lemma(head)}
    if _ends(head):
        found.add("ending")
    if (verbs & table.change and not _is_habit(head)) or changed_before(head) is not None:
        found.add("change")
    if table.now & {lemma(token) for token in words} or _NOW.search(sentence.text):
        found.add("now")
    if any(lemma(token) in table.new and token.dep_ == "amod" and not _tells_time(token) for token in words):
        found.add("new")
    return found


def _is_habit(head: Any) -> bool:
    """Whether a verb in the simple present has things of a kind as its object: "we rename tables first"."""
    is_bare = head.tag_ in ("VBP", "VBZ") and not any(
        child.dep_ in ("aux", "auxpass") for child in head.children
    )
    return is_bare and any(
        child.dep_ == "dobj"
        and child.tag_ == "NNS"
        and not any(each.dep_ in ("det", "poss", "nummod") for each in child.children)
        for child in head.children
    )


def _tells_time(adjective: Any) -> bool:
    """Whether an adjective only tells a time, as in "next Friday"."""
    return lemma(adjective) in _DEICTIC and adjective.head.ent_type_ in _TIMES


def _replaced(token: Any, head: Any, words: list[Any], *, is_change: bool) -> Cues | None:
    """Values that a clause replaces, if a word announces them.

    Args:
        token: The word.
        head: Head of the clause.
        words: Words of the clause.
        is_change: Whether the verb puts one value in the place of another.
    """
    word = lemma(token)
    if word == "from" and token.dep_ == "prep":
        return _left_behind(token, head, words, is_change=is_change)
    if (
        word in ("instead", "rather")
        and token.i + 1 < len(token.doc)
        and lemma(token.nbor(1)) in ("of", "than")
    ):
        after = token.doc[token.i + 2 : token.i + 2 + _AFTER_INSTEAD]
        return Cues({"instead"}, {lemma(each) for each in after if each.pos_ in _VALUES})
    if word == "instead":
        return Cues({"instead"})
    if contrasts(token) and (token.head.i == head.i or token.head.i < token.i):
        # "Thursday, not Tuesday"
        return Cues({"instead"}, _until_mark(token))
    if word == "not" and token.dep_ == "neg" and token.head.pos_ in _THINGS and token.head.i != head.i:
        # "June, not May"
        below = {lemma(each) for each in token.head.subtree if each.pos_ in _THINGS}
        return Cues({"instead"}, below | {lemma(token.head)})
    return None


def _until_mark(word: Any) -> set[str]:
    """Lemmas of the values behind a word, up to the next mark or verb."""
    found: set[str] = set()
    for token in word.doc[word.i + 1 : word.sent.end]:
        if token.is_punct or token.pos_ in ("VERB", "AUX", "CCONJ"):
            break
        found |= {lemma(token)} if token.pos_ in _THINGS else set()
    return found


def _left_behind(origin: Any, head: Any, words: list[Any], *, is_change: bool) -> Cues | None:
    """Values of "from X to Y", or of "took over from X"; None for a journey, and for a day from which something holds.

    Args:
        origin: The "from".
        head: Head of the clause.
        words: Words of the clause.
        is_change: Whether the verb puts one value in the place of another.
    """
    targets = [other for other in words if _is_target(other, origin)]
    is_change = is_change and origin.head.i == head.i and not _is_dated(origin)
    if lemma(head) in _JOURNEYS or not (targets or is_change):
        return None
    return Cues({"from"}, _content(origin), {each for target in targets for each in _content(target)})


def _is_target(word: Any, origin: Any) -> bool:
    """Whether a word is the "to" of a "from": both belong to one word, or one to the other."""
    if lemma(word) not in ("to", "into") or word.dep_ != "prep":
        return False
    holders = {origin.i, origin.head.i, *(child.i for child in origin.children)}
    return word.head.i in holders


def _is_dated(preposition: Any) -> bool:
    """Whether a preposition stands before a date, from which something holds."""
    return any(child.dep_ == "pobj" and child.ent_type_ in _TIMES for child in preposition.children)


def _leaves_on_figure(head: Any) -> bool:
    """Whether a clause leaves a person or thing on a figure: "the GP is leaving me on the 100"."""
    if lemma(head) != "leave" or not any(child.dep_ in ("dobj", "nsubjpass") for child in head.children):
        return False
    return any(
        child.dep_ == "prep" and lemma(child) in ("at", "on") and _has_figure(child)
        for child in head.children
    )


def _goes_astray(head: Any) -> bool:
    """Whether a person or thing got lost, which ends nothing: "Dad got lost on the way"."""
    return lemma(head) == "lose" and any(
        child.dep_ == "auxpass" and lemma(child) == "get" for child in head.children
    )


def _is_label(head: Any) -> bool:
    """Whether a word is no verb, but begins a label before a colon: "Stop on Brent: leave it at 1.50"."""
    if head.i != head.sent.start or any(child.dep_ in ("dobj", "nsubj") for child in head.children):
        return False
    behind = [child for child in head.children if child.i > head.i]
    last = behind[0].right_edge.i if behind and behind[0].dep_ == "prep" else head.i
    return last > head.i and last + 1 < len(head.doc) and str(head.doc[last + 1]) == ":"


def _has_figure(preposition: Any) -> bool:
    """Whether a number that is no time stands below a preposition."""
    return any(word.pos_ == "NUM" and word.ent_type_ not in _TIMES for word in preposition.subtree)


def _ends(head: Any) -> bool:
    """Whether the verb of a clause ends a state or an activity, and not a meal or a match."""
    table = _table()
    verb, bare = predicate_of(head), lemma(head)
    if (
        _is_daily(head)
        or _leaves_on_figure(head)
        or _goes_astray(head)
        or _is_label(head)
        or (_is_parting(head) and _is_set_apart(head))
    ):
        return False
    if any(f"{verb} {lemma(child)}" in table.ending for child in head.children if child.dep_ == "dobj"):
        # "Give notice", "hand in one's resignation"
        return True
    if is_gone(head):
        return True
    into = next((child for child in head.children if child.dep_ == "prep" and lemma(child) == "in"), None)
    if into is not None and f"{bare} in" in table.ending:
        # The parser takes the particle of "chucked in the course" for a preposition.
        return not any(lemma(child) in table.frames.get(f"{bare} in", ()) for child in into.children)
    if verb not in table.ending and bare not in table.ending:
        complements = {
            word
            for child in head.children
            if child.dep_ in ("advmod", "acomp", "attr", "prt")
            for word in (lemma(child), child.text.lower())
        }
        is_over = bare in ("be", "get") and bool(_ENDED & complements)
        return is_over or (bare in _GETTING_OFF and _is_off(head))
    barred = table.frames.get(verb) or table.frames.get(bare) or frozenset()
    return not any(lemma(child) in barred for child in head.children if child.dep_ in _ENDABLE)


def _is_daily(head: Any) -> bool:
    """Whether a clause tells of each day, as "the museum closes at 5 pm" does."""
    has_auxiliary = any(child.dep_ in ("aux", "auxpass") for child in head.children)
    text = " ".join(token.text for token in head.subtree)
    return head.tag_ in _PRESENT and not has_auxiliary and bool(_CLOCK.search(text))


def _is_off(head: Any) -> bool:
    """Whether a clause says that a person has stopped something: "I'm off caffeine", "they took me off nights"."""
    barred = _table().frames["come off"]
    return all(child.pos_ == "PRON" for child in head.children if child.dep_ == "dobj") and any(
        child.dep_ == "prep"
        and lemma(child) == "off"
        and any(each.dep_ == "pobj" and lemma(each) not in barred for each in child.children)
        for child in head.children
    )


def _content(preposition: Any) -> set[str]:
    """Lemmas of the values below a preposition."""
    return {
        lemma(token) for token in preposition.subtree if token.pos_ in _VALUES and token.i != preposition.i
    }
