"""Logical time: it never goes back, over any closing, and nothing that happened elsewhere moves it forward for good."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode
from bardo.ports import ManualClock

NOW = 1_700_000_000_000_000
DAY = 86_400 * 1_000_000


def reopen(folder: Path) -> bardo.Grimoire:
    return bardo.open(folder, clock=ManualClock(NOW), embedder=None)


def learn(grimoire: bardo.Grimoire) -> None:
    grimoire.learn("Tides turn twice a day", tick=5_000)


def drop(grimoire: bardo.Grimoire) -> None:
    bardo.drop(grimoire.path, [Episode("dropped", tick=5_000)])
    grimoire.drain_inbox()


def tick(grimoire: bardo.Grimoire) -> None:
    grimoire.tick(5_000)


@pytest.mark.parametrize("move", [learn, drop, tick])
def test_a_tick_that_was_seen_is_not_forgotten_by_closing(move: object, tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        grimoire.remember("before", tick=10)
        fact = grimoire.learn("The moon is rock", tick=10, confidence=0.9)
        move(grimoire)  # type: ignore[operator]
        faded = grimoire.confidence(fact)
        assert grimoire.now_tick == 5_000
        assert faded < 0.01
    for _ in range(2):
        with reopen(tmp_path / "a") as grimoire:
            assert (grimoire.now_tick, grimoire.confidence(fact)) == (5_000, faded)
    with bardo.visit(tmp_path / "a", clock=ManualClock(NOW), embedder=None) as visitor:
        # It sees what is in the facts and in LanceDB, and no more.
        assert 10 <= visitor.now_tick <= 5_000


def test_a_time_that_is_not_yet_makes_it_no_later(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        fact = grimoire.learn("The user is allergic to nuts", confidence=0.9)
        for early in (NOW + 10_000 * DAY, 2**62):
            stored = grimoire.remember(f"said at {early}", at=early)
            assert (stored.at, grimoire.now_tick) == (early, NOW // 1_000_000)
        assert grimoire.confidence(fact) == pytest.approx(0.9)
        assert grimoire.remember("said before", at=NOW - DAY).tick == NOW // 1_000_000


@pytest.mark.parametrize("moment", [NOW // 1_000_000, NOW // 1_000, NOW, NOW / 1_000_000])
def test_times_of_messages_are_seconds_milliseconds_or_microseconds(moment: float, tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        stored = grimoire.remember({"role": "user", "content": "hello", "timestamp": moment})
        assert stored.at == NOW
        with pytest.raises(InvalidInputError, match="cannot be read"):
            grimoire.remember({"role": "user", "content": "hello", "timestamp": 10**18})
