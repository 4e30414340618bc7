"""New values that follow the sentence which announces them: "Perry put the rent up. 1,310 from September"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.clause import Clause
from bardo.model import Statement

#: Verbs by which a value gets another one.
_ADJUSTING = frozenset({
    "adjust", "bring down", "change", "cut", "drop", "go down", "go up", "hike", "increase", "lower", "put down",
    "put up", "raise", "reduce",
})  # fmt: skip
#: A value at the beginning of a sentence, up to the words of its time.
_VALUE = re.compile(
    r"^(?:(?:it['’]s|now|to) )*(?P<value>[€$£]?\d[\d.,]*(?: [^\W\d]+){0,3}?)"
    r"(?=[.!]?$|[,;]| (?:from|as of|since|starting|now)\b)",
    re.IGNORECASE,
)


def with_told_values(clauses: Sequence[Clause], attributes: AttributeTable) -> list[Clause]:
    """The clauses of a text, each bare value with the attribute that the clause right before it changes.

    Args:
        clauses: The clauses.
        attributes: Table of attributes.
    """
    found = list(clauses)
    for place in range(1, len(found)):
        clause, before = found[place], found[place - 1]
        value = _VALUE.match(clause.sentence)
        is_bare = clause.statement is None and "verbless" in clause.features and clause.stated
        if value is None or not is_bare or clause.sentence == before.sentence:
            continue
        if (noun := _changed(before, attributes)) is not None:
            found[place] = _told(clause, noun, value["value"].rstrip(".,"))
    return found


def _changed(clause: Clause, attributes: AttributeTable) -> str | None:
    """The attribute with one value that a clause changes without the new value; None if it changes none."""
    if not clause.stated or clause.denied or clause.figures or clause.predicate not in _ADJUSTING:
        return None
    things = clause.objects or frozenset(clause.topic)
    named = [each for each in things if attributes.is_named(each) and attributes.attribute(each).functional]
    return named[0] if len(named) == 1 and not clause.holders else None


def _told(clause: Clause, noun: str, value: str) -> Clause:
    """A bare value as the statement of its attribute."""
    rest = clause.told or clause.sentence
    return replace(
        clause,
        text=f"The {noun} is {rest[:1].lower()}{rest[1:]}".rstrip(".!"),
        owner=noun,
        anchors=clause.anchors | {noun},
        cues=clause.cues | {"change"},
        is_completed=True,
        statement=Statement(noun, noun, value, since=clause.since, until=clause.until, functional=True),
    )
