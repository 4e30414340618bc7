"""Statements that a caller gives outright, in the slots in which texts state the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause
from bardo.model import Fact


def in_slot_of_texts(fact: Fact, clauses: Sequence[Clause]) -> Sequence[Clause]:
    """The clauses of a fact; that of an outright statement with the slot by which a text says it.

    "Levothyroxine dose" of Nadia is what a text states as the `dose` of `nadia levothyroxine`.

    Args:
        fact: The fact.
        clauses: Clauses of its text.
    """
    stated = fact.statement
    if stated is None or fact.evidence or len(clauses) != 1:
        return clauses
    qualifier, _, attribute = stated.attribute.casefold().replace("_", " ").rpartition(" ")
    if not qualifier or BUILT_IN.is_named(stated.attribute) or not BUILT_IN.is_named(attribute):
        return clauses
    slot = replace(stated, subject=f"{stated.subject} {qualifier}".casefold(), attribute=attribute)
    return (replace(clauses[0], owner=stated.subject.casefold(), statement=slot),)
