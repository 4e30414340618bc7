"""Slots of homes and health by a verb and its noun: "I rent a flat in Porto", "she had a hip replacement"."""

from __future__ import annotations

from typing import Any

from bardo.consolidate.languages.english.frames import frames, names_of, phrase_of
from bardo.consolidate.languages.english.grammar import lemma
from bardo.consolidate.languages.english.life_slots import has_article

#: Attribute, value, and an empty subject: the owner of the clause.
Slot = tuple[str, str, str]
#: Verbs of a person who lives in what they have, and the one by which they came to own it.
_DWELLS, _BUYS = frozenset({"lease", "rent", "share"}), "buy"
#: Verbs of a patient, and those of a person with an aid permanently.
_UNDERGOES, _WEARS = frozenset({"get", "have", "undergo"}), frozenset({"have", "use", "wear"})
#: Verbs of eating, and those that bar a food with "can't" alone.
_EATS, _TAKES = frozenset({"drink", "eat"}), frozenset({"have", "tolerate", "touch"})
_REASONS = frozenset({"allergic", "allergy", "intolerant", "intolerance"})
_ABLE = frozenset({"can", "ca", "could"})
_COMMON = frozenset({"a", "an", "any", "my", "our", "the", "this", "that"})


def past_slot(head: Any) -> Slot | None:
    """Slot of an event that holds on: an operation, a birth, the purchase of a home; None for other clauses.

    Args:
        head: Head of a clause that is not denied.
    """
    verb = lemma(head)
    if verb == "bear" and head.tag_ == "VBN":
        return next((("birthplace", phrase_of(place), "") for place in _places(head)), None)
    for thing in _objects(head):
        if verb in _UNDERGOES and names_of(thing) & set(frames()["surgeries"]["kinds"]):
            return "surgery", phrase_of(thing), ""
        if verb == _BUYS and head.tag_ in ("VBD", "VBN") and _is_home(thing):
            return "own", phrase_of(thing), ""
    return None


def present_slot(head: Any) -> Slot | None:
    """Slot of what a person has for years: a home that they rent, an aid that they wear; None for other clauses.

    Args:
        head: Head of a clause in the present that is not denied.
    """
    verb = lemma(head)
    for thing in _objects(head):
        if verb in _DWELLS and _is_home(thing) and not _is_for_a_time(head):
            return "dwelling", phrase_of(thing), ""
        if verb in _WEARS and names_of(thing) & set(frames()["body_aids"]["kinds"]):
            return "disability", phrase_of(thing), ""
    return None


def barred_food(head: Any) -> Slot | None:
    """Slot of a food that a person does without: "I don't eat pork", "he can't have dairy"; None for other clauses.

    Args:
        head: Head of a denied clause in the present.
    """
    verb, aids = lemma(head), {child.text.lower() for child in head.children if child.dep_ == "aux"}
    if verb not in _EATS and not (verb in _TAKES and aids & _ABLE):
        return None
    # "He can't eat shrimps, he's allergic" tells an allergy.
    if any(lemma(token) in _REASONS for token in head.sent):
        return None
    # "I don't eat it with a spoon" and "don't drink coffee after noon" tell of a way or a time.
    if any(child.dep_ in ("advcl", "advmod", "npadvmod", "prep") for child in head.children):
        return None
    for thing in _objects(head):
        is_plain = thing.pos_ == "NOUN" and not thing.ent_type_ and not any(
            child.text.lower() in _COMMON or child.dep_ in ("prep", "relcl", "acl") for child in thing.children
        )  # fmt: skip
        if is_plain and not names_of(thing) & set(frames()["meals"]["kinds"]):
            return "food", phrase_of(thing), ""
    return None


def _is_for_a_time(head: Any) -> bool:
    """Whether a clause is limited to some days: "we share a room tonight", "I rent a flat for the summer"."""
    return any(
        child.dep_ == "npadvmod" or (child.dep_ == "prep" and lemma(child) == "for")
        for child in head.children
    )


def _objects(head: Any) -> list[Any]:
    """Direct objects of a verb."""
    return [child for child in head.children if child.dep_ == "dobj"]


def _places(head: Any) -> list[Any]:
    """Proper names of places that depend on a verb by "in"."""
    return [
        place
        for child in head.children
        if child.dep_ == "prep" and lemma(child) in ("in", "near")
        for place in child.children
        if place.dep_ == "pobj" and place.pos_ == "PROPN" and place.ent_type_ not in ("DATE", "TIME")
    ]


def _is_home(thing: Any) -> bool:
    """Whether a noun is a home that is told for the first time."""
    return has_article(thing, "a", "an") and bool(names_of(thing) & set(frames()["homes"]["kinds"]))
