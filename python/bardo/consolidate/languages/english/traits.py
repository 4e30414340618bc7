"""Slots of short, plain statements about a life: tastes, habits, a pet's name, a school, a day of each month.

A person would note each of them, so that they are kept although they are small talk by their words (`traits.toml`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.frames import frames, list_phrase, phrase_of
from bardo.consolidate.languages.english.grammar import NO_ALLERGENS, gives_name, lemma

#: Attribute, value, and subject; an empty subject is the owner of the clause.
TraitSlot = tuple[str, str, str]
_PRESENT = frozenset({"VBP", "VBZ"})
#: Dependencies of words that limit what is liked to an occasion: "I love this song", "I love it when you do that".
_LIMITS = frozenset({"det", "poss", "relcl", "acl", "advcl", "nummod"})
#: Dependencies of words by which a habit is limited, or no more than an opinion.
_BESIDE = frozenset({"advcl", "advmod", "attr", "ccomp", "dobj", "npadvmod", "prep", "prt", "xcomp"})
#: Adverbs of a taste.
_OF_TASTE = frozenset(
    {"absolutely", "also", "always", "generally", "just", "really", "simply", "still", "truly", "usually"}
)
#: A day of each month: "the 25th".
_DAY_OF_MONTH = re.compile(
    r"(?i)\b(?:the )?(?:\d{1,2}(?:st|nd|rd|th)|first|last)\b(?! of (?!(?:the|each|every) month))"
)


@cache
def trait_table() -> dict[str, dict[str, Any]]:
    """The tables of `traits.toml`."""
    path = resources.files("bardo.consolidate.languages.english").joinpath("traits.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def trait_slot(clause: Clause, head: Any, subject: Any, *, who: str, is_kin: bool) -> TraitSlot | None:
    """Attribute, value and subject of a plain statement about a life; None if a clause is none.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        who: Name of the speaker in lower case, without article; empty if unknown.
        is_kin: Whether it is about one of the speaker's family, or a pet of theirs.
    """
    if subject is None or not who or not clause.stated or clause.past:
        return None
    if pet := _pet(head, subject):
        return ("name", pet, f"{who}'s {lemma(subject)}")
    is_self = bool(clause.features.get("self")) and subject.text.lower() == "i"
    if not (is_self or is_kin):
        return None
    if clause.denied:
        return _abstention(head)
    taste = None if clause.condition else _taste(head)
    return taste or _school(head) or _status(head) or (_payday(head) if is_self else None)


def _attribute_of_taste(head: Any) -> str | None:
    """Attribute of a verb of taste; the parser takes the "hates" of "my son hates broccoli" for a form of "hat"."""
    tastes: dict[str, str] = trait_table()["tastes"]
    return tastes.get(lemma(head)) or tastes.get(head.text.lower().removesuffix("s"))


def _taste(head: Any) -> TraitSlot | None:
    """Slot of "I love sourdough" and "she prefers tea to coffee"."""
    attribute = _attribute_of_taste(head)
    if attribute is None or head.tag_ not in _PRESENT or _is_beside(head, but=_OF_TASTE):
        return None
    things = [child for child in head.children if child.dep_ == "dobj"]
    if len(things) != 1 or not _is_kind(things[0]):
        return None
    behind = head.sent[things[0].right_edge.i + 1 - head.sent.start :]
    rest = re.match(r"\s*(?:to|over) \w+(?: \w+)?(?=[.!]?$)", behind.text)
    value = list_phrase(things[0])
    return attribute, f"{value} {rest[0].strip()}" if rest and attribute == "prefer" else value, ""


def is_mood(head: Any) -> bool:
    """Whether a clause tells a taste of the moment: "I love this song", "I hate Mondays", "I'm loving this weather"."""
    if _attribute_of_taste(head) is None or (head.tag_ != "VBG" and head.tag_ not in _PRESENT):
        return False
    things = [child for child in head.children if child.dep_ == "dobj"]
    if (
        not any(child.dep_ == "nsubj" and child.text.lower() in ("i", "we") for child in head.children)
        or not things
    ):
        return False
    is_pointed = any(child.text.lower() in ("this", "that") for child in things[0].children)
    return is_pointed or head.tag_ == "VBG" or _is_of_mood(things[0])


def _is_of_mood(thing: Any) -> bool:
    """Whether a thing is a day, or a matter of a mood: "Mondays", "meetings"."""
    words = {lemma(token) for token in thing.subtree} | {lemma(thing).removesuffix("s")}
    return thing.ent_type_ in ("DATE", "TIME") or bool(
        words & (NO_ALLERGENS | set(trait_table()["moods"]["things"]))
    )


def _is_kind(thing: Any) -> bool:
    """Whether a noun is a kind of thing: without article, possessor or clause, no day, and no matter of a mood."""
    if thing.pos_ not in ("NOUN", "PROPN") or _is_of_mood(thing):
        return False
    return not any(child.dep_ in _LIMITS for child in thing.children)


def _is_beside(head: Any, *, but: frozenset[str] = frozenset()) -> bool:
    """Whether words beside a verb limit it: a clause, an adverb other than some, a time."""
    allowed = ("dobj", "prep", "xcomp")
    return any(
        child.dep_ in _BESIDE and child.dep_ not in allowed and lemma(child) not in but for child in head.children
    ) or any(
        child.dep_ == "xcomp" and (child.pos_ == "VERB" or any(each.dep_ == "dobj" for each in child.children))
        for child in head.children
    ) or any(
        child.dep_ == "prep" and lemma(child) not in ("over", "to") for child in head.children
    )  # fmt: skip


def _abstention(head: Any) -> TraitSlot | None:
    """Slot of "I don't drive": the verb alone is denied."""
    auxiliaries = [child for child in head.children if child.dep_ == "aux"]
    is_plain = len(auxiliaries) == 1 and lemma(auxiliaries[0]) == "do" and auxiliaries[0].tag_ in _PRESENT
    if not is_plain or lemma(head) not in trait_table()["abstentions"]["verbs"]:
        return None
    return None if any(child.dep_ in _BESIDE for child in head.children) else ("habit", lemma(head), "")


def _pet(head: Any, subject: Any) -> str:
    """Name of "the dog is called Rex": the pet of a speaker needs no "my"; empty for other clauses."""
    is_pet = lemma(subject) in frames()["possessions"]["pet"] and subject.tag_ == "NN"
    articles = [
        child for child in subject.children if child.dep_ in ("det", "poss", "amod", "prep", "relcl", "acl")
    ]
    if not is_pet or not gives_name(head) or [lemma(each) for each in articles] != ["the"]:
        return ""
    names = [child for child in head.children if child.dep_ in ("oprd", "dobj") and child.pos_ == "PROPN"]
    return phrase_of(names[0]) if names else ""


def _school(head: Any) -> TraitSlot | None:
    """Slot of "my daughter goes to the Montessori school"; "goes to school" names none."""
    if lemma(head) != "go" or head.tag_ not in _PRESENT:
        return None
    for child in head.children:
        where = (
            next((each for each in child.children if each.dep_ == "pobj"), None)
            if child.dep_ == "prep"
            else None
        )
        if where is None or lemma(child) != "to":
            continue
        words = {lemma(token) for token in where.subtree}
        is_named = any(token.pos_ == "PROPN" for token in where.subtree)
        if is_named and words & set(trait_table()["schools"]["kinds"]):
            return "school", phrase_of(where), ""
    return None


def _status(head: Any) -> TraitSlot | None:
    """Slot of "I'm getting divorced"."""
    if lemma(head) != "get" or head.tag_ != "VBG":
        return None
    states = [child for child in head.children if child.dep_ in ("acomp", "xcomp", "attr")]
    coming = [each for each in states if each.text.lower() in trait_table()["statuses"]["coming"]]
    return ("marital_status", f"getting {coming[0].text.lower()}", "") if coming else None


def _payday(head: Any) -> TraitSlot | None:
    """Slot of "I get paid on the 25th"."""
    helpers = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    is_got = lemma(head) in trait_table()["payments"]["got"] and head.tag_ == "VBN"
    if not is_got or len(helpers) != 1 or helpers[0].tag_ not in _PRESENT:
        return None
    for child in head.children:
        if child.dep_ == "prep" and lemma(child) == "on":
            day = " ".join(token.text for token in child.subtree if token.i != child.i)
            if _DAY_OF_MONTH.match(day):
                return "payday", day, ""
    return None
