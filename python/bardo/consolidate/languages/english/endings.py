"""Things that a clause ends: objects of its verb, the subject of "is over", the activity of "stopped doing it"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.dates import MONTHS
from bardo.consolidate.languages.english.frames import cue_tables
from bardo.consolidate.languages.english.grammar import lemma, predicate_of

#: Prepositions for a place beside which something happens.
_NEARNESS = frozenset(
    {"around", "behind", "below", "beside", "between", "near", "opposite", "outside", "under"}
)


def objects_of(head: Any) -> frozenset[str]:
    """Heads of the objects and complements of a clause."""
    found = set()
    for child in head.children:
        if child.dep_ in ("dobj", "attr", "acomp", "oprd", "nsubjpass") and child.pos_ != "PRON":
            found.add(lemma(child))
        if child.dep_ in ("prep", "agent"):
            found |= {lemma(each) for each in child.children if each.dep_ == "pobj" and each.pos_ != "PRON"}
    return frozenset(found)


def ended_by(head: Any) -> frozenset[str]:
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


def over_by(head: Any, subject: Any) -> frozenset[str]:
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
