"""Slots of persons and pets: what they have, how old they are, what they are: "I have asthma", "our son is six"."""

from __future__ import annotations

import re
from typing import Any

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.frames import frames, names_of, phrase_of
from bardo.consolidate.languages.english.grammar import COMPLEMENTS, gives_name, lemma
from bardo.consolidate.languages.english.home_and_health_slots import barred_food, past_slot, present_slot
from bardo.consolidate.languages.english.life_slots import (
    care_home_slot,
    event_slot,
    occupation_slot,
    remedy_slot,
)

#: Attribute, value, and an empty subject: the owner of the clause.
PersonSlot = tuple[str, str, str]
#: Determiners of something that is not known yet, as in "a cat"; "my cat" and "the cat" are known.
_KNOWN = frozenset(
    {"the", "this", "that", "these", "those", "no", "any", "every", "each", "another", "enough"}
)
#: Dependents by which a noun is no possession: "a dog to walk", "a cat whose owner is away".
_LIMITED = frozenset({"relcl", "acl"})
#: Verbs of a person who cannot have some food.
_CONSUMES = frozenset({"have", "eat", "drink", "take", "touch", "tolerate"})
#: Words for a condition of any kind, which name none alone.
_KINDS_OF_CONDITION = frozenset({"disease", "syndrome", "disorder"})
_AGE = re.compile(r"[a-z]+(?:-[a-z]+)?|\d{1,3}", re.IGNORECASE)


def person_slot(clause: Clause, head: Any, subject: Any, *, who: str, is_kin: bool) -> PersonSlot | None:
    """Attribute and value by which a clause describes a person or pet; None if it does not.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        who: Name of the speaker in lower case; empty if unknown.
        is_kin: Whether it is about one of the speaker's family, or a pet of theirs.
    """
    is_self = bool(clause.features.get("self"))
    is_named = bool(clause.features.get("subject named") or clause.features.get("subject pronoun"))
    if subject is None or not clause.owner:
        return None
    is_person = is_self or is_kin or is_named
    lasting = event_slot(clause, head, who=who, is_kin=is_kin, is_self=is_self)
    if lasting is None and is_person and not clause.denied:
        lasting = past_slot(head)
    if lasting is not None:
        return lasting
    is_one = subject.text.lower() not in ("we", "they")
    is_turning = lemma(head) == "turn"
    if clause.past:
        # "Turned ten" gives an age that holds.
        return _age(head) if is_turning and is_person and is_one and not clause.past_dated else None
    named = _name(head) if is_kin or clause.features.get("subject of mine") else None
    if named is not None or not is_person:
        return named
    is_aged = is_kin or (is_one and (is_turning or not clause.features.get("subject named")))
    age = _age(head) if is_aged else None
    described = age or _possession(head) or _kind(head) or _barred_food(head)
    if described is not None:
        return described
    return barred_food(head) if clause.denied else _told_otherwise(head)


def _told_otherwise(head: Any) -> PersonSlot | None:
    """Slot of a person that no noun of its own names: by a remedy, work, or a home for care."""
    return remedy_slot(head) or occupation_slot(head) or care_home_slot(head) or present_slot(head)


def _possession(head: Any) -> PersonSlot | None:
    """Slot of something that a person has and that the noun itself tells."""
    is_got = lemma(head) == "get" and any(
        child.dep_ == "aux" and lemma(child) in ("have", "'ve", "'s") for child in head.children
    )
    if lemma(head) != "have" and not is_got:
        return None
    for thing in head.children:
        if thing.dep_ in COMPLEMENTS and (condition := _condition(thing)):
            return "condition", condition, ""
        if thing.dep_ not in COMPLEMENTS or not is_unknown(thing):
            continue
        names = names_of(thing)
        for attribute, nouns in frames()["possessions"].items():
            if names & set(nouns):
                return attribute, phrase_of(thing), ""
    return None


def _condition(thing: Any) -> str:
    """Condition by the form of its name, such as "Crohn's disease" or "Alzheimer's"; empty if a noun names none."""
    forms = frames()["conditions"]
    owners = [child for child in thing.children if child.dep_ == "poss"]
    for name in (thing, *owners):
        if name.text.lower() in forms["eponyms"] and any(child.tag_ == "POS" for child in name.children):
            return f"{name.text}'s {thing.text}" if _is_form(thing) else f"{name.text}'s"
    # "My dad's disease" and "the disease" name none.
    is_named = is_unknown(thing) or bool(owners and owners[0].pos_ == "PROPN")
    phrase = phrase_of(thing) if is_named and _is_form(thing) else ""
    is_bare = phrase.split()[-1:] == phrase.split()[:1] or phrase.lower().startswith(("a ", "an ", "some "))
    return "" if is_bare and thing.text.lower() in _KINDS_OF_CONDITION else phrase


