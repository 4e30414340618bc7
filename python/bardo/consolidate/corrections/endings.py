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
#: Attributes of complaints, and words by which one speaks of them.
_COMPLAINTS = frozenset({"allergy", "condition", "diet", "intolerance"})
_WORDS_FOR_COMPLAINTS = frozenset({
    "allergy", "business", "condition", "intolerance", "issue", "problem", "sensitivity", "thing", "trouble",
})  # fmt: skip
#: Cues by which a clause corrects more than the thing that it ends.
_CORRECTING = frozenset({"correction", "from", "instead"})


def ends_another(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause ends a detail of an older one, or a relation or state of others."""
    if "ending" not in newer.cues or newer.cues & _CORRECTING:
        return False
    return _ends_detail(older, newer) or _parts_others(older, newer) or _ends_allergen(older, newer)


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


def ends_complaint(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause tells the end of an allergy or the like by a word for it: "the kiwi thing is gone".

    Its person is named beside it, or is the speaker where no name stands.
    """
    stated = older.statement
    if stated is None or stated.denied or older.denied or stated.attribute not in _COMPLAINTS:
        return False
    if (
        "ending" not in newer.cues
        or newer.denied
        or not newer.stated
        or not newer.ended & _WORDS_FOR_COMPLAINTS
    ):
        return False
    named = newer.anchors | words_of(newer.owner)
    value = words_of(stated.value.casefold())
    if not value or not _stems(value) <= _stems(named):
        return False
    said = words_of(f"{newer.context} {newer.lead} {newer.sentence}".casefold().replace(":", " "))
    people = {words_of(name) for name in (older.owner, older.alias) if name}
    if any(name <= said for name in people):
        return True
    is_of_nobody = not newer.names and not newer.holders and not newer.context
    return bool(older.features.get("self")) and is_of_nobody


def _ends_allergen(older: Clause, newer: Clause) -> bool:
    """Whether a newer clause tells the end of a thing to which the older one tells an allergy: "the kiwi is gone"."""
    stated = older.statement
    is_of_thing = "ending" in newer.cues and bool(newer.features.get("subject thing"))
    if stated is None or stated.attribute not in ("allergy", "intolerance") or not is_of_thing:
        return False
    return not (newer.ended | newer.anchors | words_of(newer.owner)) & _WORDS_FOR_COMPLAINTS


def gives_up(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause ends what the older one has committed to: "cancelled the hotel" after "booked" it."""
    names = (older.objects | older.names | older.anchors) - older.details
    return older.predicate in _COMMITTING and "ending" in newer.cues and bool(newer.ended & names)


def _stems(words: frozenset[str]) -> set[str]:
    """Stems of some words."""
    return {stem for stem in stems(sorted(words)) if stem}
