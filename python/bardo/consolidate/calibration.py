"""Whether confidences mean what they say: reliability, Brier score, and what a confidence is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bardo._printed import printed


class _Map(Protocol):
    def of(self, confidence: float, /) -> float: ...


@dataclass(frozen=True, slots=True)
class Reliability:
    """Outcomes of facts that were about so sure.

    Args:
        confidence: The middle of the part of 0..1.
        outcomes: How many.
        held: The share of them that was good; None without any.
        stated: What that confidence is taken to be worth.
    """

    confidence: float
    outcomes: int
    held: float | None
    stated: float

    __str__ = printed


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of confidences by outcomes.

    Args:
        map: Says what a confidence is worth.
        bins: Outcomes and good ones, of equal parts of 0..1; halved every 512 outcomes, so that the latest count most.
        outcomes: How many there were in all.
        squares: Sum over all of them of `(confidence - outcome)**2`.
    """

    map: _Map = field(repr=False)
    bins: tuple[tuple[int, int], ...]
    outcomes: int
    squares: float

    __str__ = printed

    @property
    def brier(self) -> float | None:
        """Brier score of the confidences as they were before each outcome: 0 is perfect, always .5 has .25."""
        return self.squares / self.outcomes if self.outcomes else None

    @property
    def error(self) -> float | None:
        """Expected calibration error: how far confidences are from frequencies, on average over what `bins` count."""
        counted = sum(judged for judged, _ in self.bins)
        if not counted:
            return None
        gaps = (
            one.outcomes * abs(one.confidence - one.held) for one in self.reliability if one.held is not None
        )
        return sum(gaps) / counted

    @property
    def reliability(self) -> Sequence[Reliability]:
        """The reliability curve, from unsure to sure."""
        width = 1.0 / len(self.bins)
        return [
            Reliability(
                (place + 0.5) * width,
                judged,
                held / judged if judged else None,
                self.of((place + 0.5) * width),
            )
            for place, (judged, held) in enumerate(self.bins)
        ]

    def of(self, confidence: float) -> float:
        """How often facts of this confidence hold, 0..1."""
        return self.map.of(confidence)
