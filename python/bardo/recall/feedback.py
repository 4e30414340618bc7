"""Outcomes of acting on memories: the only feedback that raises or lowers confidence (law 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bardo._core import FactStore, judge_facts
from bardo.errors import InvalidInputError, NotFoundError

#: Sources of what the agent lived, concluded or dreamt itself, or its user gave it.
OWN_SOURCES = frozenset({"self", "dream", "upload", "derived"})


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """Which facts an outcome moved.

    Args:
        ids: The facts that were acted on.
        reinforced: How many of them rose.
        weakened: How many fell.
        earned: Those that were handed down and are the agent's own from now on: spaced outcomes bore them out.
        missing: Facts that were acted on and are not there any more.
        notes: What could not be done, in words.
    """

    ids: tuple[str, ...]
    reinforced: int
    weakened: int
    earned: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def checked_value(value: float) -> float:
    """An outcome from -1 (it went as badly as can be) to 1.

    Raises:
        InvalidInputError: It is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1.0 <= value <= 1.0:
        raise InvalidInputError(f"value is {value!r}. It must be a number from -1 to 1")
    return float(value)


def standing(facts: FactStore, ids: Sequence[str]) -> tuple[str, ...]:
    """Those of these facts that are there.

    Raises:
        InvalidInputError: One of them is no id.
    """
    return tuple(id_ for id_, fact in zip(ids, facts.get(list(ids)), strict=True) if fact is not None)


def _unconfirmed_inherited(facts: FactStore, ids: Sequence[str]) -> frozenset[str]:
    """Those of these facts that others lived and the agent has not borne out."""
    found = facts.get(list(ids))
    return frozenset(fact.id for fact in found if fact is not None and fact.source not in OWN_SOURCES)


def apply(
    facts: FactStore, ids: Sequence[str], value: float, *, tick: int, reinforcement: float
) -> OutcomeReport:
    """Moves the confidence of facts; what was forgotten meanwhile is left out.

    Args:
        facts: Where they are kept.
        ids: The facts that were acted on.
        value: From -1 to 1; its size scales the step.
        tick: Now.
        reinforcement: Fraction of the gap that an outcome of size 1 closes.
    """
    there = standing(facts, ids)
    heard = _unconfirmed_inherited(facts, there) if value > 0 else frozenset()
    while True:
        try:
            moved = judge_facts(facts, there, value, tick=tick, reinforcement=reinforcement) if there else 0
            break
        except NotFoundError:
            # Another process forgot one since they were looked up; none was moved.
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
