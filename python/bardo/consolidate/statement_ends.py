"""Statements that have ended by their `until`: facts that hold no longer, also before a pass of the Curator says so."""

from __future__ import annotations

import bisect
import threading
from dataclasses import dataclass, field

from bardo import _core
from bardo.model import Fact


def has_ended(fact: Fact, now: int) -> bool:
    """Whether the statement of a fact has ended.

    Args:
        fact: Fact of any status.
        now: Present time, microseconds UTC.
    """
    until = fact.statement.until if fact.statement else None
    return until is not None and until <= now


@dataclass(slots=True)
class StatementEnds:
    """The ends of all statements in force, read again when facts changed. Safe to share among threads.

    Args:
        facts: Fact store; another process may change it.
    """

    facts: _core.FactStore
    _ids: tuple[str, ...] = ()
    _ends: tuple[int, ...] = ()
    _learned: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ended(self, now: int) -> tuple[str, ...]:
        """The ids of the facts that have ended and that no pass has retired yet.

        Args:
            now: Present time, microseconds UTC.
        """
        with self._lock:
            learned = self.facts.last_learned
            if learned != self._learned:
                found = self.facts.statement_ends()
                self._ids = tuple(id_ for id_, _ in found)
                self._ends = tuple(end for _, end in found)
                self._learned = learned
            return self._ids[: bisect.bisect_right(self._ends, now)]
