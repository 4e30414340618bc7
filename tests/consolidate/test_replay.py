"""`replay` through the whole of bardo, on a real log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import bardo
from bardo import errors
from bardo.model import Episode
from bardo.ports import ManualClock
from helpers.models import letter_vectors

START = 1_700_000_000_000_000


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., bardo.Grimoire]:
    return lambda name="agent": bardo.open(
        tmp_path / name,
        embedder=letter_vectors,
        clock=ManualClock(START),
        seed=1,
        config={"replay": {"recent": 50}},
    )


def live(grimoire: bardo.Grimoire, count: int = 200, *, verified: bool = True) -> list[Episode]:
    return grimoire.remember(
        [
            Episode(
                f"reading {n}",
                tick=n + 1,
                subjects=("sensor",),
                payload={"level": float(n % 7)},
                curiosity=0.2,
                importance=0.9 if n % 2 else 0.1,
                verified=verified,
            )
            for n in range(count)
        ]
    )


@pytest.mark.parametrize("policy", ["prioritised", "utility", "uniform"])
def test_a_batch_is_different_verified_episodes_recent_and_old(opener, policy: str) -> None:
    with opener() as grimoire:
        lived = [episode.id for episode in live(grimoire)]
        grimoire.sleep()
        batch = grimoire.curator.replay(20, policy=policy, seed=3)
        places = [lived.index(drawn.episode.id) for drawn in batch]
        assert places == sorted(set(places))
        assert len(places) == 20
        assert max(drawn.weight for drawn in batch) == pytest.approx(1.0)
        assert all(0 < drawn.probability <= 1 for drawn in batch)
        if policy != "utility":
            assert sum(place >= 150 for place in places) == 14


def test_how_often_an_episode_was_replayed_is_kept(opener) -> None:
    with opener() as grimoire:
        live(grimoire, 8)
        first = {drawn.episode.id for drawn in grimoire.curator.replay(8)}
    with opener() as again:
        assert {drawn.episode.replay_count for drawn in again.curator.replay(8)} == {2}
        assert len(first) == 8


def test_the_same_seed_and_history_draw_the_same(opener) -> None:
    def batches(name: str) -> list[list[str]]:
        with opener(name) as grimoire:
            live(grimoire)
            grimoire.sleep()
            policies = ("prioritised", "utility", "uniform", "uniform")
            return [
                [drawn.episode.text for drawn in grimoire.curator.replay(10, policy=one, seed=9)]
                for one in policies
            ]

    ours = batches("ours")
    assert ours == batches("theirs")
    assert ours[2] != ours[3]


def test_nothing_unverified_and_nothing_forgotten_is_replayed(opener) -> None:
    with opener() as grimoire:
        live(grimoire, 20, verified=False)
        assert grimoire.curator.replay(8) == []
        known = grimoire.remember([Episode(f"event {n}", tick=100 + n, verified=True) for n in range(10)])
        assert len(grimoire.curator.replay(32)) == 10
        grimoire.forget([episode.id for episode in known[:9]], reason="test")
        assert [drawn.episode.id for drawn in grimoire.curator.replay(32)] == [known[9].id]


@pytest.mark.parametrize("asked", [{"policy": "best"}, {"count": 0}, {"seed": -1}, {"seed": 2**64}])
def test_a_sample_that_cannot_be_drawn_is_refused(opener, asked: dict) -> None:
    with opener() as grimoire:
        live(grimoire, 4)
        with pytest.raises(errors.InvalidInputError, match=str(next(iter(asked)))):
            grimoire.curator.replay(**asked)
