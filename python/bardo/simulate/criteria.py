"""Criteria that the experiment set before it was run."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bardo.simulate.statistics import Difference, Table

#: Largest share of the bytes of total recall that a testament may hand over.
BYTES_SHARE = 0.10
#: Largest loss of lifetime against total recall in the default world.
LARGEST_LOSS = 0.05


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion that the experiment set before it was run.

    Args:
        text: The criterion, and the figures.
        holds: Whether the figures meet it; None if they cannot tell, as those of one seed.
    """

    text: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """Verdict in words."""
        if self.holds is None:
            return "one seed proves nothing"
        return "holds" if self.holds else "FAILS"


def criteria(table: Table) -> list[Criterion]:
    """Holds the results against the criteria, those that fail first; criteria about absent arms are left out.

    A criterion about a difference needs an interval, which one seed does not have.
    """
    found: list[Criterion] = []
    for world in ("default", "drift"):
        for base in ("none", "raw_log"):
            if table.has(world, "testament", base):
                difference = table.compare(world, "testament", base)
                text = f"{world}: testament - {base} = {difference} ticks, must be clear above 0"
                found.append(_judged(text, difference, holds=difference.low > 0))
    if table.has("drift", "testament", "total_recall"):
        difference = table.compare("drift", "testament", "total_recall")
        text = f"drift: testament - total_recall = {difference} ticks, must be clear above 0"
        found.append(_judged(text, difference, holds=difference.low > 0))
    if table.has("default", "testament", "total_recall"):
        difference = table.compare("default", "testament", "total_recall")
        text = (
            f"default: testament - total_recall = {difference} ticks ({difference.relative:+.1%}), "
            f"must not be below -{LARGEST_LOSS:.0%}"
        )
        found.append(_judged(text, difference, holds=difference.relative >= -LARGEST_LOSS))
        share = table.mean("default", "testament", "bytes") / table.mean("default", "total_recall", "bytes")
        text = (
            f"default: bytes handed over are {share:.1%} of total recall's, must be at most {BYTES_SHARE:.0%}"
        )
        found.append(Criterion(text, share <= BYTES_SHARE))
    for world in ("default", "drift"):
        if table.has(world, "placebo", "none"):
            difference = table.compare(world, "placebo", "none")
            text = f"{world}: placebo - none = {difference} ticks, must not be clear above 0"
            found.append(_judged(text, difference, holds=difference.verdict != "more"))
    return sorted(found, key=lambda criterion: (False, None, True).index(criterion.holds))


def _judged(text: str, difference: Difference, *, holds: bool) -> Criterion:
    return Criterion(text, None if math.isnan(difference.low) else holds)
