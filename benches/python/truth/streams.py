"""Synthetic streams: noise, and noise with one regularity planted. The same seed makes the same stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bardo.model import Episode, Fact

#: Episodes of a stream.
LENGTH = 4_096
#: Microseconds between ticks: 16 minutes, so that a stream takes six weeks.
TICK = 16 * 60 * 1_000_000
DAY_TICKS = 90
KINDS = ("swap", "mint", "burn", "alert", "report", "oracle")
VENUES = ("north", "south", "east")


@dataclass
class Stream:
    """Episodes, and what is true of them.

    Args:
        name: Name of the sort of stream.
        episodes: Episodes, in any order of ticks.
        truth: Tells whether a fact says something true of the stream; nothing is true of noise.
        planted: Regularities that there are to be found.
        tells: Which of them a fact says.
    """

    name: str
    episodes: list[Episode] = field(default_factory=list)
    planted: tuple[str, ...] = ()
    tells: Callable[[Fact], str | None] = lambda _: None


class _Draws:
    def __init__(self, seed: int, *, autocorrelation: float = 0.95, tail: float = 3.0) -> None:
        self.random = np.random.default_rng(seed)
        self.tick = 1
        self._trend = 0.0
        self._autocorrelation = autocorrelation
        self._tail = tail

    def event(self, kind: str, tick: int, **payload: object) -> Episode:
        return Episode(
            f"{kind} at {tick}",
            tick=tick,
            at=tick * TICK,
            kind=kind,
            subjects=("pool",),
            payload=payload,
            verified=True,
        )

    def noise(self, **more: float) -> Episode:
        """Nothing has to do with anything: one number remembers its past, outcomes have heavy tails."""
        self.tick += int(self.random.integers(0, 3))
        self._trend = self._autocorrelation * self._trend + self.random.normal()
        payload = {
            "momentum": self.random.normal(),
            "trend": self._trend,
            "venue": str(self.random.choice(VENUES)),
            "pnl": self.random.normal() if self._tail <= 0 else self.random.standard_t(self._tail),
        }
        return self.event(str(self.random.choice(KINDS)), self.tick, **(payload | more))


def noise(seed: int) -> Stream:
    """Independent events and numbers."""
    draws = _Draws(seed)
    return Stream("noise", [draws.noise() for _ in range(LENGTH)])


def busy_noise(seed: int) -> Stream:
    """Noise with working hours: everything happens by day, and more on some days. Nothing causes anything."""
    draws = _Draws(seed)
    stream = Stream("noise with working hours")
    stream.tells = lambda fact: "bursts" if fact.category == "patterns/bursts" else None
    pace = 1.0
    while len(stream.episodes) < LENGTH:
        if draws.tick % DAY_TICKS > DAY_TICKS // 2:
            draws.tick += DAY_TICKS // 2
            pace = float(draws.random.choice([0.5, 1.0, 2.0]))
        if draws.random.random() > pace / 2:
            draws.tick += 1
        stream.episodes.append(draws.noise())
    return stream


def lag(seed: int) -> Stream:
    """A liquidation comes two ticks after six of ten oracle updates."""
    draws = _Draws(seed)
    stream = Stream("lag", planted=("oracle -> liquidation",))
    while len(stream.episodes) < LENGTH:
        stream.episodes.append(draws.noise())
        if stream.episodes[-1].kind == "oracle" and draws.random.random() < 0.6:
            stream.episodes.append(draws.event("liquidation", draws.tick + 2))

    def tells(fact: Fact) -> str | None:
        payload = fact.payload
        ends = (payload.get("cause"), payload.get("effect"))
        return stream.planted[0] if ends == ("pool oracle", "pool liquidation") else None

    stream.tells = tells
    return stream


def subgroup(seed: int) -> Stream:
    """The outcome is 0.8 higher where momentum is above one, and 0.6 lower at the venue "south"."""
    draws = _Draws(seed, tail=0.0)
    stream = Stream("subgroups", planted=("momentum", "venue is south"))
    for _ in range(LENGTH):
        episode = draws.noise()
        payload = dict(episode.payload)
        payload["pnl"] += 0.8 * (payload["momentum"] > 1.0) - 0.6 * (payload["venue"] == "south")
        stream.episodes.append(draws.event(episode.kind, episode.tick, **payload))

    def tells(fact: Fact) -> str | None:
        condition = str(fact.payload.get("condition", ""))
        true = [name for name in stream.planted if name in condition]
        # The other venues are better because the south is worse, and so on: the same truth.
        if not true and condition in ("venue is north", "venue is east"):
            true = ["venue is south"]
        strange = [name for name in ("trend", "kind is", "subject is") if name in condition]
        return true[0] if fact.kind == "heuristic" and true and not strange else None

    stream.tells = tells
    return stream


def rhythm(seed: int) -> Stream:
    """Funding happens at 14:24 UTC on nine days of ten."""
    draws = _Draws(seed)
    stream = Stream("rhythm", planted=("funding at 14",))
    today = 0
    while len(stream.episodes) < LENGTH:
        stream.episodes.append(draws.noise())
        if draws.tick // DAY_TICKS > today:
            today = draws.tick // DAY_TICKS
            if draws.random.random() < 0.9:
                stream.episodes.append(draws.event("funding", today * DAY_TICKS + 54))
    stream.tells = lambda fact: (
        stream.planted[0] if fact.text.startswith("pool funding happens mostly between 14") else None
    )
    return stream


def bursts(seed: int) -> Stream:
    """Outages come fifteen at a time."""
    draws = _Draws(seed)
    stream = Stream("bursts", planted=("outage",))
    left = 0
    while len(stream.episodes) < LENGTH:
        stream.episodes.append(draws.noise())
        if not left and draws.random.random() < 0.01:
            left = 15
        if left:
            left -= 1
            stream.episodes.append(draws.event("outage", draws.tick))
    stream.tells = lambda fact: (
        stream.planted[0] if fact.text.startswith("pool outage comes in bursts") else None
    )
    return stream


#: Streams in which there is nothing, and streams in which there is something.
EMPTY = (noise, busy_noise)
PLANTED = (lag, subgroup, rhythm, bursts)
