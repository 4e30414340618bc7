"""A clause as a sentence in the third person: "I work as a nurse" becomes "Mira works as a nurse"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from bardo.consolidate.clause import Speech
from bardo.consolidate.languages.english.grammar import (
    COMPLEMENTS,
    SUBJECTS,
    gives_name,
    hangs_below,
    is_aside,
    is_contraction,
    is_past,
    lemma,
)
from bardo.consolidate.languages.english.near_days import dated
from bardo.consolidate.languages.english.owners import Owner
from bardo.consolidate.languages.english.slots import environments_in

#: Maximum characters of a sentence.
CHARACTERS = 160
#: Minimum characters of a sentence that is cut.
_LEAST_CUT = 40
#: Maximum words of a relative clause that stays.
_LONGEST_RELATIVE = 12
#: Maximum words of a subject with a mark inside, such as "Mam, Philomena,", and such marks.
_LONGEST_LIST, _INNER_MARKS = 5, frozenset({",", ":", ";", "(", ")", "-", "–", "—"})
#: Units that the parser takes for punctuation.
_UNITS = frozenset({"%", "‰", "°"})
#: Dependents that are left out of a sentence.
_LEFT_OUT = frozenset({"parataxis", "intj", "discourse", "meta", "dep", "preconj", "cc"})
#: Openings of subordinate clauses that are left out; those of time and purpose stay.
_REASONS = frozenset({
    "because", "since", "so", "as", "although", "though", "but", "while", "if", "cause", "cuz", "whereas", "except",
})  # fmt: skip
#: Adverbs and particles of talk.
_TALK = frozenset({
    "anyway", "btw", "fyi", "honestly", "basically", "literally", "actually", "really", "just", "well", "so", "oh",
    "lol", "haha", "yes", "no", "yeah", "yep", "ok", "okay", "please", "thanks", "hi", "hello", "hey", "sadly",
    "unfortunately", "luckily", "fortunately", "obviously", "apparently", "frankly", "right", "sure", "also", "too",
    "then", "though", "tbh", "guess", "even",
})  # fmt: skip
#: Adverbs of the present.
_OF_NOW = frozenset({"now", "nowadays", "currently"})
#: Conjunctions that no sentence ends with, and those that none begins with.
_NOT_LAST, _NOT_FIRST = (
    frozenset({"and", "but", "or", "so", "because", "not"}),
    frozenset({"and", "but", "or", "so", "that", "well"}),
)
#: Pronouns of the speaker that become the name, and those that become its possessive: "they" would be another person.
_NAMED, _OWNED = frozenset({"i", "we", "me", "us"}), frozenset({"my", "mine", "our", "ours"})
#: Pronouns of the speaker that point back to the subject.
_REFLEXIVE = {"myself": "themselves", "ourselves": "themselves"}
#: Pronouns of the listener, which is the agent itself.
_LISTENER = frozenset({"you", "your", "yours", "yourself"})
#: Pronouns that point to another clause.
_POINTING = frozenset({
    "it", "this", "that", "these", "those", "he", "she", "they", "him", "her", "them", "there", "here", "one", "so",
})  # fmt: skip
#: Verbs whose third person is not formed by a rule.
_IRREGULAR = {
    "have": "has", "be": "is", "do": "does", "am": "is", "are": "is", "'m": "is", "'ve": "has", "'re": "is",
    "m": "is", "ve": "has", "re": "is", "were": "was",
}  # fmt: skip
#: Forms of "be" and "have" that agree with "I", "we" or "you" in any tag of the parser.
_OF_SPEAKER = frozenset({"am", "'m", "are", "were", "'ve", "'re", "m", "ve", "re"})
#: Stems of verbs before "n't" that are no words of their own.
_STEMS = {"wo": "will", "ca": "can", "sha": "shall"}
#: Places at which a long sentence can be cut: commas and prepositions.
_CUTS = re.compile(r",\s|\s(?=(?:and|or|with|for|in|at|on|from|during|after|before|to|about|through|by)\s)")


def third_person(verb: str) -> str:
    """The third person of a verb in the present: "go" becomes "goes"."""
    if verb.lower() in _IRREGULAR:
        return _IRREGULAR[verb.lower()]
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"


def sentence_of(head: Any, subject: Any, owner: Owner, speech: Speech) -> str:
    """The clause of a head as a sentence about its owner; empty if it cannot stand alone.

    Args:
        head: Head of the clause.
        subject: Its subject, own or shared.
        owner: Owner of the clause, which has a name.
        speech: Text of the clause.
    """
    name = re.sub(r" (?=['’]s\b)", "", owner.name)
    words = sorted(_words(head), key=lambda token: token.i)
    kept = _trimmed(_times_last(words, head, subject))
    if any(_is_of_listener(token) for token in kept):
        return ""
    if not speech.who and any(_is_of_speaker(token) for token in kept):
        return ""
    if not owner.is_speaker and _is_misread(subject, head):
        return ""
    said = _spelled(kept, _finite(head) if owner.is_speaker else None, inside(speech.who))
    if not said:
        return ""
    said = re.sub(r"^'?s ", "is ", said)
    if head.i == subject.head.i and any(is_contraction(child, subject) for child in subject.children):
        said = f"{_contracted(head, subject)} {said}"
    sentence = re.sub(r"\b(wo|ca|sha) not\b", lambda match: f"{_STEMS[match[1]]} not", f"{name} {said}")
    sentence = sentence.replace(" is been ", " has been ")
    sentence = dated(sentence, speech.at)
    return sentence if len(sentence) <= CHARACTERS else _shorter(sentence)


def _contracted(head: Any, subject: Any) -> str:
    """The "is" or "has" of "'s": "Mum's moved" and "Dad's broken his hip", but "Dad's called Hamish"."""
    has_object = any(child.dep_ in ("dobj", "oprd") for child in head.children)
    is_undergone = subject.dep_ == "nsubjpass" and not has_object
    return "has" if head.tag_ in ("VBN", "VBD") and not (is_undergone or gives_name(head)) else "is"


def inside(who: str) -> str:
    """Name of a speaker inside of a sentence: "The user" begins one."""
    return f"the {who.removeprefix('The ')}" if who.startswith("The ") else who


def _is_misread(subject: Any, head: Any) -> bool:
    """Whether a subject is more than a noun phrase: a list with asides, or an object before "I"."""
    if any(child.dep_ in SUBJECTS and child.text.lower() in ("i", "we") for child in head.children):
        return True
    phrase = [token for token in subject.subtree if not hangs_below(token, subject, ("relcl",))]
    if any(token.text.lower() in ("i", "we") and token.dep_ != "conj" for token in phrase):
        return True
    return len(phrase) > _LONGEST_LIST and any(token.text in _INNER_MARKS for token in phrase)


def _is_of_listener(token: Any) -> bool:
    """Whether a word is "you", outside of a relative clause, where it means anybody."""
    if token.text.lower() not in _LISTENER:
        return False
    return not any(above.dep_ == "relcl" for above in token.ancestors)


def _is_of_speaker(token: Any) -> bool:
    """Whether a word is a pronoun of the speaker."""
    word = token.text.lower()
    if token.tag_ not in ("PRP", "PRP$") or word not in _NAMED | _OWNED:
        return False
    is_unit = token.text == "us" and token.i > 0 and token.nbor(-1).like_num
    # "us-west-2" and "my-service" are names.
    is_part = token.i + 1 < len(token.doc) and not token.whitespace_ and token.nbor(1).text in ("-", "_", "/")
    return not (is_unit or is_part)


def _trimmed(words: list[Any]) -> list[Any]:
    """Words without punctuation, conjunctions and talk at both ends."""
    begin, end = 0, len(words)
    while begin < end and _is_loose(words[end - 1], _NOT_LAST):
        end -= 1
    while begin < end and _is_loose(words[begin], _NOT_FIRST):
        begin += 1
    return words[begin:end]


def _is_loose(token: Any, conjunctions: frozenset[str]) -> bool:
    # "No alcohol, only I was near the drummer"
    is_cut = lemma(token) == "only" and token.i > 0 and token.nbor(-1).is_punct
    return _is_mark(token) or lemma(token) in conjunctions or is_cut or _is_talk(token)


def _is_mark(token: Any) -> bool:
    """Whether a word is punctuation, and no unit behind a figure: "2 %"."""
    return token.is_punct and token.text not in _UNITS


def _spelled(words: list[Any], finite: Any, who: str) -> str:
    """Words as text in the third person.

    Args:
        words: The words.
        finite: Word that agrees with the speaker, and now with a name; None if there is none.
        who: Name of the speaker.
    """
    agreeing = {
        _finite(token.head).i
        for token in words
        if token.dep_ in SUBJECTS and token.text.lower() in ("i", "we")
    }
    if finite is not None:
        agreeing.add(finite.i)
    parts: list[str] = []
    for place, token in enumerate(words):
        if token.i in agreeing and token.text.startswith("'"):
            parts.append(" ")
        parts.append(_agreeing(token) if token.i in agreeing else _of_others(token, who))
        between = _between(words, place)
        if between and all(left_out.is_punct for left_out in between):
            # A list, or two thoughts, would run together.
            parts += [token.whitespace_, *(left_out.text_with_ws for left_out in between)]
        elif token.whitespace_ or between:
            parts.append(" ")
    said = re.sub(r"\s+", " ", "".join(parts)).strip(" ,;:-–—.!")
    return re.sub(r"\s+([,.;:%]|'s\b|'re\b|'ve\b|'ll\b)", r"\1", said)


def _between(words: list[Any], place: int) -> list[Any]:
    """The words of the text between one word and the next one that stays; of the last word the one after it."""
    token = words[place]
    following = words[place + 1].i if place + 1 < len(words) else token.i + 1
    return list(token.doc[token.i + 1 : following]) if following > token.i else [token]


def _agreeing(verb: Any) -> str:
    """A finite verb of the speaker as it agrees with a name."""
    word = verb.text.lower()
    if word == "'d":
        return "had" if verb.lemma_ == "have" else "would"
    if verb.tag_ == "MD":
        return "will" if word == "'ll" else str(verb.text)
    return third_person(verb.text) if verb.tag_ in ("VBP", "VB") or word in _OF_SPEAKER else str(verb.text)


def _of_others(token: Any, who: str) -> str:
    """A word as another person says it: pronouns of the speaker change to the name."""
    word = str(token.text)
    low = word.lower()
    if token.dep_ == "neg" and low in ("n't", "nt"):
        return " not"
    if token.is_sent_start and token.pos_ in ("ADP", "SCONJ"):
        # A time that the sentence began with, and that now comes last.
        return low
    if low in _REFLEXIVE:
        # "I've got asthma myself" only stresses the subject.
        return _REFLEXIVE[low] if token.dep_ in ("dobj", "pobj", "dative") else ""
    if not _is_of_speaker(token):
        return word
    return who if low in _NAMED else f"{who}'s"


def _times_last(words: list[Any], head: Any, subject: Any) -> list[Any]:
    """The words after the subject, then the times and environments before it; other words before it are left out."""
    named = {token.i for token in subject.subtree}
    begin = min(named)
    times = [token for token in words if token.i < begin and _limits(token, head)]
    return [token for token in words if token.i > begin and token.i not in named] + times


def _limits(token: Any, head: Any) -> bool:
    """Whether a word belongs to an adjunct of the clause that names a time or an environment."""
    while token.head.i not in (head.i, token.i):
        token = token.head
    is_time = any(each.ent_type_ in ("DATE", "TIME") for each in token.subtree)
    in_environment = token.dep_ == "prep" and environments_in(" ".join(each.text for each in token.subtree))
    return token.dep_ in ("prep", "npadvmod") and bool(is_time or in_environment)


def _finite(head: Any) -> Any:
    """The word of a clause that agrees with its subject."""
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    return min(auxiliaries, key=lambda token: token.i, default=head)


def _words(head: Any) -> Iterable[Any]:
    """The words of a clause without its subject, coordinated clauses, reasons and talk."""
    stack, found = [head], []
    while stack:
        token = stack.pop()
        found.append(token)
        stack += [
            child
            for child in token.children
            if not _is_clause_apart(child, head) and not (token.i == head.i and _is_beside(child, head))
            # "Locks instead of a table" joins by "of".
            and (child.dep_ not in _LEFT_OUT or (child.dep_ == "cc" and (token.i != head.i or lemma(child) == "of")))
        ]  # fmt: skip
    return found


def _is_clause_apart(token: Any, head: Any) -> bool:
    """Whether a word begins a clause that is left out: coordinated, a reason, or a long relative clause."""
    if token.dep_ == "conj":
        # "It is for 28 hours, and Bea's for 20" leaves out the second verb.
        is_of_verb = token.head.i == head.i and head.pos_ in ("VERB", "AUX")
        return is_of_verb or any(each.dep_ in SUBJECTS for each in token.children)
    if token.dep_ == "advcl":
        return _opening(token) in _REASONS
    return token.dep_ == "relcl" and sum(1 for _ in token.subtree) > _LONGEST_RELATIVE


def _is_beside(token: Any, head: Any) -> bool:
    """Whether a word directly below the head is no part of its predicate: subject, conjunction, talk, punctuation."""
    return (
        token.dep_ in SUBJECTS
        or token.dep_ == "mark"
        or (token.dep_ == "ccomp" and token.i < head.i)
        or (token.dep_ in COMPLEMENTS and is_aside(token, head))
        or _is_mark(token)
        or _is_talk(token)
    )


def _opening(clause: Any) -> str:
    """Lemma of the conjunction or adverb at the beginning of a subordinate clause; empty if there is none."""
    return next((lemma(child) for child in clause.children if child.dep_ in ("mark", "advmod")), "")


def _is_talk(token: Any) -> bool:
    """Whether a word is an adverb or particle of talk."""
    if lemma(token) in _OF_NOW and token.dep_ == "advmod" and not any(token.children):
        # A fact has the date from which it holds; "for eleven years now" measures a time.
        is_perfect = any(child.dep_ == "aux" and lemma(child) == "have" for child in token.head.children)
        return token.head.pos_ in ("VERB", "AUX") and not (is_past(token.head) or is_perfect)
    return lemma(token) in _TALK and token.dep_ in ("advmod", "intj", "discourse", "npadvmod", "dep", "cc")


def _shorter(sentence: str) -> str:
    """The longest beginning of at most `CHARACTERS` that ends where a phrase does; empty if there is none."""
    for match in reversed(list(_CUTS.finditer(sentence))):
        if _LEAST_CUT <= match.start() <= CHARACTERS:
            return sentence[: match.start()].strip(" ,")
    return ""


def points_outside(head: Any) -> bool:
    """Whether a clause needs another to be understood: one of its objects is a pronoun that points outside of it."""
    return any(
        child.dep_ in ("dobj", "attr", "pobj", "acomp", "dative", "oprd")
        and lemma(child) in _POINTING
        and child.i > head.i
        and (
            child.head.i == head.i
            or (child.head.dep_ in ("prep", "dative", "agent") and child.head.head.i == head.i)
        )
        for child in head.subtree
    )


def points_to_person(head: Any) -> bool:
    """Whether a clause of the speaker names by "him" or "her" alone a person of another sentence."""
    words = [token for token in head.subtree if token.i > head.i]
    pronoun = next(
        (token for token in words if token.text.lower() in ("him", "her") and token.tag_ == "PRP"), None
    )
    if pronoun is None:
        return False
    before = [token for token in head.sent if token.i < pronoun.i]
    is_known = any(
        token.pos_ == "PROPN" or token.text.lower() in ("he", "she", "who", "his") for token in before
    )
    return not is_known and all(token.dep_ != "poss" for token in before)
