"""People whom one text calls by name and another one by kinship: "my mum Helga lives in Kiel", "Mum moved"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bardo.consolidate.clause import Clause
from bardo.consolidate.drawn import Older


def kinship_of(clauses: Iterable[Clause]) -> dict[str, str]:
    """The kinship, such as `ida's mum`, of each person whom clauses give by name and kinship.

    A kinship with two names, as after a second marriage, tells of neither.
    """
    pairs = {(each.owner, each.alias) for each in clauses if each.alias and each.owner != each.alias}
    names = [name for name, _ in pairs]
    kinships = [kinship for _, kinship in pairs]
    return {name: kinship for name, kinship in pairs if names.count(name) == kinships.count(kinship) == 1}


def with_kinship(clauses: Sequence[Clause], known: dict[str, str]) -> Sequence[Clause]:
    """Clauses about people by name, with their kinship."""
    if not any(each.owner in known and not each.alias for each in clauses):
        return clauses
    return [
        replace(each, alias=known[each.owner]) if each.owner in known and not each.alias else each
        for each in clauses
    ]


def acquainted(newer: Clause, older: Sequence[Older]) -> tuple[Clause, Sequence[Older]]:
    """A clause and older records, with the kinship that any of them tells of a name."""
    known = kinship_of([newer, *(clause for record in older for clause in record.clauses)])
    if not known:
        return newer, older
    records = [replace(record, clauses=with_kinship(record.clauses, known)) for record in older]
    return with_kinship([newer], known)[0], records
