"""A stream that wants to break the Curator: it neither ends it, nor fills memory, nor moves what is pinned."""

from __future__ import annotations

import math
import resource
from pathlib import Path

import numpy as np

from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode, Fact

NOW = 1_700_000_000_000_000
#: Facts in force at most.
CAPACITY = 1_024
#: Subjects that are named once, and subjects that are named three times: a fact each.
ONCE, THRICE = 100_000, 6_000
MEGABYTE = 1 << 20


def stream(first: int, count: int, *, each: int) -> list[Episode]:
    """Claims that are denied by the next episode, extreme numbers, and ever new subjects."""
    draws = np.random.default_rng(first)
    return [
        Episode(
            f"The fee of the harbour is {'not ' * (tick % 2)}three percent",
            tick=tick,
            kind="claim",
            subjects=(f"subject {each} {tick // each}",),
            payload={"x": 1e308 if tick % 97 == 0 else -1e308 if tick % 97 == 1 else float(draws.normal())},
        )
        for tick in range(first, first + count)
    ]


def grown() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def test_lies_unique_subjects_and_huge_numbers_are_borne(tmp_path: Path) -> None:
    log = EpisodeLog(str(tmp_path / "episodes.redb"), agent="a", seed=1, now=NOW, durable=False)
    facts = FactStore(tmp_path / "facts.db", agent="a", seed=1, now=NOW)
    truth = Fact("The fee of the harbour is three percent", confidence=0.9, pinned=True)
    (pinned,) = (one.id for one in facts.upsert([truth], tick=0, now=NOW))
    curator = Curator(facts, capacity=CAPACITY, eviction_threshold=0.0)

    def live(first: int, count: int, *, each: int) -> None:
        episodes = stream(first, count, each=each)
        log.verify([(one.id, None) for one in log.record(episodes, now=NOW)])
        while curator.consolidate(log, tick=first + count, now=NOW).pending:
            pass

    for first in range(1, ONCE, 10_000):
        live(first, 10_000, each=1)
        if first == 1:
            begun = grown()
    live(ONCE + 2, 3 * THRICE, each=3)

    # 118,000 episodes and 106,000 statistics on the disk; in memory the caches of two stores.
    assert grown() - begun < 128
    stats = facts.stats()
    assert stats["baselines"] >= ONCE + THRICE
    assert stats["active"] + stats["contradicted"] <= CAPACITY + 1
    (kept,) = facts.get([pinned])
    assert (kept.text, kept.confidence, kept.status) == (truth.text, np.float32(0.9), "active")
    for fact in facts.list(limit=CAPACITY):
        if fact.kind == "baseline":
            assert all(math.isfinite(fact.payload[name]) for name in ("mean", "variance", "min", "max"))
    facts.close()
    log.close()
