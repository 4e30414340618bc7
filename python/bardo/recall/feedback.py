"""What came of acting on memories: the only thing that raises or lowers confidence (law 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bardo._core import FactStore, judge_facts
from bardo.errors import InvalidInputError
from bardo.recall.found import Memory


@dataclass(frozen=True, slots=True)
class OutcomeReport:
    """Which facts an outcome moved.

    Args:
        ids: The facts that were acted on.
        reinforced: How many of them rose.
        weakened: How many fell.
    """

    ids: tuple[str, ...]
    reinforced: int
    weakened: int


def checked_value(value: float) -> float:
    """An outcome from -1 (it went as badly as can be) to 1.

    Raises:
        InvalidInputError: It is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1.0 <= value <= 1.0:
        raise InvalidInputError(f"value is {value!r}. It must be a number from -1 to 1")
    return float(value)


def apply(
    facts: FactStore, memories: Sequence[Memory], value: float, *, tick: int, reinforcement: float
) -> OutcomeReport:
    """Moves the confidence of the facts among memories.

    Args:
        facts: Where they are kept.
        memories: What was acted on.
        value: From -1 to 1; its size scales the step.
        tick: Now.
        reinforcement: Fraction of the gap that an outcome of size 1 closes.
    """
    ids = tuple(memory.id for memory in memories if memory.layer == "fact")
    moved = judge_facts(facts, ids, value, tick=tick, reinforcement=reinforcement) if ids else 0
    return OutcomeReport(ids, reinforced=moved if value > 0 else 0, weakened=moved if value < 0 else 0)
