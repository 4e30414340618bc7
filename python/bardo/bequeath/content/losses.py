"""Worst outcomes of a life, far below the others: what ended it, also in a life too short for warnings."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from bardo._core import LEAST_OUTCOMES, severe_deviations
from bardo.model import INHERITED_KIND, Episode
from bardo.recall import feedback

#: Number of other outcomes below which their spread is unknown.
LEAST_SPREAD = 8
#: Importance from which the worst of fewer outcomes is a severe loss.
SEVERE_IMPORTANCE = 0.8
#: Maximum depth of a payload that is read.
_DEPTH = 4
#: Standard deviations of a Gaussian in its median absolute deviation, and in its mean absolute deviation.
_OF_MEDIAN_DEVIATION, _OF_MEAN_DEVIATION = 1.4826, 1.2533


@dataclass(slots=True)
class _Group:
    """Outcomes of one name and kind of episode, with the episode of the worst."""

    values: array[float] = field(default_factory=lambda: array("d"))
    worst: Episode | None = None
    least: float = 0.0


class Losses:
    """Collects the outcomes of a life.

    Args:
        outcomes: Paths, or last parts of paths, of numbers in a payload that measure an outcome.
    """

    def __init__(self, outcomes: Collection[str]) -> None:
        self._outcomes = frozenset(outcomes)
        self._groups: dict[tuple[str, str], _Group] = {}

    def add(self, episode: Episode) -> None:
        """Adds the outcomes of an episode; only verified ones of the agent's own count."""
        if not episode.verified or episode.kind == INHERITED_KIND:
            return
        for path, value in _numbers(episode.payload):
            if path not in self._outcomes and path.rpartition(".")[2] not in self._outcomes:
                continue
            group = self._groups.setdefault((episode.kind, path), _Group())
            group.values.append(value)
            if value < group.least:
                group.worst, group.least = episode, value

    def count(self) -> int:
        """Number of the collected outcomes."""
        return sum(len(group.values) for group in self._groups.values())

    def severe(self) -> list[Episode]:
        """Episodes of the worst outcome of each name and kind, if it is a severe loss, in order of time."""
        found = {
            group.worst.id: group.worst
            for group in self._groups.values()
            if group.worst is not None and not feedback.is_note(group.worst.text) and _is_severe(group)
        }
        return sorted(found.values(), key=lambda one: (one.tick, one.id))


def _is_severe(group: _Group) -> bool:
    """Whether the worst outcome is below 0, no other as bad, and far below them or, of few, of great importance.

    The limit of the distance is the Curator's, and higher for fewer outcomes than the Curator needs.
    """
    others = sorted(group.values)[1:]
    if group.worst is None or (others and others[0] <= group.least):
        return False
    count = len(others)
    if count < LEAST_OUTCOMES and (group.worst.importance or 0.0) >= SEVERE_IMPORTANCE:
        return True
    if count < LEAST_SPREAD:
        return False
    middle = median(others)
    distances = [abs(value - middle) for value in others]
    scale = _OF_MEDIAN_DEVIATION * median(distances) or _OF_MEAN_DEVIATION * fmean(distances)
    return scale > 0.0 and middle - group.least >= severe_deviations(count) * scale


def _numbers(payload: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, float]]:
    """Numbers of a payload with their paths."""
    if isinstance(payload, Mapping) and depth < _DEPTH:
        for name, value in payload.items():
            yield from _numbers(value, f"{path}.{name}" if path else str(name), depth + 1)
    elif isinstance(payload, int | float) and not isinstance(payload, bool) and path:
        yield path, float(payload)
