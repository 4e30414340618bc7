"""Statistics of a sweep: means by seed, paired differences, bootstrap intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bardo.simulate.runner import Result

#: Resamples of a bootstrap interval.
RESAMPLES = 10_000
#: Level of an interval.
LEVEL = 0.95
#: Measures of a life, by their name in a record; `traps_sprung`, `bytes` and the like are means over lives.
MEASURES = ("lifetime", "regret", "recovery", "traps_sprung", "relevant", "bytes", "inherited")
_SEED = 20

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """Paired difference of two arms in lifetime, in ticks.

    Args:
        world: Name of the world.
        arm: Name of the arm.
        base: Name of the arm that it is compared with.
        mean: Mean difference over the seeds.
        low: Lower end of the 95 % bootstrap interval; NaN for a single seed, which has none.
        high: Upper end of it.
        relative: Mean difference relative to the mean of `base`.
    """

    world: str
    arm: str
    base: str
    mean: float
    low: float
    high: float
    relative: float

    @property
    def verdict(self) -> str:
        """`more`, `less`, or `unclear` if the interval includes zero or there is none."""
        if self.low > 0:
            return "more"
        return "less" if self.high < 0 else "unclear"

    def __str__(self) -> str:
        interval = "one seed: no interval" if math.isnan(self.low) else f"{self.low:.0f}, {self.high:.0f}"
        return f"{self.mean:+.0f} [{interval}]"


@dataclass(slots=True)
class Table:
    """Means by world, arm and seed; the first generation, which inherits nothing, is left out.

    Args:
        values: Array of one number per seed, by world, arm and measure; NaN if no life has the measure.
        causes: Share of each cause of death, by world and arm.
        compared: Comparisons made so far, each once.
    """

    values: Mapping[tuple[str, str], Mapping[str, Numbers]]
    causes: Mapping[tuple[str, str], Mapping[str, float]]
    compared: dict[tuple[str, str, str], Difference] = field(default_factory=dict)

    @classmethod
    def of(cls, results: Iterable[Result]) -> Table:
        """Tabulates results; those of one arm keep the order of their seeds."""
        groups: dict[tuple[str, str], list[Result]] = {}
        for result in results:
            groups.setdefault((result.world, result.arm), []).append(result)
        values, causes = {}, {}
        for key, group in groups.items():
            group.sort(key=lambda result: result.seed)
            heirs = [result.generations[1:] or result.generations for result in group]
            values[key] = {
                name: np.array([_mean([life[name] for life in lives]) for lives in heirs])
                for name in MEASURES
            }
            counts = Counter(life["cause"] for lives in heirs for life in lives)
            causes[key] = {cause: count / counts.total() for cause, count in sorted(counts.items())}
        return cls(values, causes)

    def has(self, world: str, *arms: str) -> bool:
        """Whether all these arms live in a world."""
        return all((world, arm) in self.values for arm in arms)

    def mean(self, world: str, arm: str, measure: str = "lifetime") -> float:
        """Mean of a measure over the seeds that have it; NaN if none has."""
        numbers = self.values[world, arm][measure]
        known = numbers[~np.isnan(numbers)]
        return float(known.mean()) if known.size else float("nan")

    def compare(self, world: str, arm: str, base: str) -> Difference:
        """Paired difference in lifetime of an arm and a base, with its bootstrap interval over the seeds."""
        key = world, arm, base
        if key not in self.compared:
            ours, theirs = (self.values[world, name]["lifetime"] for name in (arm, base))
            low, high = bootstrap(ours - theirs)
            mean = float((ours - theirs).mean())
            self.compared[key] = Difference(*key, mean, low, high, mean / float(theirs.mean()))
        return self.compared[key]


def bootstrap(
    differences: Numbers, *, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, float]:
    """Percentile bootstrap interval of a mean (Efron and Tibshirani, An Introduction to the Bootstrap, 1993).

    Args:
        differences: One paired difference per seed, shape `(seeds,)`.
        resamples: Number of resamples, drawn under a fixed seed.
        level: Level of the interval.

    Returns:
        Lower and upper end; NaN for a single difference, which says nothing of how the mean varies.
    """
    if differences.size < 2:
        return math.nan, math.nan
    generator = np.random.default_rng(_SEED)
    places = generator.integers(0, differences.size, (resamples, differences.size))
    means = differences[places].mean(axis=1)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return float(low), float(high)


def _mean(numbers: Sequence[float | None]) -> float:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else float("nan")
