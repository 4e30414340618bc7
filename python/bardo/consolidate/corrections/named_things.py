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


def is_of_another_name(older: Clause, newer: Clause) -> bool:
    """Whether both clauses give a value of other things by their names: "the limit on Enel", "that for Brent".

    "25, not 20" ends the 20 of the thing itself. Two things without names can be the same in other words, unless
    another attribute is told.
    """
    if _measure_others(older, newer):
        return True
    one, other = older.statement, newer.statement
    if one is None or other is None or not (one.functional and other.functional):
        return False
    if one.subject == older.owner or other.subject == newer.owner:
        return False
    if not (newer.features.get("subject thing") and older.features.get("subject thing")):
        return False
    ours, theirs = set(one.subject.split()), set(other.subject.split())
    if ours & theirs or ours & newer.anchors or theirs & older.anchors:
        return False
    return one.attribute != other.attribute or bool(ours & older.names or theirs & newer.names)


def _measure_others(older: Clause, newer: Clause) -> bool:
    """Whether both clauses give figures of one kind for other things: "the Brent limit", "the limit on copper".

    Each has before its predicate a word for the kind, and another one that the other clause does not have.
    """
    if not (older.figures and newer.figures) or (older.condition and newer.condition):
        return False
    ours, theirs = (
        set(each.topic) & each.anchors - each.figures - set(each.condition.split()) for each in (older, newer)
    )
    said, known = (each.anchors | each.names | each.objects | each.left for each in (newer, older))
    return bool(ours & theirs and ours - theirs - said and theirs - ours - known)
