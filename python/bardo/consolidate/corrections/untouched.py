"""Older clauses that a newer one leaves as they are: values, events of before, and habits beside a prohibition."""

from __future__ import annotations

import re

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.correction_rules import words_of

#: Things that are left as they are, and words for a dose.
_LEFT_ALONE = re.compile(
    r"\b(?:leav(?:e|es|ing)|left|keep(?:s|ing)?|kept) (?P<thing>(?:[\w-]+ ){1,4}?)"
    r"(?:alone|as (?:it|they) (?:is|are)|as is|unchanged|the same)\b",
    re.IGNORECASE,
)
_OF_DOSES = frozenset({"dosage", "dose", "doses", "medication", "medicine", "meds", "pills", "tablets"})
_SINCE = re.compile(r"\bsince\b", re.IGNORECASE)
#: Cues by which a clause may take a prohibition back.
_TAKING_BACK = frozenset({"change", "correction", "ending", "from", "instead", "now"})


def is_left_alone(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause leaves a thing or dose of the older one as it is: "wants to leave the dose alone"."""
    left = None if newer.denied else _LEFT_ALONE.search(newer.sentence)
    if left is None:
        return False
    things = words_of(left["thing"].casefold())
    is_dosed = bool(older.doses or older.new_doses or older.bare_dose)
    return bool(things & (older.anchors | older.objects)) or (is_dosed and bool(things & _OF_DOSES))


def denies_since_event(older: Clause, newer: Clause) -> bool:
    """Whether the newer clause denies for the time since a day what the older one tells of an event before it.

    "He hasn't had a fit since August" leaves "he had two fits this week", which was said before, as it happened.
    """
    is_of_time = older.past and newer.denied and bool(_SINCE.search(newer.sentence))
    return is_of_time and not newer.cues & {"correction", "instead"}


def is_apart_from_order(older: Clause, newer: Clause) -> bool:
    """Whether one of two clauses forbids something, and the other one tells or forbids something else.

    "Don't suggest meat on Fridays" and "I run on Sunday mornings" tell nothing of each other: gates know what is
    forbidden.
    """
    if not (_forbids(older) or _forbids(newer)) or older.predicate == newer.predicate or newer.retracted:
        return False
    cues = newer.cues & (_TAKING_BACK - {"ending", "now"} if _forbids(newer) else _TAKING_BACK)
    return not cues


def _forbids(clause: Clause) -> bool:
    """Whether a clause is a prohibition."""
    return clause.is_order and clause.denied
