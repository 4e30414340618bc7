"""Life history: what the outcomes of a life add up to, as a fold over the verified episodes of the log.

The state depends on the log and the unit of ticks alone, so that a lost checkpoint costs a second reading and no more.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import Any, Self

from bardo._printed import printed
from bardo.life.affect import Affect
from bardo.life.clocks import Phase
from bardo.model import Episode

#: Kind of the episodes that are folded, and the part of their payload that is the outcome.
OUTCOME, VALUE = "outcome", "value"
#: Part of the payload of an outcome that names the episode which records the same decision.
RECORDED_AS = "recorded_as"
#: Parts of the payload of an outcome that are no feature of its situation.
NO_FEATURES = frozenset({VALUE, "of", "memories", RECORDED_AS})
#: Factor of an earlier outcome's weight per later one: the last 33 or so decide.
DISCOUNT = 0.97
#: Weight of the trust that a life begins with, in outcomes, all of them good.
BIRTH_TRUST = 10.0
#: Share of the latest outcome in the expected one, and in a marker.
LATEST = 0.3
#: Markers of each kind that are kept, those of the latest situations.
MARKERS = 1_024
#: Decisions that are cached, the latest of as many situations.
DECISIONS = 1_024
#: Outcomes whose distribution is that of the agent: the latest.
RECENT = 512
#: Layout of a checkpoint; 2 adds bad outcomes and the decision cache, 3 markers of situations without the action, 4 the
#: latest outcomes and the numbers of all and of bad ones.
FORMAT = 4
#: E-value from which bad outcomes of an action are said to come more often than others: an error in 20 lives with 50
#: actions each, as with the failure rates of warnings.
MORE_OFTEN = 1_000.0
#: Quantile of the normal distribution: half-width of a 95 % interval in standard errors.
NORMAL_975 = NormalDist().inv_cdf(0.975)
#: Feature of the action of a decision.
ACTION = "action"


@dataclass(frozen=True, slots=True)
class Marker:
    """Somatic marker: how situations like this one ended.

    Args:
        value: Discounted mean of the outcomes, from -1 (bad) to 1 (good).
        outcomes: Number of outcomes.
        tick: Tick of the last one.
        bad: Number of outcomes below 0.
    """

    value: float
    outcomes: int
    tick: int
    bad: int = 0

    __str__ = printed


@dataclass(frozen=True, slots=True)
class CachedDecision:
    """Latest decision in a situation, with its outcome; ids and hashes alone.

    Args:
        episode: Id of the outcome.
        action: Hash of the action; empty if the situation names none.
        value: Outcome, from -1 to 1.
        tick: Tick of the outcome.
        memories: Ids of the memories that were acted on.
    """

    episode: str
    action: str
    value: float
    tick: int
    memories: tuple[str, ...] = ()


@dataclass(slots=True)
class History:
    """State after some outcomes.

    Args:
        seen: Number of the last verification that was read.
        outcomes: Number of outcomes other than 0.
        all: Number of outcomes.
        bad: Number of outcomes below 0.
        good: Discounted number of good ones, the trust at birth included.
        weight: Discounted number of all.
        expected: Discounted mean of the outcomes.
        affect: Mood at `tick`.
        tick: Tick of the last outcome.
        phase: Phase of life that was last reported.
        markers: Markers by the key of the situation, its action included.
        overall: Markers of decisions with an action, by the key of the situation without it.
        decisions: Latest decisions by the key of the situation without the action, the oldest first.
        recent: Ids of the latest outcomes, the oldest first.
    """

    seen: int = 0
    outcomes: int = 0
    all: int = 0
    bad: int = 0
    good: float = BIRTH_TRUST
    weight: float = BIRTH_TRUST
    expected: float = 0.0
    affect: Affect = field(default_factory=Affect)
    tick: int = 0
    phase: Phase = "thriving"
    markers: dict[str, Marker] = field(default_factory=dict)
    overall: dict[str, Marker] = field(default_factory=dict)
    decisions: dict[str, CachedDecision] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)

    @property
    def fitness(self) -> float:
        """Predictive fitness: discounted share of good outcomes, 0..1."""
        return self.good / self.weight

    def is_danger(self, marker: Marker) -> bool:
        """Whether outcomes of a marker are surely worse than the others: bad ones come more often, by an e-value."""
        others, bad = self.all - marker.outcomes, self.bad - marker.bad
        return is_more_often(marker.bad, marker.outcomes, bad, others)

    def add(self, number: int, episode: Episode, *, ticks_per_day: int) -> None:
        """Adds the next verified episode.

        Args:
            number: Number of its verification.
            episode: Any episode; those that are no outcome from -1 to 1 only move `seen`.
            ticks_per_day: Ticks in a day, for the decay of the mood.
        """
        self.seen = number
        payload = episode.payload if episode.kind == OUTCOME and isinstance(episode.payload, Mapping) else {}
        value = payload.get(VALUE)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1.0 <= value <= 1.0:
            return
        self.affect = self.affect.decayed(episode.tick - self.tick, ticks_per_day).moved(value, self.expected)
        self.tick = max(self.tick, episode.tick)
        self.expected += LATEST * (value - self.expected)
        self.all += 1
        self.bad += value < 0
        self.recent.append(episode.id)
        del self.recent[:-RECENT]
        if value:
            self.outcomes += 1
            self.good = DISCOUNT * self.good + (value > 0)
            self.weight = DISCOUNT * self.weight + 1.0
        features = {name: each for name, each in payload.items() if name not in NO_FEATURES}
        if key := situation_key(episode.subjects, features):
            _mark(self.markers, key, float(value), episode.tick)
        action = features.pop(ACTION, None)
        if key := situation_key(episode.subjects, features):
            if isinstance(action, str):
                _mark(self.overall, key, float(value), episode.tick)
            memories = payload.get("memories")
            self._cache(
                key,
                CachedDecision(
                    episode.id,
                    situation_key((), {ACTION: action}) or "" if isinstance(action, str) else "",
                    float(value),
                    episode.tick,
                    tuple(map(str, memories)) if isinstance(memories, list | tuple) else (),
                ),
            )

    def _cache(self, key: str, decision: CachedDecision) -> None:
        """Caches a decision; an outcome that contradicts the one of the same action ends the entry instead."""
        before = self.decisions.pop(key, None)
        if before is not None and before.action == decision.action and before.value * decision.value < 0:
            return
        self.decisions[key] = decision
        if len(self.decisions) > DECISIONS:
            del self.decisions[next(iter(self.decisions))]

    def to_dict(self) -> dict[str, Any]:
        """Checkpoint in plain JSON types; numbers and hashes alone."""
        return {"format": FORMAT} | asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any] | None) -> Self:
        """Reads a checkpoint; the beginning of a life if it is missing, of another layout, or damaged."""
        fields = dict(stored or {})
        try:
            if fields.pop("format", None) == FORMAT:
                markers, overall = (
                    {key: Marker(**marker) for key, marker in fields.pop(name).items()}
                    for name in ("markers", "overall")
                )
                decisions = {
                    key: CachedDecision(**{**one, "memories": tuple(one["memories"])})
                    for key, one in fields.pop("decisions").items()
                }
                affect = Affect(**fields.pop("affect"))
                return cls(affect=affect, markers=markers, overall=overall, decisions=decisions, **fields)
        except (AttributeError, KeyError, TypeError):
            pass
        return cls()


def _mark(markers: dict[str, Marker], key: str, value: float, tick: int) -> None:
    """Adds an outcome to the marker of a situation."""
    known = markers.get(key)
    mean = value if known is None else known.value + LATEST * (value - known.value)
    outcomes, bad = (0, 0) if known is None else (known.outcomes, known.bad)
    markers[key] = Marker(mean, outcomes + 1, tick, bad + (value < 0))
    if len(markers) > MARKERS:
        del markers[min(markers, key=lambda each: (markers[each].tick, each))]


def is_more_often(bad: int, outcomes: int, others_bad: int, others: int) -> bool:
    """Whether bad outcomes surely come more often than among others, however often this is asked.

    The e-value is the likelihood ratio of a uniform mixture of the greater frequencies (Robbins, The Annals of
    Mathematical Statistics 41, 1970) to the frequency among the others, taken at the upper bound of its Wilson score
    interval of 95 %.

    Args:
        bad: Number of bad outcomes.
        outcomes: Number of outcomes.
        others_bad: Number of bad outcomes among the others.
        others: Number of the others.
    """
    base = _upper_bound(others_bad, others)
    if bad <= base * outcomes:
        return False
    needed = math.log(MORE_OFTEN) + bad * math.log(base) + (outcomes - bad) * math.log1p(-base)
    share = bad / outcomes
    likeliest = bad * math.log(share) + ((outcomes - bad) * math.log1p(-share) if bad < outcomes else 0.0)
    if likeliest < needed:
        return False
    # The integral of r^bad (1 - r)^good from the base to 1, by the binomial form of the incomplete beta function.
    below = _log_binomial_cdf(bad, outcomes + 1, base)
    return below - math.log(outcomes + 1) - _log_choose(outcomes, bad) - math.log1p(-base) >= needed


def _upper_bound(bad: int, outcomes: int) -> float:
    if not outcomes:
        return 1.0
    share, square = bad / outcomes, NORMAL_975**2
    half = NORMAL_975 * math.sqrt(share * (1 - share) / outcomes + square / (4 * outcomes**2))
    return min(1.0, (share + square / (2 * outcomes) + half) / (1 + square / outcomes))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_binomial_cdf(most: int, n: int, share: float) -> float:
    """Logarithm of the probability of at most this many successes."""
    terms = (
        math.exp(_log_choose(n, k) + k * math.log(share) + (n - k) * math.log1p(-share))
        for k in range(min(most, n) + 1)
    )
    return math.log(min(1.0, math.fsum(terms)))


def situation_key(subjects: Sequence[str], features: Mapping[str, Any]) -> str | None:
    """Key of a situation: a hash of its subjects and the features that are words; None without any.

    Args:
        subjects: Subjects of the decision.
        features: Features by path; numbers are left out, since no two situations have the same.
    """
    words = [f"{path}={value}" for path, value in features.items() if isinstance(value, str)]
    parts = sorted(part.strip().casefold() for part in [*(f"subject={name}" for name in subjects), *words])
    if not parts:
        return None
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
