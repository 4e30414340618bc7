"""Life history: what the outcomes of a life add up to, as a fold over the verified episodes of the log.

The state depends on the log and the unit of ticks alone, so that a lost checkpoint costs a second reading and no more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from bardo.life.affect import Affect
from bardo.life.clocks import Phase
from bardo.model import Episode

#: Kind of the episodes that are folded, and the part of their payload that is the outcome.
OUTCOME, VALUE = "outcome", "value"
#: Parts of the payload of an outcome that are no feature of its situation.
NO_FEATURES = frozenset({VALUE, "of", "memories"})
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
#: Layout of a checkpoint; 2 adds bad outcomes and the decision cache, 3 markers of situations without the action.
FORMAT = 3
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

    @property
    def is_danger(self) -> bool:
        """Whether most outcomes were bad; one alone is no pattern."""
        return self.outcomes > 1 and 2 * self.bad > self.outcomes


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
        good: Discounted number of good ones, the trust at birth included.
        weight: Discounted number of all.
        expected: Discounted mean of the outcomes.
        affect: Mood at `tick`.
        tick: Tick of the last outcome.
        phase: Phase of life that was last reported.
        markers: Markers by the key of the situation, its action included.
        overall: Markers of decisions with an action, by the key of the situation without it.
        decisions: Latest decisions by the key of the situation without the action, the oldest first.
    """

    seen: int = 0
    outcomes: int = 0
    good: float = BIRTH_TRUST
    weight: float = BIRTH_TRUST
    expected: float = 0.0
    affect: Affect = field(default_factory=Affect)
    tick: int = 0
    phase: Phase = "thriving"
    markers: dict[str, Marker] = field(default_factory=dict)
    overall: dict[str, Marker] = field(default_factory=dict)
    decisions: dict[str, CachedDecision] = field(default_factory=dict)

    @property
    def fitness(self) -> float:
        """Predictive fitness: discounted share of good outcomes, 0..1."""
        return self.good / self.weight

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
