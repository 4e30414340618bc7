"""Compares heirs with twins of the same seed that inherit nothing, over several start dates."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bardo.examples import lives
from bardo.examples.lives import Life
from bardo.examples.trader import Terms

if TYPE_CHECKING:
    from datetime import date

    from bardo.examples.market import Day
    from bardo.ports import Progress

#: Trading days of a compared life, a quarter of a year, in which an heir knows most that its twin does not; and those
#: between two start dates, half a year.
PAIR_DAYS, PAIR_EVERY = 63, 126
#: Resamples of the bootstrap, and the level of its interval and of the sign test.
RESAMPLES, LEVEL = 10_000, 0.05
#: Pairs below which a sign test cannot reach the level: 2 * 0.5^5 > .05.
LEAST_PAIRS = 6


@dataclass(frozen=True, slots=True)
class Pair:
    """An heir and its twin after one start date.

    Args:
        start: First day of both lives.
        days: Number of days that were compared.
        heir: Wealth of the heir after them.
        twin: Wealth of the twin after them.
    """

    start: date
    days: int
    heir: float
    twin: float

    @classmethod
    def of(cls, heir: Life, twin: Life) -> Pair:
        """Compares two lives after the longer one; a life that ended in ruin keeps its last wealth."""
        return cls(heir.days[0].date, max(len(heir.days), len(twin.days)), heir.wealth[-1], twin.wealth[-1])

    @property
    def difference(self) -> float:
        """Wealth of the heir less that of the twin."""
        return self.heir - self.twin


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference between heirs and twins over several start dates.

    Args:
        pairs: Compared pairs; their days do not overlap.
        mean: Mean difference in wealth.
        interval: Bootstrap interval of the mean, 95 %.
        ahead: Number of pairs whose heir had more.
        behind: Number of pairs whose heir had less.
        p_value: Two-sided p-value of the exact sign test over both numbers.
    """

    pairs: tuple[Pair, ...]
    mean: float
    interval: tuple[float, float]
    ahead: int
    behind: int
    p_value: float

    @classmethod
    def of(cls, pairs: Sequence[Pair], *, seed: int) -> Comparison:
        """Computes mean, percentile bootstrap over pairs, and sign test (Efron and Tibshirani 1993, chapter 13).

        Args:
            pairs: Pairs to compare, at least one.
            seed: Seed of the bootstrap.
        """
        found = np.array([pair.difference for pair in pairs])
        drawn = np.random.default_rng(seed).integers(0, len(found), (RESAMPLES, len(found)))
        low, high = np.quantile(found[drawn].mean(axis=1), (LEVEL / 2, 1 - LEVEL / 2))
        ahead, behind = int((found > 0).sum()), int((found < 0).sum())
        return cls(
            tuple(pairs),
            float(found.mean()),
            (float(low), float(high)),
            ahead,
            behind,
            sign_test(ahead, behind),
        )

    @property
    def is_more_than_chance(self) -> bool:
        """Whether the interval leaves out 0 and the sign test agrees; few pairs make each alone too bold."""
        low, high = self.interval
        agrees = (self.ahead > self.behind) == (self.mean > 0)
        return (low > 0 or high < 0) and self.p_value <= LEVEL and agrees

    @property
    def finding(self) -> str:
        """The result in a sentence."""
        if len(self.pairs) < LEAST_PAIRS:
            return f"Too few start dates ({len(self.pairs)}) to tell whether inheritance helps a trader of this kind."
        if not self.is_more_than_chance:
            return "No more than chance: inheritance was not seen to help a trader of this kind."
        if self.mean > 0:
            return "More than chance: inheritance helped a trader of this kind."
        return "More than chance: inheritance harmed a trader of this kind."

    @property
    def figures(self) -> str:
        """Number of pairs, mean difference, interval, and sign test in a sentence."""
        more = "more" if self.mean >= 0 else "less"
        low, high = self.interval
        return (
            f"Over {len(self.pairs)} start dates, heirs had {abs(self.mean):.2f} units {more} than their twins after "
            f"a quarter of a year (95 % interval {low:+.2f} to {high:+.2f}; ahead in {self.ahead}, "
            f"behind in {self.behind}, sign test p = {self.p_value:.2f})."
        )


def sign_test(ahead: int, behind: int) -> float:
    """Computes the two-sided p-value of the exact sign test; ties are left out beforehand."""
    count = ahead + behind
    tail = sum(math.comb(count, place) for place in range(min(ahead, behind) + 1))
    return min(1.0, 2.0 * tail / 2.0**count)


def compare(
    days: Sequence[Day],
    line: Sequence[Life],
    folder: Path,
    *,
    terms: Terms,
    seed: int,
    embedder: Any,
    progress: Progress,
) -> Comparison | None:
    """Runs pairs of short lives, one after each start date; no two pairs share a day.

    The heir inherits the latest testament that was written before its start date. Both agents have the same seed,
    settings and days.

    Args:
        days: All days, in order.
        line: Lives that left the testaments, oldest first.
        folder: Folder of the testaments; the memories of the pairs are made in it and deleted.
        terms: Costs and limits of every life.
        seed: Seed of the ids and of the bootstrap.
        embedder: Embedder for `bardo.open`; None is the default model.
        progress: Callback after every pair.

    Returns:
        None if no pair has room after the first death.
    """
    first = len(line[0].days)
    starts = range(first, len(days) - PAIR_DAYS + 1, PAIR_EVERY)
    place = folder / "pairs"
    pairs = []
    for number, start in enumerate(starts):
        testator = max(
            (life for life in line if life.first + len(life.days) <= start), key=lambda life: life.first
        )
        place.mkdir()
        heir, twin = lives.live_in_pair(
            days, place, f"pair-{number + 1}", start, PAIR_DAYS,
            testament=folder / f"{testator.agent}.testament", generation=testator.generation + 1,
            terms=terms, seed=seed + number, embedder=embedder,
        )  # fmt: skip
        shutil.rmtree(place)
        pairs.append(Pair.of(heir, twin))
        progress("pairs of heir and twin", number + 1, len(starts))
    return Comparison.of(pairs, seed=seed) if pairs else None
