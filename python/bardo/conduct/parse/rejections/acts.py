"""Acts that a rejection forbids by verb, object and places as they stand: "stops are never moved further away".

The words of the act count as they are written, whether or not the table of operations knows them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse import heads
from bardo.conduct.parse.actions import operation_table
from bardo.conduct.parse.actions.operations import words_of
from bardo.conduct.parse.conditions import conditions, terms
from bardo.conduct.parse.negation import FORBIDS
from bardo.conduct.parse.rejections import substitutes, wording
from bardo.conduct.parse.vocabulary import stems_of, vocabulary

#: Maximum number of cached texts.
_TEXTS = 16_384
_END = lazy_pattern(r"(?<!\b[DM]r)(?<!\bMs)(?<!\bMrs)(?<=[\w\"'`)])(?:[.!?;]+\s+|\s+[-–—]+\s+|\s*\()(?=\S)")
_NOT = r"(?:never|not|no longer)"
_AGENT = (
    r"(?:(?:please|and|but|so|also|again|just|we|i|you|they|let's|the (?:team|agents?|assistant|bots?|office)|"
    r"no ?body|anybody) +)*"
)
_DONT = (
    r"(?:(?:do|does|can|should|must|may|will|wo)(?:n't| not)|cannot|never|not to|"
    r"(?:are|am|is|'re|'m)(?:n't| not)(?= [a-z]+ing\b)|not(?= [a-z]+ing\b))"
)
#: Active: "don't override it", "we never tell", "we are not texting".
_ACTIVE = lazy_pattern(
    rf"^\W*{_AGENT}{_DONT} +(?:ever +|again +|please +|just +)*(?P<verb>[a-z]+(?:-[a-z]+)?)(?![\w.])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: Nominal: "no changing of timestamps", "please stop averaging down on losers", "never overriding it".
_NOMINAL = lazy_pattern(
    rf"^\W*{_AGENT}(?:no(?: more)?|stop|quit|avoid|cease|refrain from|never|not|don't) +"
    r"(?P<verb>[a-z]+(?:-[a-z]+)?ing)(?![\w.])(?: of\b)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: Passive: "stops are never moved", "private accounts aren't traded", "nothing gets renamed".
_PASSIVE = lazy_pattern(
    r"^\W*(?:and +|so +)?(?P<thing>(?:[\w'’/-]+ +){0,5}?[\w'’/-]+) +"
    rf"(?:(?:(?:is|are|may|must|shall|should|can|will)(?:n't| {_NOT}|(?<=can)not)(?: +be)?|"
    rf"{_NOT} +(?:be|is|are|get|gets)|"
    r"(?:do|does)(?:n't| not) get) +"
    r"|(?P<none>(?:is|are|gets|get|be|may be|must be) +))"
    r"(?:ever +|to be +|automatically +)*(?P<verb>[a-z]+(?:-[a-z]+)?)(?![\w.])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
#: Gerund that a word after it rejects, or that is a whole sentence: "scraping LinkedIn, no", "Skipping a test."
_GERUND = lazy_pattern(
    r"^\W*(?!(?:no|any|every|some)thing\b|during\b)(?P<verb>[a-z]+(?:-[a-z]+)?ing)(?![\w.])"
    r"(?:(?P<rest>[^:;]*?)\s*(?:[,:–—-]+\s*(?:(?:is )?(?:an? )?(?:no|never)(?:[ -]?go)?|"
    r"not here|off the table|(?:please,? )?(?:no|don't|do not))\b.*|"
    r" is (?:out|banned|forbidden|off the table)\b.*)|(?P<bare> (?:an?|the|our|any|people|"
    r"some(?:body|one))\b[^,:;]*)[.!]?$)",
    re.IGNORECASE | re.DOTALL,
)
#: Verb with which a sentence states something, so that its first word is a noun.
_STATES = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|does|do|stays?|(?:is|are|does|do|has|have)n't)\b", re.IGNORECASE
)
_NONE = lazy_pattern(r"^(?:nothing|no ?body|no one|none|no)\b ?", re.IGNORECASE)
_PARTICIPLE = lazy_pattern(r"[a-z-]+(?:ed|[^aeiou]en)", re.IGNORECASE)
_OWN = frozenset(["wrote", "gave", "took", "went", "came", "saw", "did", "was", "were", "had", "got"])
#: Topic before the clause that forbids: "live blogs: don't open one".
_TOPIC = lazy_pattern(r"^(?P<topic>[\w' -]{2,40}?)\s*(?::|\s[-–—])\s+(?=\S)")
_SUBJECT = lazy_pattern(
    r"^(?:the |our |all )?(?P<topic>[\w'-]+(?: [\w'-]+){0,2}?) (?:is|are|stays?|lives?|goes|go|comes?|have|has|"
    r"belongs?|lasts?|runs?|was|were)\b",
    re.IGNORECASE,
)
_POINTS = frozenset({"it", "them", "one", "that", "those", "these", "this", "ones"})
#: Beginnings of conditions, limits and clauses that narrow the act.
_CONDITION = lazy_pattern(
    r"\b(?:unless|until|till|if|when|while|whilst|as long as|once|except|other than|apart "
    r"from|besides|only|before|after|"
    r"without|but|where|whose|that|which|who|what|how|why|whether|above|below|between|at (?:most|least)|"
    r"(?:over|under|past)(?= (?:[€£$]|\d|an?\b|one\b|two\b|three\b))|"
    r"(?:\w+er|more|less|with (?:less|more|fewer)|worth more) than)\b",
    re.IGNORECASE,
)
#: Words that forbid no less, and what is no object.
_EMPHASIS = lazy_pattern(
    r"(?:,| and) (?:not even|even|also|neither|nor|not|with or without)\b.*|,? (?:any "
    r"?more|ever|any longer|at all|again|"
    r"please|whatsoever|yourself|around|because|since|so that)\b.*|[:(].*",
    re.IGNORECASE | re.DOTALL,
)
#: Clause that is no member of a list: it has a subject or a verb of its own.
_TAIL = lazy_pattern(
    r",\s+(?=(?:and |but |so )?(?:(?:i|we|you|it|they|he|she|there|that|this|those|these|"
    r"the|an?|our|its|their|no|use|just|"
    r"ask|ring|call|write|keep|leave|go|send|let)\b|[\w' -]{1,30}\b(?:is|are|was|were|has|have|does|do|will|would|can|"
    r"gets?|only)\b)).*|\s(?:and|but|so) (?=(?:i|we|you|they|he|she)\b).*",
    re.IGNORECASE | re.DOTALL,
)
#: Words of objects that stand for any.
_ANYTHING = frozenset({
    "anyth", "someth", "thing", "everyth", "noth", "anybodi", "somebodi", "everybodi", "anyon", "someon",
    "anyone", "someone", "anybody", "somebody", "peopl", "one", "stuff",
})  # fmt: skip
_OR = lazy_pattern(r"\s*(?:,\s*(?:and |or |nor )?|\s(?:or|nor)\s|/)\s*", re.IGNORECASE)


#: Place of words that may stand anywhere: "further away" of "stops are never moved further away".
ANYWHERE = "*"
#: Persons and things in a place that other words name.
_SOMEBODY = lazy_pattern(r"\b(?:him|her|them|it|this|that|those|these)\b", re.IGNORECASE)


class Part(NamedTuple):
    """Object or place of an act, in the words of the text.

    Args:
        preposition: Preposition of a place; empty for the object, `ANYWHERE` for words after a participle.
        members: Alternatives, each as its stems and its words without spaces.
    """

    preposition: str
    members: tuple[tuple[frozenset[str], str], ...]


class Act(NamedTuple):
    """Act that a rejection forbids.

    Args:
        verb: Stem of the verb.
        operations: Operations that the table has for it.
        parts: Object and places, without words that stand for any.
        is_conditional: Whether words of a condition follow that are none of the parts.
        is_pointing: Whether the object is a pronoun, which stands for what the text named before.
        conditions: Known conditions, all of which are what the words of conditions say; empty if others follow.
    """

    verb: str
    operations: frozenset[str]
    parts: tuple[Part, ...]
    is_conditional: bool
    is_pointing: bool
    conditions: tuple[str, ...]


@lru_cache(_TEXTS)
def of_text(text: str) -> Act | None:
    """Returns the act that a rejection forbids by its verb; None if it names none.

    Args:
        text: Text of a rejection.
    """
    if "|" in text:
        # Commands have readers of their own.
        return None
    rest, _ = substitutes.split(wording.without_emphasis(wording.without_remark(text)))
    rest = wording.GIVEN.sub(r"don't give \g<who> \g<what>", rest)
    topic, before = "", ""
    for sentence in (each.strip() for each in _END.split(rest)):
        label = _TOPIC.match(sentence)
        if label is not None and (found := _clause(sentence[label.end() :], label["topic"])) is not None:
            return found
        if (found := _clause(sentence, topic or before)) is not None:
            return found
        subject = _SUBJECT.match(sentence)
        topic = subject["topic"] if subject is not None else topic
    return None


def _clause(sentence: str, topic: str) -> Act | None:
    """Returns the act of a sentence that forbids."""
    found = _NOMINAL.match(sentence) or _ACTIVE.match(sentence)
    if found is None and (found := _GERUND.match(sentence)) is not None and _STATES.search(_rest(found)):
        found = None
    thing = ""
    if found is None:
        found = _passive(sentence)
        if found is None:
            return None
        thing = _NONE.sub("", found["thing"])
    verb = found["verb"]
    stem = heads.stem_of(verb)
    if not operation_table.content_stems([verb]) or stem in _EMPTY:
        return None
    thing, relative = _bare(thing)
    after, narrowing = _bare(_rest(found))
    narrowing = f"{relative} {narrowing}".strip()
    return None if _rest(found).startswith(",") else _act(verb, thing, after, topic, narrowing)


def _rest(found: re.Match[str]) -> str:
    """Returns the words after the verb."""
    return found["rest"] or found.groupdict().get("bare") or ""


#: Stems of verbs that name no act of their own.
_EMPTY = frozenset({
    "want", "like", "be", "have", "do", "go", "come", "let", "allow", "need", "use", "get",
    "see", "touch", "think", "look", "care", "mind", "becom", "live", "say", "start", "tri",
})  # fmt: skip


def without_verb(words: str, after: str) -> Act | None:
    """Returns the act of bringing about a thing at its places; None if it has a single word.

    Args:
        words: The thing with its places.
        after: Words that follow them.
    """
    thing, narrowing = _bare(words)
    # Of what follows the first stop nothing narrows the thing.
    found = _CONDITION.match(after.strip())
    narrowing = narrowing or ("" if found is None else after.strip().partition(".")[0])
    act = _act("", "", thing, "", narrowing)
    is_named = act is not None and sum(len(stem) > 1 for part in act.parts for stem in part.members[0][0]) > 1
    return act if is_named else None


def _passive(sentence: str) -> re.Match[str] | None:
    """Returns the parts of a sentence in the passive that forbids."""
    found = _PASSIVE.match(sentence)
    if found is None or (found["none"] and not _NONE.match(found["thing"])):
        return None
    verb = found["verb"].lower()
    is_participle = _PARTICIPLE.fullmatch(verb) or (verb in heads.words().base and verb not in _OWN)
    return found if is_participle and FORBIDS.search(found[0]) else None


def _bare(rest: str) -> tuple[str, str]:
    """Returns the words after the verb without reasons, emphasis and conditions, and the conditions."""
    rest = _TAIL.sub("", _EMPHASIS.sub("", terms.without(rest)))
    found = _CONDITION.search(rest)
    place = len(rest) if found is None else found.start()
    return rest[:place].strip(" .,!"), rest[place:]


def _act(verb: str, thing: str, after: str, topic: str, narrowing: str) -> Act | None:
    """Returns the act of a verb with its object before or after it."""
    stem = heads.stem_of(verb) if verb else ""
    plain, early = conditions.split(after)
    _, late = conditions.split(narrowing)
    is_known = len(late) >= len(_CONDITION.findall(narrowing)) and all(map(conditions.is_known, late))
    head, scopes = conditions.scopes(f"{verb} {plain}")
    head = head.strip()[len(verb) :]
    is_pointing = not thing and head.strip().lower() in _POINTS
    head = topic if is_pointing else head
    subject, of_subject = conditions.scopes(thing)
    kept = [_part("", subject), _part(ANYWHERE if thing else "", head)]
    kept += [_part(preposition, words) for preposition, words in (*of_subject, *scopes)]
    is_known &= not any(_SOMEBODY.search(words) for _, words in scopes)
    parts = tuple(part for part in kept if part is not None)
    if not parts or (is_pointing and not topic):
        return None
    spoken = [verb.lower(), *(word.lower() for word in words_of(plain))]
    told, _ = operation_table.phrase_at(operation_table.stem_each(spoken))
    told = told or operation_table.phrase_at([stem])[0]
    return Act(stem, told, parts, not is_known, is_pointing, (*early, *(late if is_known else ())))


def _part(preposition: str, words: str) -> Part | None:
    """Returns the alternatives that words name; None if they stand for any."""
    members = []
    for member in _OR.split(words):
        stems = (
            stems_of(member) - _ANYTHING - operation_table.content_stems(operation_table.table().additional)
        )
        stems = stems - vocabulary().incidental or stems
        if not stems:
            continue
        content = (word for word in words_of(member) if operation_table.content_stems([word]))
        members.append((stems, "".join(content).lower()))
    return Part(preposition, tuple(members)) if members else None
