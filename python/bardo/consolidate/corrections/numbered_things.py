"""Clauses about different things of a kind that numbers or letters name: "flat 3" is not "flat 11"."""

from __future__ import annotations

from collections.abc import Collection

from bardo.consolidate.clause import Clause

#: Things of a clause, each as its kind and its number.
Numbered = Collection[tuple[str, str]]


def is_of_another_number(older: Clause, newer: Clause) -> bool:
    """Whether one of two clauses is about a numbered thing, and the other names others of that kind alone.

    A number behind the predicate is a value: "Mrs Wolff lives in flat 3" gives way to "Mrs Wolff moved to flat 5".
    """
    return _are_apart(older.numbered_topic, newer.numbered) or _are_apart(
        newer.numbered_topic, older.numbered
    )


def _are_apart(topic: Numbered, others: Numbered) -> bool:
    """Whether the numbers of a kind of thing differ altogether, in the topic of a clause and in another clause."""
    return any(
        _numbers(topic, kind).isdisjoint(known) for kind, _ in topic if (known := _numbers(others, kind))
    )


def _numbers(things: Numbered, kind: str) -> set[str]:
    """The numbers of the things of a kind."""
    return {number for each, number in things if each == kind}
