"""Telephone numbers of people: "her mobile: ..." belongs to the person whom its sentence or the one before names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages.english.dates import bounds
from bardo.model import Statement

_PHONE = r"(?:mobile|cell|phone|telephone|landline)"
_NOUN = rf"(?P<noun>(?:(?:{_PHONE}|office|home|work) )?number|(?:(?:office|home|work) )?{_PHONE})"
_QUALIFIERS = r"(?:(?:new|current|private|own|direct|correct) )*"
_NAME = r"(?P<name>(?:(?:Mrs|Mr|Ms|Dr|Prof)\.? )?[A-Z][\w-]+(?: [A-Z][\w-]+){0,2})"
#: A telephone number: groups of digits that begin with 0 or +.
_NUMBER = re.compile(r"(?<![\w.-])(?P<number>(?:\+\d|\(?0)\d*(?:[ /()-]{0,2}\d{2,})+)(?![\w-])")
#: Number without a person before its noun: "has a new number", "mobile 0171 2359988", but not "policy number".
_PLAIN = re.compile(rf"(?i)\b(?:a|the) {_QUALIFIERS}{_NOUN}\b|\b(?P<bare>{_PHONE}(?: number)?)\b")
_OF_PRONOUN = re.compile(rf"(?i)\b(?:her|his|their) {_QUALIFIERS}{_NOUN}\b")
_OF_SPEAKER = re.compile(rf"(?i)\b(?:my|our) {_QUALIFIERS}{_NOUN}\b")
_OF_NAME = (
    re.compile(rf"{_NAME}['’]s? (?i:{_QUALIFIERS}{_NOUN})\b"),
    re.compile(rf"(?:^|[,:;] |\b(?i:the|a) (?i:{_QUALIFIERS}))(?i:{_NOUN}) (?:of|for) {_NAME}"),
    re.compile(rf"\b(?i:call|phone|reach|ring|text) {_NAME} (?:at|on|under|via)(?: (?:the )?(?i:{_NOUN}))? "),
    re.compile(
        rf"{_NAME} (?:\w+ ){{1,4}}(?:called|phoned|reached|rung|texted) (?:at|on|under|via)(?: (?:the )?(?i:{_NOUN}))? "
    ),
    re.compile(
        r"(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+){1,2})(?:,| \()(?P<noun>) ?(?=\(?[+0](?:[ /()-]{0,2}\d){7})"
    ),
)
_TITLE = re.compile(r"(?i)^(?:mrs|mr|ms|dr|prof)\.? ")
#: Verbs of a clause that says no more than a number.
_BARE = frozenset({"be", "call", "change", "get", "have", "phone", "reach", "ring", "text"})
#: Kinds of a number beside that of a mobile, which is the one without a kind.
_KINDS = frozenset({"home", "landline", "office", "work"})


def with_phones(clauses: Sequence[Clause], speech: Speech) -> Sequence[Clause]:
    """The clauses of a text, with those that give the telephone number of a person.

    Args:
        clauses: The clauses.
        speech: The text.
    """
    return [each for place in range(len(clauses)) for each in _with_phone(clauses, place, speech)]


def _with_phone(clauses: Sequence[Clause], place: int, speech: Speech) -> Iterator[Clause]:
    """A clause, with the one that gives a number: instead of it if it says no more."""
    clause, who = clauses[place], speech.who
    numbers = list(_NUMBER.finditer(clause.sentence))
    is_last = place + 1 == len(clauses) or clauses[place + 1].sentence != clause.sentence
    is_told = len(numbers) == 1 and clause.stated and not clause.denied and "?" not in clause.sentence
    # A sentence has one clause for its number.
    found = _person_and_noun(clauses, place, who) if is_told and is_last else None
    if found is None:
        yield clause
        return
    person, noun = found
    is_of_holder = clause.statement is not None and person in clause.statement.value
    is_bare = "verbless" in clause.features or (clause.predicate in _BARE and not is_of_holder)
    if not is_bare:
        yield clause
    key = who.lower() if person == who else _TITLE.sub("", person).lower()
    since, until = bounds(clause.sentence, speech.at, past=False)
    dated = replace(clause, since=since, until=until)
    yield _phone_of(dated, person, key, noun.lower(), numbers[0]["number"])


def _phone_of(clause: Clause, person: str, key: str, noun: str, number: str) -> Clause:
    """The clause that gives the number of a person.

    Args:
        clause: The clause as it is read without the number.
        person: Name of the person as written.
        key: The same in lower case, without a title.
        noun: Word for the number.
        number: The number.
    """
    kind = next((word for word in noun.split() if word in _KINDS), "")
    words = frozenset(key.split())
    return replace(
        clause,
        text=f"{person}'s {noun if noun != 'number' else 'phone number'} is {number}",
        owner=key,
        alias="",
        context="",
        predicate="be",
        topic=(*key.split(), noun),
        comment=("be", number),
        anchors=words | {noun},
        names=words,
        figures=frozenset({number}),
        objects=frozenset({number}),
        past=False,
        ended=frozenset(),
        cues=clause.cues - {"bound", "denial", "ending"},
        statement=Statement(key, "phone", number, condition=kind, since=clause.since, until=clause.until),
        features={**clause.features, "subject named": 1.0},
    )


def _person_and_noun(clauses: Sequence[Clause], place: int, who: str) -> tuple[str, str] | None:
    """Name of the person whose number a clause gives, and the word for it; None if it names none."""
    clause = clauses[place]
    said = clause.sentence
    if (match := _OF_SPEAKER.search(said)) is not None:
        is_known = clause.statement is not None and clause.statement.attribute == "phone"
        return (who, match["noun"]) if who and not is_known else None
    for pattern in _OF_NAME:
        if (match := pattern.search(said)) is not None:
            return match["name"], match["noun"] or "number"
    match = _OF_PRONOUN.search(said)
    is_of_pronoun = match is not None
    match = match or _PLAIN.search(said)
    if match is None:
        return None
    here = [each for each in clauses[: place + 1] if each.sentence == said]
    before = [each for each in clauses[:place] if each.sentence != said]
    last = [each for each in before if each.sentence == before[-1].sentence] if before else []
    # "Mobile: ..." alone may be that of anybody.
    near = (here, last) if is_of_pronoun else (here,)
    named = (name for group in near for each in reversed(group) if (name := _name_of(each)))
    noun = match["noun"] or match["bare"]
    return next(((name, noun) for name in named), None)


def _name_of(clause: Clause) -> str:
    """Name of the person that a clause is about, as written; empty for others."""
    if "subject named" not in clause.features:
        return ""
    written = re.search(rf"(?i)(?<!\w){re.escape(clause.owner)}(?!\w)", clause.sentence)
    return written[0] if written is not None and written[0][:1].isupper() else ""
