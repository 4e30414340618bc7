"""Entry of conduct in the form that a prompt accepts: fenced as data, dated and sourced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class EntryMemory:
    """Entry in the form that a prompt accepts.

    Args:
        text: Text of the entry.
        at: Wall clock, microseconds UTC.
        source: Author.
        tick: Second of the date, so that it is not shown beside it.
    """

    text: str
    at: int
    source: str
    tick: int
    layer: str = "fact"
    confidence: float | None = None
    inherited: bool = False
    record: Any = None


def told(text: str, at: int, by: str) -> EntryMemory:
    """Makes the form of an entry for a prompt."""
    return EntryMemory(text, at, by or "self", at // _MICROSECONDS)
