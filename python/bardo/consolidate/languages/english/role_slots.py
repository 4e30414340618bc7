"""Holders of roles: "the risk manager is Ingrid Vass", "Tomas took over as head of operations", "Ingrid has left"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from bardo.consolidate.clause import Clause
from bardo.consolidate.languages.english.cue_words import tells_no_more
from bardo.consolidate.languages.english.frames import phrase_of
from bardo.consolidate.languages.english.grammar import (
    SUBJECTS,
    is_denied,
    is_future,
    is_past,
    lemma,
    predicate_of,
)
from bardo.consolidate.languages.english.role_nouns import (
    attribute_of_role,
    holder_at,
    is_role_noun,
    role_table,
    scope_of,
    tells_one_role,
    words_behind,
)

#: Verbs of a state, by which a role and its holder are one.
_IS = frozenset({"be", "remain", "stay"})
#: Verbs of a speaker who has a person in a role: "we have a new accountant, Piers Fell".
_HAVING = frozenset({"be", "get", "have", "hire", "appoint"})
_COMPLEMENTS = ("attr", "oprd", "acomp", "dobj")
#: Words of the present day, from which a person is on call.
_TODAY = frozenset(
    {"at", "from", "moment", "morning", "now", "on", "since", "the", "this", "today", "tonight"}
)
#: Words for where the speaker is.
_HERE = frozenset({"here", "us", "there"})
#: Entities after "left for" that tell a permanent departure: "left for Rotterdam", and months as its time.
_PLACES = frozenset({"GPE", "LOC", "ORG", "PERSON", "FAC"})


class Role(NamedTuple):
    """A role with its holder.

    Args:
        attribute: Attribute of the role.
        holder: Name of the holder.
        subject: The organisation or speaker whose role it is.
        noun: Noun of the role as written.
        beside: Words behind it that tell whose role it is, such as "of the Leeds office"; empty without any.
    """

    attribute: str
    holder: str
    subject: str
    noun: str
    beside: str


def role_of(clause: Clause, head: Any, subject: Any, who: str) -> Role | None:
    """The role that a clause gives to a person; None if it gives none.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
        who: Name of the speaker in lower case; empty if unknown.
    """
    if clause.past_dated:
        return None
    if subject is not None and (on_call := _on_call(clause, head, subject, who)) is not None:
        return on_call
    found = _has_holder(clause, head, subject)
    if found is None and subject is not None:
        found = _is_holder(clause, head, subject) or _takes_role(clause, head, subject)
    if found is None:
        return None
    role, holder = found
    scope = scope_of(role, who)
    return Role(attribute_of_role(role), holder, scope, str(role.text), words_behind(role))


def _on_call(clause: Clause, head: Any, subject: Any, who: str) -> Role | None:
    """The one who is on call from now on: "Joren is on call since this morning", not "I'm on call on the 11th"."""
    if lemma(head) != "be" or clause.past or clause.denied or clause.until is not None or is_future(head):
        return None
    call = next(
        (
            thing
            for child in head.children
            if child.dep_ == "prep" and lemma(child) == "on"
            for thing in child.children
            if lemma(thing) == "call" and not any(each.dep_ in ("det", "compound") for each in thing.children)
        ),
        None,
    )
    is_of_day = any(
        token.ent_type_ in ("DATE", "TIME") and lemma(token) not in _TODAY for token in head.subtree
    )
    if call is None or is_of_day:
        return None
    holder = who if subject.text.lower() == "i" else phrase_of(subject) * (subject.pos_ == "PROPN")
    return Role("on_call", holder, "team", "call", "") if holder else None


def names_several_holders(head: Any, subject: Any) -> bool:
    """Whether a clause names the holders of a role of which there are several: "our managers are Ada and Ben"."""
    if subject is None or lemma(head) not in _IS or not is_role_noun(subject):
        return False
    if subject.tag_ == "NNS":
        return True
    values = [child for child in head.children if child.dep_ in _COMPLEMENTS and child.pos_ == "PROPN"]
    is_joined = any(each.dep_ == "conj" for value in values for each in value.children)
    return bool(values) and (is_joined or not tells_one_role(subject, bare=True))


def _is_holder(clause: Clause, head: Any, subject: Any) -> tuple[Any, str] | None:
    """Role and holder of "the treasurer is Ann Poole", "Ann is now treasurer" and "the new cook is called Joss"."""
    verb = lemma(head)
    is_called = verb == "call" and any(child.dep_ == "auxpass" for child in head.children)
    if clause.past or not (verb in _IS or is_called):
        return None
    for value in head.children:
        if value.dep_ not in _COMPLEMENTS or value.i < head.i:
            continue
        if tells_one_role(subject) and (holder := holder_at(value, subject)):
            return subject, holder
        is_new = bool(clause.cues & {"now", "new"})
        if verb in _IS and tells_one_role(value, bare=is_new) and (holder := holder_at(subject, value)):
            return value, holder
    return None


def _takes_role(clause: Clause, head: Any, subject: Any) -> tuple[Any, str] | None:
    """Role and holder of "Tomas took over as head of operations" and "Lucia has been appointed head chef"."""
    table = role_table()["taking"]
    forms = table.get(predicate_of(head)) or table.get(lemma(head))
    is_undergone = subject.dep_ == "nsubjpass"
    if (
        forms is None
        or clause.denied
        or is_future(head)
        or (is_undergone and lemma(head) in ("replace", "succeed"))
    ):
        return None
    person = subject
    if not is_undergone and lemma(head) in ("appoint", "elect", "make", "name", "promote"):
        # "The board appointed Ann Poole as treasurer"
        things = [child for child in head.children if child.dep_ in ("dobj", "nsubj") and child.i > head.i]
        if not things:
            return None
        person = things[0]
    for child in (*head.children, *person.children):
        roles = []
        if child.dep_ == "prep" and lemma(child) in forms:
            roles = [each for each in child.children if each.dep_ == "pobj"]
        elif (
            "complement" in forms and child.dep_ in _COMPLEMENTS and child.i > head.i and child.i != person.i
        ):
            roles = [child]
        for role in roles:
            if tells_one_role(role, bare=True) and (holder := holder_at(person, role)):
                return role, holder
    return None


def _has_holder(clause: Clause, head: Any, subject: Any) -> tuple[Any, str] | None:
    """Role and holder of "we have a new accountant, Piers Fell" and "there's a new head chef: Lucia Prat"."""
    if lemma(head) not in _HAVING or clause.denied or "new" not in clause.cues:
        return None
    is_there = any(child.dep_ == "expl" for child in head.children)
    is_of_speaker = is_there if subject is None else subject.text.lower() in ("we", "i")
    for role in head.children if is_of_speaker else ():
        is_new = any(lemma(child) == "new" for child in role.children)
        if role.dep_ not in ("dobj", "attr") or role.tag_ == "NNS" or not (is_new and is_role_noun(role)):
            continue
        for name in (below for child in role.children for below in _named_by(child)):
            if holder := holder_at(name, role):
                return role, holder
    return None


def _named_by(child: Any) -> list[Any]:
    """The names that a word below a noun gives to it: an apposition, or those of "called Piers Fell"."""
    if child.dep_ == "acl" and lemma(child) in ("call", "name"):
        return [each for each in child.children if each.dep_ in ("oprd", "dobj")]
    return [child] if child.dep_ == "appos" else []


def who_left(clause: Clause, head: Any, subject: Any) -> frozenset[str]:
    """Words of the name of a person who has left an organisation or a role, in lower case; empty if there is none.

    Args:
        clause: The clause.
        head: Its head.
        subject: Its subject; None if it has none.
    """
    if subject is None or not clause.stated or clause.past_dated or is_future(head):
        return frozenset()
    person = _one_let_go(head) or subject
    is_person = person.pos_ == "PROPN" and person.ent_type_ not in ("DATE", "TIME", "NORP", "LANGUAGE")
    if not is_person or not (_leaves(head, person, subject) or _works_no_more(head)):
        return frozenset()
    names = [
        person,
        *(child for child in person.children if child.dep_ == "compound" and child.pos_ == "PROPN"),
    ]
    return frozenset(each.text.lower() for each in names)


def left_role(head: Any) -> str:
    """Noun of the role that a person has left, in "stepped down as treasurer"; empty if none is named."""
    for child in head.children:
        if child.dep_ == "prep" and lemma(child) == "as":
            return next((attribute_of_role(each) for each in child.children if each.dep_ == "pobj"), "")
    return ""


def _one_let_go(head: Any) -> Any:
    """The person of "we let Dana go" and "they fired Dana"; None if there is none."""
    if lemma(head) == "let":
        below = next(
            (child for child in head.children if child.dep_ == "ccomp" and lemma(child) == "go"), None
        )
        return (
            None if below is None else next((each for each in below.children if each.dep_ in SUBJECTS), None)
        )
    if {predicate_of(head), lemma(head)} & set(role_table()["leaving"]["undergone"]):
        return next((child for child in head.children if child.dep_ == "dobj"), None)
    return None


def _leaves(head: Any, person: Any, subject: Any) -> bool:
    """Whether a clause tells that a person has left permanently: "has left", "left the firm", "was fired"."""
    table = role_table()["leaving"]
    verbs = {predicate_of(head), lemma(head)}
    if is_denied(head):
        return False
    if person.i != subject.i or (subject.dep_ == "nsubjpass" and verbs & set(table["undergone"])):
        return is_past(head) or _is_perfect(head)
    if not verbs & set(table["verbs"]) or head.tag_ not in ("VBD", "VBN"):
        return False
    objects = [child for child in head.children if child.dep_ in ("dobj", "xcomp", "attr", "oprd")]
    if any(lemma(each) not in table["things"] for each in objects):
        return False
    beside = list(_beside(head))
    if not all(map(_is_for_good, beside)):
        return False
    # "Dana left" may be for the day.
    return (
        bool(objects)
        or lemma(head) != "leave"
        or _is_perfect(head)
        or any(_is_month(each) for each in beside)
    )


def _is_perfect(head: Any) -> bool:
    """Whether a verb stands in the present perfect, or in a "has been" of it."""
    return any(child.dep_ == "aux" and lemma(child) in ("have", "'ve", "'s") for child in head.children)


def _beside(head: Any) -> Iterator[Any]:
    """The nouns and adverbs beside a verb that tell where a person went, when, and for how long."""
    for child in head.children:
        if child.dep_ == "prep" and lemma(child) != "as":
            yield from (each for each in child.children if each.dep_ in ("pobj", "pcomp"))
        elif child.dep_ in ("npadvmod", "advmod", "advcl"):
            yield child


def _is_for_good(word: Any) -> bool:
    """Whether a word beside "has left" leaves the departure a permanent one: no time of the day, errand or "early"."""
    if word.dep_ == "advmod":
        return lemma(word) in {
            "already",
            "now",
            "finally",
            "recently",
            "also",
            "sadly",
            "down",
            "since",
            "on",
            "aside",
        }
    if word.dep_ in ("advcl", "pcomp"):
        return False
    if word.ent_type_ in ("DATE", "TIME"):
        return _is_month(word)
    return word.ent_type_ in _PLACES or lemma(word) in role_table()["leaving"]["things"]


def _is_month(word: Any) -> bool:
    """Whether a word is a day, month or year on which a person left permanently: "in March", "last month"."""
    said = " ".join(token.text.lower() for token in word.subtree)
    return word.ent_type_ == "DATE" and not any(
        day in said for day in ("day", "today", "tonight", "week-end", "weekend")
    )


def _works_no_more(head: Any) -> bool:
    """Whether a clause tells that a person works here no more."""
    if lemma(head) == "be":
        return is_denied(head) and tells_no_more(head) and _is_with_us(head)
    return (
        lemma(head) == "work"
        and is_denied(head)
        and not is_past(head)
        and (tells_no_more(head) or _is_with_us(head))
    )


def _is_with_us(head: Any) -> bool:
    """Whether a clause names the place of the speaker: "here", "with us"."""
    return any(
        child.text.lower() in _HERE or any(each.text.lower() in _HERE for each in child.children)
        for child in head.children
        if child.dep_ in ("advmod", "prep")
    )
