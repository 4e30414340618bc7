"""Slots of what lasts in a life and that other words tell: deaths, businesses, work, remedies, care homes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.dates import DATE
from bardo.consolidate.languages.english.frames import frames, phrase_of
from bardo.consolidate.languages.english.grammar import is_denied, is_future, lemma, predicate_of
from bardo.consolidate.languages.english.owners import FAMILY, Owner, is_of_speaker

#: Attribute, value, and subject; an empty subject is the owner of the clause.
LifeSlot = tuple[str, str, str]
#: Verbs of a person who has a remedy at hand.
_CARRIES = frozenset({"carry", "have", "keep", "need", "wear"})
#: Verbs by which a business is founded under a name, and those of a person who runs one.
_FOUNDS, _RUNS = frozenset({"register", "found", "set"}), frozenset({"run", "manage", "have", "own"})
#: Verbs by which an animal comes to a home.
_ADOPTS = frozenset({"adopt", "buy", "rescue"})
#: Words for a business by its legal form.
_FIRMS = frozenset({"company", "business", "firm"})
#: Words after "work at" and "work for" that name no employer.
_NO_EMPLOYERS = frozenset(
    {"home", "living", "moment", "time", "weekend", "end", "day", "night", "while", "hour", "week"}
)
#: Words of an age.
_AGES = frozenset({"age", "aged", "birthday", "old"})
#: Words before "home" for a home in which people are cared for.
_CARE = frozenset({"care", "nursing", "retirement", "residential"})


def event_slot(clause: Clause, head: Any, *, who: str, is_kin: bool, is_self: bool) -> LifeSlot | None:
    """Slot of an event whose effect lasts, told in any tense: a death in the family, the founding of a business.

    Args:
        clause: The clause.
        head: Its head.
        who: Name of the speaker in lower case; empty if unknown.
        is_kin: Whether it is about one of the speaker's family, or a pet of theirs.
        is_self: Whether it is about the speaker.
    """
    if clause.denied:
        return None
    if is_kin and predicate_of(head) in frames()["deaths"]["subject"]:
        return "death", "died", ""
    return (_death_of_object(head, who) or _founding(head) or _adoption(head)) if is_self and who else None


def who_died(head: Any, owner: Owner, who: str) -> str:
    """Person or animal of whose death a clause tells, in lower case; empty if it tells of none.

    Args:
        head: Head of the clause.
        owner: Its owner.
        who: Name of the speaker in lower case; empty if unknown.
    """
    if is_denied(head):
        return ""
    if owner.key == who:
        # A speaker lives: the parser finds no subject in "Fly died last night".
        found = _death_of_object(head, who) if owner.is_speaker else None
        return found[2] if found else ""
    if predicate_of(head) in frames()["deaths"]["subject"] and not is_future(head):
        return owner.key
    is_undergone = any(child.dep_ == "nsubjpass" for child in head.children) or (
        head.dep_ == "ccomp" and lemma(head.head) == "have"
    )
    if is_undergone and _is_of_death(head):
        return owner.key
    return ""


def _death_of_object(head: Any, who: str) -> LifeSlot | None:
    """Slot of "we buried Pogo", "we had to put our dog Rufus down" and "we had Rufus put down"."""
    verbs = [head]
    while lemma(verbs[-1]) == "have":
        below = [child for child in verbs[-1].children if child.dep_ in ("xcomp", "ccomp")]
        if not below:
            break
        verbs.append(below[0])
    for verb in verbs:
        labels = ("dobj", "nsubj") if verb.dep_ == "ccomp" else ("dobj",)
        thing = next((child for child in verb.children if child.dep_ in labels), None)
        if thing is None or not _is_of_death(verb):
            continue
        if thing.pos_ == "PROPN" and not any(thing.children):
            return "death", "died", thing.text.lower()
        if lemma(thing) in FAMILY and is_of_speaker(thing):
            names = (each.text.lower() for each in thing.children if each.dep_ == "appos")
            return "death", "died", next(names, f"{who}'s {lemma(thing)}")
    return None


def _is_of_death(verb: Any) -> bool:
    """Whether the object of a verb is dead, as of "bury" and "put down"."""
    particles = {lemma(child) for child in verb.children if child.dep_ in ("prt", "advmod", "npadvmod")}
    said = {lemma(verb), *(f"{lemma(verb)} {particle}" for particle in particles)}
    return bool(said & set(frames()["deaths"]["object"])) and not _lays_down(verb)


def _lays_down(verb: Any) -> bool:
    """Whether "put down" has a place or a purpose: "put the baby down for a nap", "on the sofa"."""
    below = [
        each
        for child in verb.children
        if lemma(verb) == "put" and child.dep_ == "prep" and lemma(child) in ("for", "in", "on", "onto")
        for each in child.children
    ]
    return any(each.dep_ == "pobj" and each.ent_type_ not in ("DATE", "TIME") for each in below)


def _founding(head: Any) -> LifeSlot | None:
    """Slot of "I've registered the company as Tarnwood Joinery Ltd"."""
    if lemma(head) not in _FOUNDS:
        return None
    is_firm = any(child.dep_ == "dobj" and lemma(child) in _FIRMS for child in head.children)
    for child in head.children if is_firm else ():
        if child.dep_ == "prep" and lemma(child) in ("as", "under"):
            names = (each for each in child.children if each.dep_ == "pobj" and each.pos_ == "PROPN")
            if (name := next(names, None)) is not None:
                return "company", phrase_of(name), ""
    return None


def _adoption(head: Any) -> LifeSlot | None:
    """Slot of "we've adopted a cat" and "we've bought a horse called Miso": an animal that is there by now."""
    if lemma(head) not in _ADOPTS or not any(
        child.dep_ == "aux" and child.text.lower() in ("have", "'ve") for child in head.children
    ):
        return None
    for thing in head.children:
        is_one = (
            lemma(head) == "adopt"
            and has_article(thing, "a", "an")
            and not any(each.dep_ in ("acl", "relcl") for each in thing.children)
        )
        is_named = any(lemma(each) in ("call", "name") and each.dep_ == "acl" for each in thing.children)
        if thing.dep_ == "dobj" and (is_one or is_named) and lemma(thing) in frames()["possessions"]["pet"]:
            return "pet", phrase_of(thing), ""
    return None


def remedy_slot(head: Any) -> LifeSlot | None:
    """Allergy that a remedy tells: "I carry an EpiPen because of wasp stings"."""
    if lemma(head) not in _CARRIES:
        return None
    for thing in head.children:
        if thing.dep_ != "dobj" or thing.text.lower() not in frames()["remedies"]["kinds"]:
            continue
        for each in (*head.children, *thing.children):
            if each.dep_ == "prep" and lemma(each) in ("for", "because", "against"):
                cause = next((below for below in each.children if below.dep_ == "pobj"), None)
                if cause is not None and cause.pos_ == "NOUN" and not cause.ent_type_:
                    return "allergy", phrase_of(cause), ""
    return None


def occupation_slot(head: Any) -> LifeSlot | None:
    """Slot of work without a title or a named employer: "I teach geography", "I run a bakery", "he works at a port"."""
    verb = lemma(head)
    things = [child for child in head.children if child.dep_ == "dobj"]
    if verb in _RUNS:
        kinds = set(frames()["businesses"]["kinds"])
        return next(
            (_occupied(thing) for thing in things if lemma(thing) in kinds and has_article(thing, "a", "an")),
            None,
        )
    if verb == "do" and head.tag_ == "VBZ":
        # "Silvia does our locks": "does the dishes" and "does her homework" tell no work for the speaker.
        return next((("work", _unowned(thing), "") for thing in things if is_of_speaker(thing)), None)
    if verb not in ("teach", "work") or head.tag_ not in ("VBP", "VBZ"):
        return None
    prepositions = {lemma(child): child for child in head.children if child.dep_ == "prep"}
    if verb == "teach" and things:
        is_lesson = things[0].pos_ != "PRON" and not any(child.dep_ == "poss" for child in things[0].children)
        is_to_person = any(child.dep_ == "dative" for child in head.children)
        return _occupied(things[0]) if is_lesson and not is_to_person else None
    place = next((prepositions[name] for name in ("at", "for") if name in prepositions), None)
    if place is None or "as" in prepositions:
        return None
    where = next((child for child in place.children if child.dep_ == "pobj" and child.pos_ == "NOUN"), None)
    is_employer = where is not None and lemma(where) not in _NO_EMPLOYERS and not where.ent_type_
    return _occupied(where) if is_employer and has_article(where, "a", "an", "the") else None


def _unowned(thing: Any) -> str:
    """A noun phrase without its "our"."""
    return phrase_of(thing).split(" ", 1)[-1]


def _occupied(thing: Any) -> LifeSlot | None:
    """Occupation by what one runs, teaches or works at; None for "a farm in mind"."""
    is_thought = any(lemma(word) == "mind" for word in thing.sent)
    return None if is_thought else ("work", phrase_of(thing), "")


def has_article(noun: Any, *articles: str) -> bool:
    """Whether one of some articles stands before a noun."""
    return any(child.dep_ == "det" and child.text.lower() in articles for child in noun.children)


def care_home_slot(head: Any) -> LifeSlot | None:
    """Home of "Dad is in a care home in Preston"."""
    if lemma(head) != "be":
        return None
    for child in head.children:
        if child.dep_ != "prep" or lemma(child) != "in":
            continue
        for home in child.children:
            kinds = {lemma(each) for each in home.children if each.dep_ in ("compound", "amod")}
            if home.dep_ == "pobj" and lemma(home) == "home" and kinds & _CARE:
                return "home", phrase_of(home), ""
    return None


def tells_age(words: Sequence[Any]) -> bool:
    """Whether words can tell an age: a number that is no part of a date, or a word such as "birthday"."""
    dates = {
        part for match in DATE.finditer(" ".join(token.text for token in words)) for part in match[0].split()
    }
    return any(lemma(token) in _AGES or (token.pos_ == "NUM" and token.text not in dates) for token in words)
