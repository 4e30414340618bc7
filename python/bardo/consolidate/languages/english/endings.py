"""Things that English clauses end, such as the car of "I sold the car", and those that they only describe."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.dates import MONTHS
from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import lemma, predicate_of
from bardo.consolidate.languages.english.owners import KIN

#: Prepositions for a place beside which something happens.
_NEARNESS = frozenset(
    {"around", "behind", "below", "beside", "between", "near", "opposite", "outside", "under"}
)
#: Determiners and possessives of a thing that is known.
_KNOWN = frozenset({"the", "this", "that", "these", "those"})
#: Parts of speech of a word that "with" describes.
_DESCRIBED = frozenset({"NOUN", "PROPN", "ADV", "PRON"})


def objects_of(head: Any) -> frozenset[str]:
    """Heads of the objects and complements of a clause."""
    found = set()
    for child in head.children:
        if child.dep_ in ("dobj", "attr", "acomp", "oprd", "nsubjpass") and child.pos_ != "PRON":
            found.add(lemma(child))
        if child.dep_ in ("prep", "agent"):
            found |= {lemma(each) for each in child.children if each.dep_ == "pobj" and each.pos_ != "PRON"}
    return frozenset(found)


def ended_by(head: Any, subject: Any) -> frozenset[str]:
    """Lemmas of the things that a clause ends, if its verb ends something.

    Of "is over" that is the subject, and of a person who "is finished with" or "is off" something the other thing.

    Args:
        head: Head of the clause.
        subject: Its subject; None if it has none.
    """
    if subject is not None and _is_person(subject) and (things := _given_up(head)):
        return frozenset(things)
    return _ended(head) | _over(head, subject)


def _is_person(subject: Any) -> bool:
    """Whether a subject is a person or a pet: a pronoun, a name, or a word of kinship."""
    return subject.pos_ in ("PRON", "PROPN") or lemma(subject) in KIN


def _given_up(head: Any) -> set[str]:
    """Lemmas of the things with which a person is done or finished, or off which a person is."""
    is_undergone = any(child.dep_ == "auxpass" for child in head.children) or head.tag_ == "VBN"
    has_object = any(child.dep_ == "dobj" for child in head.children)
    if has_object or (lemma(head) != "be" and not is_undergone):
        return set()
    states = [head, *(child for child in head.children if child.dep_ in ("acomp", "advmod", "attr"))]
    return {
        lemma(thing)
        for state in states
        for child in state.children
        if child.dep_ == "prep" and lemma(child) in ("off", "with")
        for thing in child.children
        if thing.dep_ == "pobj"
    }


def _ended(head: Any) -> frozenset[str]:
    """Lemmas that an ending verb ends: its objects and complements, but not what is near, nor the company."""
    things = [child for child in head.children if child.dep_ == "dobj"]
    beside = _NEARNESS | {"with"} if things else _NEARNESS
    aside = (child for child in head.children if child.dep_ == "prep" and lemma(child) in beside)
    found = set(objects_of(head)) - {lemma(each) for child in aside for each in child.children}
    # "Stop Sundays from March" ends the Sundays, "return the 19 October" no October, "finish at the end" no end.
    found -= MONTHS.keys() | {
        lemma(each)
        for child in head.children
        if child.dep_ == "prep"
        for each in child.children
        if each.ent_type_ in ("DATE", "TIME")
    }
    # "My job at Helvion", "notice at Helvion", "pulled the pin on the yards"
    places = (
        child
        for thing in things
        for child in thing.children
        if child.dep_ == "prep" and lemma(child) in ("at", "on")
    )
    return frozenset(
        found | {lemma(each) for place in places for each in place.children if each.dep_ == "pobj"}
    )


def _over(head: Any, subject: Any) -> frozenset[str]:
    """Lemma of the thing that is the subject of "is over" and the like; empty where the clause has another form."""
    is_thing = subject is not None and subject.pos_ in ("NOUN", "PROPN")
    is_over = lemma(head) in ("be", "get") or is_gone(head) or predicate_of(head) == "come off"
    return frozenset({lemma(subject)} if is_thing and is_over else ())


def is_gone(head: Any) -> bool:
    """Whether the subject of a clause is gone, as in "the car went for scrap", or is done with something."""
    if head.text.lower() == "done":
        # The parser takes "done" for a participle.
        is_state = any(lemma(child) == "be" for child in head.children if child.dep_ in ("aux", "auxpass"))
        things = {lemma(below) for child in head.children if _is("with", child) for below in child.children}
        return is_state and bool(things - set(cue_tables()["frames"]["finish"]))
    goals = set(cue_tables()["goals"].get(lemma(head), ()))
    is_known = any(
        each.dep_ in ("det", "poss")
        for child in head.children
        if child.dep_ == "nsubj"
        for each in child.children
    )
    return is_known and any(
        lemma(below) in goals for child in head.children if _is("for", child) for below in child.children
    )


def _is(preposition: str, token: Any) -> bool:
    """Whether a word is a preposition."""
    return bool(token.dep_ == "prep" and lemma(token) == preposition)


def details_of(words: list[Any]) -> frozenset[str]:
    """Lemmas of the things that only describe another one, as "a flat with a bath" does.

    Args:
        words: Words of a clause.
    """
    return frozenset(
        lemma(each)
        for token in words
        if token.dep_ == "prep" and lemma(token) == "with" and _describes(token)
        for thing in token.children
        if thing.dep_ == "pobj"
        for each in (thing, *thing.conjuncts)
        if each.pos_ == "NOUN" and lemma(each) not in KIN and not _is_known(each)
    )


def _describes(preposition: Any) -> bool:
    """Whether a "with" belongs to a noun, or stands behind the object of a verb: what it brings is no company."""
    above = preposition.head
    return above.pos_ in _DESCRIBED or any(
        child.dep_ == "dobj" and child.i < preposition.i for child in above.children
    )


def _is_known(noun: Any) -> bool:
    """Whether a noun has an article or possessive of a known thing."""
    return any(child.dep_ == "poss" or child.text.lower() in _KNOWN for child in noun.children)


def stopped_by(head: Any) -> tuple[str, str]:
    """Verb of the activity of "stopped doing it", and its object or first adjunct; empty where there is none."""
    verb = next((child for child in head.children if child.dep_ == "xcomp" and child.tag_ == "VBG"), None)
    if verb is None:
        return "", ""
    things = [child for child in verb.children if child.dep_ == "dobj"] or [
        below
        for child in verb.children
        if child.dep_ == "prep"
        for below in child.children
        if below.dep_ == "pobj"
    ]
    if things:
        return lemma(verb), lemma(things[0])
    # "Running out of milk" is another activity than "running".
    is_bare = not any(child.dep_ in ("prep", "prt", "xcomp", "advmod") for child in verb.children)
    return (lemma(verb), "") if is_bare else ("", "")
