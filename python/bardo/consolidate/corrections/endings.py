"""Ends and changes that a newer clause tells: of a thing that an older one states, or of other things and people."""

from __future__ import annotations

from bardo._core import stems
from bardo.consolidate.attributes import may_change_together
from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import is_same_owner, said_of, words_of

#: Verbs by which a person has committed to what is to come.
_COMMITTING = frozenset({
    "apply", "book", "enrol", "enroll", "enter", "join", "order", "plan", "register", "reserve", "schedule", "sign",
    "sign up", "subscribe",
})  # fmt: skip
#: Cues by which a clause corrects more than the thing that it ends.
_CORRECTING = frozenset({"correction", "from", "instead"})


def ends_another(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause ends a detail of an older one, or a relation or state of others."""
    if "ending" not in newer.cues or newer.cues & _CORRECTING:
        return False
    return _ends_detail(older, newer) or _parts_others(older, newer)


def _ends_detail(older: Clause, newer: Clause) -> bool:
    """Whether an older clause names what a newer one ends only to describe another thing.

    "Sold the bath" ends no booking of "a flat with a bath".
    """
    named = newer.ended & (older.anchors | older.names | older.objects)
    return bool(named) and named <= older.details


def _parts_others(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause ends a relation of others, of whom an older one does not name all.

    "Kit and Struan have split" says nothing of "Struan has a bicycle", nor of the pets of the speaker.
    """
    if not newer.parts or not newer.owner or newer.features.get("self") or is_same_owner(older, newer):
        return False
    people = words_of(newer.owner) - {"and"}
    return not people <= said_of(older) | older.holders


def changes_another(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause gives the new value of a thing that an older one does not name.

    "Changed the alarm, it's 4096 now" gives no telephone number.
    """
    known = older.anchors | older.names | older.objects | words_of(older.owner)
    return bool(newer.changed) and newer.changed not in known


def restores_same(older: Clause, newer: Clause) -> bool:
    """Whether both clauses tell that a change was taken back: the value that holds again is no value of the change.

    Of the clauses of a fact, that of the record which restored its value tells so.
    """
    return older.restores and newer.restores and newer.statement is None


def ends_unnamed(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause says what it ends, and an older one neither names that nor states it.

    "Finished with the crossword" ends no medicine. "I quit my job" ends an employer without naming it.
    """
    if "ending" not in newer.cues or not newer.ended or newer.cues & _CORRECTING:
        return False
    named = older.anchors | older.names | older.objects | words_of(older.predicate) | words_of(older.owner)
    attribute = older.statement.attribute if older.statement is not None else ""
    is_stated = any(word == attribute or may_change_together(word, attribute) for word in newer.ended)
    # "Removed type checking" names the check of "gets type-checked".
    return not (_stems(newer.ended) & _stems(named) or is_stated)


def gives_up(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends what the older one has committed to: "cancelled the hotel" after "booked" it."""
    names = (older.objects | older.names | older.anchors) - older.details
    return older.predicate in _COMMITTING and "ending" in newer.cues and bool(newer.ended & names)


def _stems(words: frozenset[str]) -> set[str]:
    """Stems of some words."""
    return {stem for stem in stems(sorted(words)) if stem}
