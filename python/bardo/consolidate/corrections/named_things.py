"""Clauses that give an attribute of one thing: "the owner of tollgate is Ilse"."""

from __future__ import annotations

from bardo.consolidate.clause import Clause


def is_renewed(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause says what an attribute of a thing is now, and the older one what it is, in one wording.

    "The on-call engineer for lighter is now Marek" needs no attribute that the vocabulary has.
    """
    is_of_thing = " of " in newer.owner or " for " in newer.owner
    return is_of_thing and older.owner == newer.owner and {"now"} == newer.cues


def is_of_one_thing(clause: Clause) -> bool:
    """Whether a clause gives an attribute of a thing that it names, or the new one of a thing that it describes.

    "The owner of tollgate is Ilse" is of one thing. "The price of the ticket" can be that of another ticket, but not
    with "is now".
    """
    stated = clause.statement
    if stated is None or stated.subject == clause.owner or " of " not in clause.owner:
        return False
    return " of the " not in clause.owner or bool(clause.cues & {"change", "correction", "now"})