def _is_form(thing: Any) -> bool:
    """Whether a noun has the form of the name of a condition."""
    return re.fullmatch(frames()["conditions"]["form"], thing.text) is not None


def is_unknown(thing: Any) -> bool:
    """Whether an object is mentioned for the first time, without a clause that limits it."""
    return not any(
        child.dep_ == "poss"
        or (child.dep_ in ("det", "neg") and child.text.lower() in _KNOWN)
        or (child.dep_ in _LIMITED and not _is_naming(child))
        for child in thing.children
    )


def _is_naming(token: Any) -> bool:
    """Whether a clause below a noun names it: "a dog called Bruno"."""
    return lemma(token) in ("call", "name") and token.tag_ == "VBN"


def _name(head: Any) -> PersonSlot | None:
    """Name of a person or pet of the speaker, as in "our dog is called Juno"."""
    if not gives_name(head):
        return None
    for child in head.children:
        if child.dep_ in ("oprd", "dobj") and child.pos_ == "PROPN":
            return "name", phrase_of(child), ""
    return None


def _age(head: Any) -> PersonSlot | None:
    """Age of a person: a bare number, or a number of years."""
    if lemma(head) not in ("be", "turn"):
        return None
    for child in head.children:
        number = child
        if child.dep_ == "acomp" and lemma(child) == "old":
            number = next((each for each in child.subtree if each.dep_ == "nummod"), child)
            if lemma(number.head) != "year":
                continue
        is_alone = number.i != child.i or not any(child.children)
        is_number = number.pos_ == "NUM" and bool(_AGE.fullmatch(number.text))
        is_complement = child.dep_ in ("attr", "acomp") or (lemma(head) == "turn" and child.dep_ == "dobj")
        if is_complement and is_number and is_alone:
            return "age", str(number.text), ""
    return None


def _kind(head: Any) -> PersonSlot | None:
    """Slot of "I'm a vegetarian" and "she is lactose intolerant"."""
    if lemma(head) != "be":
        return None
    for child in head.children:
        barred = next(
            (each for each in child.children if each.dep_ in ("npadvmod", "compound", "amod")), None
        )
        if (
            child.dep_ == "acomp"
            and barred is not None
            and (to := frames()["verb"].get(lemma(child), {}).get("to"))
        ):
            return to, str(barred.text), ""
        # The parser takes the "lactose" of "lactose intolerant" for the adjective.
        state = next((each for each in child.children if each.dep_ == "oprd"), None)
        if child.dep_ == "acomp" and state is not None and state.i == child.i + 1:
            to = frames()["verb"].get(lemma(state), {}).get("to")
            return (to, str(child.text), "") if to else None
        name = lemma(child)
        if child.dep_ == "attr" and (attribute := frames()["adjectives"].get(name)) and is_unknown(child):
            return attribute, name, ""
        if child.dep_ == "attr" and _is_occupation(child):
            return "work", phrase_of(child), ""
    return None


def _is_occupation(noun: Any) -> bool:
    """Whether "a" and an occupation stand together, as in "a paramedic" and "a social worker"."""
    before = (
        f"{lemma(child)} {lemma(noun)}" for child in noun.children if child.dep_ in ("compound", "amod")
    )
    is_one = any(child.dep_ == "det" and child.text.lower() in ("a", "an") for child in noun.children)
    return (
        is_one
        and is_unknown(noun)
        and not {lemma(noun), *before}.isdisjoint(frames()["occupations"]["kinds"])
    )


def _barred_food(head: Any) -> PersonSlot | None:
    """Allergy of "she can't have sesame, she's allergic": the other clause of the sentence names it."""
    bare = next((child for child in head.children if child.dep_ == "acomp"), None)
    if lemma(head) != "be" or bare is None or any(child.dep_ in ("prep", "xcomp") for child in bare.children):
        return None
    attribute = frames()["verb"].get(lemma(bare), {}).get("to")
    beside = (verb for verb in head.sent if verb.head.i == head.i or head.head.i == verb.i)
    for verb in beside if attribute else ():
        is_barred = lemma(verb) in _CONSUMES and any(child.dep_ == "neg" for child in verb.children)
        thing = next((each for each in verb.children if each.dep_ == "dobj" and each.pos_ != "PRON"), None)
        if is_barred and thing is not None:
            return attribute, phrase_of(thing), ""
    return None
