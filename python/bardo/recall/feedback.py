"""Feedback from outcomes of acting on memories, which alone raises or lowers confidence (law 5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bardo._core import FactStore, judge_facts
from bardo.errors import InvalidInputError, NotFoundError

#: Sources of the agent's own facts: experienced, inferred or dreamt by itself, or given by its user.
OWN_SOURCES = frozenset({"self", "dream", "upload", "derived"})
_NOTE = re.compile(r"Outcome [+-]\d\.\d\d of acting on \d+ memories")


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """Report of the facts changed by an outcome.

    Args:
        ids: Ids of the facts acted on.
        reinforced: Number of facts whose confidence rose.
        weakened: Number of facts whose confidence fell.
        earned: Ids of inherited facts that became the agent's own, confirmed by spaced outcomes.
        missing: Ids of facts acted on that no longer exist.
        notes: Notes on steps that could not be done.
    """

    ids: tuple[str, ...]
    reinforced: int
    weakened: int
    earned: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def checked_value(value: float) -> float:
    """Validates an outcome, from -1 (the worst) to 1.

    Raises:
        InvalidInputError: It is not a number from -1 to 1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1.0 <= value <= 1.0:
        raise InvalidInputError(f"value is {value!r}. It must be a number from -1 to 1")
    return float(value)


def note_of(value: float, memories: int) -> str:
    """Returns the text of an outcome of which the caller wrote none.

    Args:
        value: Outcome, from -1 to 1.
        memories: Number of memories acted on.
    """
    return f"Outcome {value:+.2f} of acting on {memories} memories"


def is_note(text: str) -> bool:
    """Whether the text of an outcome says nothing but its value, as that of `note_of`."""
    return _NOTE.fullmatch(text) is not None


def standing(facts: FactStore, ids: Sequence[str]) -> tuple[str, ...]:
    """Returns the ids of existing facts among these.

    Raises:
        InvalidInputError: One of them is not an id.
    """
    return tuple(id_ for id_, fact in zip(ids, facts.get(list(ids)), strict=True) if fact is not None)


def _unconfirmed_inherited(facts: FactStore, ids: Sequence[str]) -> frozenset[str]:
    """Returns the ids of inherited facts among these that are not the agent's own yet."""
    found = facts.get(list(ids))
    return frozenset(fact.id for fact in found if fact is not None and fact.source not in OWN_SOURCES)


def apply(
    facts: FactStore, ids: Sequence[str], value: float, *, tick: int, reinforcement: float
) -> OutcomeReport:
    """Changes the confidence of facts; facts forgotten meanwhile are skipped.

    Args:
        facts: Fact store.
        ids: Ids of the facts acted on.
        value: Outcome, from -1 to 1; its absolute value scales the step.
        tick: Current tick.
        reinforcement: Fraction of the gap that an outcome of size 1 closes.
    """
    there = standing(facts, ids)
    heard = _unconfirmed_inherited(facts, there) if value > 0 else frozenset()
    while True:
        try:
            moved = judge_facts(facts, there, value, tick=tick, reinforcement=reinforcement) if there else 0
            break
        except NotFoundError:
            # Another process has deleted one since the lookup; none was changed.
            before, there = there, standing(facts, there)
            if there == before:
                raise
    missing = tuple(id_ for id_ in ids if id_ not in there)
    return OutcomeReport(
        there,
        reinforced=moved if value > 0 else 0,
        weakened=moved if value < 0 else 0,
        earned=tuple(sorted(heard - _unconfirmed_inherited(facts, there))),
        missing=missing,
        notes=(f"{len(missing)} facts are not there any more and were left out",) if missing else (),
    )
