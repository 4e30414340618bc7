"""Counts the regimes that the payloads of a log name, and their changes, for the reflection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bardo.clock import day_of
from bardo.consolidate.pages.wording import counted, one_line
from bardo.model import Episode

#: Names under which a payload tells the regime, as in the Curator (`consolidate/bloodstains.rs`).
_NAMES = ("regime", "market_regime")
#: Maximum number of regimes that the sentence names.
_NAMED = 5
#: Maximum depth of a payload that is read.
_DEPTH = 4


class Regimes:
    """Regimes of the episodes of a log."""

    def __init__(self) -> None:
        self._episodes: Counter[str] = Counter()
        self._now: dict[tuple[str, ...], str] = {}
        self._last: str | None = None
        # Regimes of several markets alternate in the log, and one regime reaches several subjects: the true number of
        # changes is the smaller one.
        self._changes: list[int] = []
        self._changes_by_subject: list[int] = []

    def add(self, episode: Episode) -> None:
        """Counts the regime of the next episode of the log, if it names one."""
        regime = next(_named(episode.payload), None)
        if regime is None:
            return
        self._episodes[regime] += 1
        if self._last not in {None, regime}:
            self._changes.append(episode.tick)
        if self._now.get(episode.subjects, regime) != regime:
            self._changes_by_subject.append(episode.tick)
        self._last = self._now[episode.subjects] = regime

    def sentence(self, moment: Callable[[int], int | None]) -> str:
        """Describes the regimes: `The regime was bull in 40 episodes and bear in 20 episodes, and changed once`.

        Args:
            moment: Returns the instant of a tick in microseconds UTC, None if no record tells it.

        Returns:
            Sentence; empty if no episode names a regime.
        """
        if not self._episodes:
            return ""
        shown = [
            f"{regime} in {counted(count, 'episode')}" for regime, count in self._episodes.most_common(_NAMED)
        ]
        more = len(self._episodes) - len(shown)
        shown += [f"another of {more} in the rest"] * bool(more)
        told = f"The regime was {', '.join(shown[:-1])}{' and ' * (len(shown) > 1)}{shown[-1]}"
        changes = min(self._changes, self._changes_by_subject, key=len)
        if not changes:
            return f"{told}."
        at = moment(changes[-1])
        last = f", the last time on {day_of(at)}" if at is not None else ""
        return f"{told}; it changed {counted(len(changes), 'time')}{last}."


def _named(payload: Any, depth: int = 0) -> Iterator[str]:
    """Yields the regimes in a payload, outer ones first."""
    if not isinstance(payload, Mapping) or depth == _DEPTH:
        return
    for name in _NAMES:
        if isinstance(regime := payload.get(name), str) and regime.strip():
            yield one_line(regime)
    for inner in payload.values():
        yield from _named(inner, depth + 1)
