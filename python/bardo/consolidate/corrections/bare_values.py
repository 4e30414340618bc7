"""Corrections that leave the attribute out: "correction: flat 3 is 890" after "the rent of flat 3 is 980 euro".

The attribute is that of the one known statement about the thing whose value is a figure of that kind. Of several, each
is disputed: the correction says not which one it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bardo.consolidate.clause import Clause
from bardo.model import Fact, Statement

#: Attribute of "the gateway is 45 seconds", which names none.
_GENERIC = "is"
_FIGURE = re.compile(r"\d[\d.,:]*")
_WORD = re.compile(r"\w+")


def lacks_attribute(clause: Clause) -> bool:
    """Whether a clause corrects a value by a figure of a thing alone."""
    is_unnamed = clause.statement is None or clause.statement.attribute == _GENERIC
    is_bare = is_unnamed and bool(clause.figure and clause.owner)
    return is_bare and clause.stated and "correction" in clause.cues


def completed(clauses: Sequence[Clause], known: Callable[[Clause], Sequence[Fact]]) -> Sequence[Clause]:
    """The clauses of a text, with the attributes that bare corrections among them leave out.

    Args:
        clauses: The clauses.
        known: Returns the facts that a clause may correct.
    """
    if not any(map(lacks_attribute, clauses)):
        return clauses
    return [_completed(clause, known(clause)) if lacks_attribute(clause) else clause for clause in clauses]


def may_correct(stated: Statement | None, newer: Clause) -> bool:
    """Whether a bare correction can be one of a statement: of its thing, by another figure of the same kind."""
    if stated is None or not lacks_attribute(newer) or stated.denied or not stated.functional:
        return False
    is_of_thing = set(_WORD.findall(newer.owner)) <= set(_WORD.findall(stated.subject.casefold()))
    old, new = _FIGURE.findall(stated.value), _FIGURE.findall(newer.figure)
    return (
        is_of_thing
        and len(old) == len(new) == 1
        and old != new
        and _unit(newer.figure) <= _unit(stated.value)
    )


def _completed(clause: Clause, facts: Sequence[Fact]) -> Clause:
    """A bare correction with the slot of the only statement that it can correct; else unchanged."""
    fitting = [fact for fact in facts if fact.status == "active" and may_correct(fact.statement, clause)]
    slots = {_slot(fact.statement) for fact in fitting if fact.statement is not None}
    if len(slots) != 1 or (stated := fitting[-1].statement) is None:
        return clause
    value = _FIGURE.sub(_FIGURE.findall(clause.figure)[0].rstrip(".,:"), stated.value)
    text = next((fact.text for fact in fitting if stated.value in fact.text), "")
    return replace(
        clause,
        text=text.replace(stated.value, value) or clause.text,
        is_completed=True,
        statement=replace(stated, value=value, since=clause.since, until=clause.until),
    )


def _slot(stated: Statement) -> tuple[str, str, str]:
    """Subject, attribute and case of a statement."""
    return stated.subject, stated.attribute, stated.condition


def _unit(value: str) -> frozenset[str]:
    """Words and signs of a value beside its figure, in lower case."""
    return frozenset(_FIGURE.sub(" ", value.casefold()).split())
