"""Logical time: it never goes back, over any closing, and no event of another agent moves it forward permanently."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.errors import DecreasingTickError, InvalidInputError
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
    grimoire.maintenance.drain_inbox()


def tick(grimoire: bardo.Grimoire) -> None:
    grimoire.tick(5_000)


@pytest.mark.parametrize("move", [learn, drop, tick])
def test_a_tick_that_was_seen_is_not_forgotten_by_closing(move: object, tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        grimoire.remember("before", tick=10)
        fact = grimoire.learn("The moon is rock", tick=10, confidence=0.9, kind="context")
        move(grimoire)  # type: ignore[operator]
        faded = grimoire.facts.confidence(fact)
        assert grimoire.now_tick == 5_000
        assert faded < 0.01
    for _ in range(2):
        with reopen(tmp_path / "a") as grimoire:
            assert (grimoire.now_tick, grimoire.facts.confidence(fact)) == (5_000, faded)
    with bardo.visit(tmp_path / "a", clock=ManualClock(NOW), embedder=None) as visitor:
        # It sees what is in the facts and in LanceDB, and no more.
        assert 10 <= visitor.now_tick <= 5_000


def test_a_time_that_is_not_yet_makes_it_no_later(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        fact = grimoire.learn("The user is allergic to nuts", confidence=0.9)
        for early in (NOW + 10_000 * DAY, 253_402_300_799_999_999):
            stored = grimoire.remember(f"said at {early}", at=early)
            assert (stored.at, grimoire.now_tick) == (early, NOW // 1_000_000)
        assert grimoire.facts.confidence(fact) == pytest.approx(0.9)
        assert grimoire.remember("said before", at=NOW - DAY).tick == NOW // 1_000_000


@pytest.mark.parametrize("moment", [NOW // 1_000_000, NOW // 1_000, NOW, NOW / 1_000_000])
def test_times_of_messages_are_seconds_milliseconds_or_microseconds(moment: float, tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        stored = grimoire.remember({"role": "user", "content": "hello", "timestamp": moment})
        assert stored.at == NOW
        with pytest.raises(InvalidInputError, match="cannot be read"):
            grimoire.remember({"role": "user", "content": "hello", "timestamp": 10**18})


def test_an_heir_counts_as_its_testator_did_and_its_life_begins_with_its_first_tick(tmp_path: Path) -> None:
    left = tmp_path / "trader.testament"
    with reopen(tmp_path / "trader") as testator:
        testator.remember("Liquidations came", tick=19_000_123, verified=True, importance=0.9)
        testator.learn("Oracle updates are followed by liquidations", tick=19_000_123, confidence=0.9)
        testator.bequeath(left, cause="economic")
    with bardo.inherit(left, tmp_path / "heir", clock=ManualClock(NOW), embedder=None) as heir:
        (fact,) = heir.facts.list()
        born = heir.facts.confidence(fact)
        assert (heir.now_tick, fact.reinforced_tick) == (0, 0)
        heir.remember("A new block", tick=19_000_500)
        assert heir.facts.confidence(heir.facts.get(fact.id)) == born
        heir.tick(19_005_000)
        faded = heir.facts.confidence(heir.facts.get(fact.id))
        assert born / 4 < faded < born * 0.8
        assert heir.recall("liquidations after oracle updates")[0].id == fact.id
    with reopen(tmp_path / "heir") as heir:
        assert (heir.now_tick, heir.facts.confidence(heir.facts.get(fact.id))) == (19_005_000, faded)
        heir.remember("Another block", tick=19_005_001)


@pytest.mark.parametrize("first", [1, 10**9])
def test_an_inherited_fact_does_not_expire_before_the_first_tick(first: int, tmp_path: Path) -> None:
    left = tmp_path / "a.testament"
    with reopen(tmp_path / "a") as testator:
        testator.tick(100)
        testator.learn(bardo.Fact("The fee holiday is on", kind="warning", confidence=0.9, expires_tick=150))
        testator.bequeath(left)
    with bardo.inherit(left, tmp_path / "heir", clock=ManualClock(NOW), embedder=None) as heir:
        heir.tick(first)
        assert [fact.expires_tick for fact in heir.facts.list()] == [first + 50]


def test_an_heir_of_one_that_counted_seconds_counts_seconds(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as testator:
        testator.learn("Tides turn twice a day", kind="warning", confidence=0.9)
        testator.bequeath(tmp_path / "a.testament")
    with bardo.inherit(
        tmp_path / "a.testament", tmp_path / "heir", clock=ManualClock(NOW + DAY), embedder=None
    ) as heir:
        assert heir.now_tick == (NOW + DAY) // 1_000_000
        assert [fact.reinforced_tick for fact in heir.facts.list()] == [heir.now_tick]


def test_ticks_of_ones_own_do_not_begin_before_the_seconds_that_were_counted(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        fact = grimoire.learn("Tides turn twice a day", confidence=0.9)
        for verb in (
            lambda: grimoire.tick(5),
            lambda: grimoire.remember("high water", tick=5),
            lambda: grimoire.learn("The moon is rock", tick=5),
        ):
            with pytest.raises(DecreasingTickError, match=r"clock\.unit"):
                verb()
        assert (grimoire.now_tick, len(grimoire.facts.list())) == (fact.created_tick, 1)
        later = fact.created_tick + 100
        assert grimoire.remember("high water", tick=later).tick == grimoire.now_tick == later
    own = {"clock": {"unit": "loops"}}
    with bardo.open(tmp_path / "b", clock=ManualClock(NOW), embedder=None, config=own) as grimoire:
        grimoire.learn("Tides turn twice a day")
        assert grimoire.remember("high water", tick=5).tick == grimoire.now_tick == 5


@pytest.mark.parametrize("read", ["recall", "context"])
def test_reading_by_another_clock_moves_no_time(read: str, tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        fact = grimoire.learn("The rent of flat 3 is 890 euro", confidence=0.9)
        grimoire.remember("The tenant of flat 3 called")
    later = ManualClock(NOW + 100 * DAY)
    with bardo.open(tmp_path / "a", clock=later, embedder=None) as grimoire:
        assert any("890" in str(one) for one in grimoire.recall("rent of flat 3"))
        getattr(grimoire, read)("rent of flat 3")
        grimoire.facts.list()
    with reopen(tmp_path / "a") as grimoire:
        assert grimoire.now_tick == NOW // 1_000_000
        seen = grimoire.facts.get(fact.id)
        assert seen is not None
        assert seen.mentions > fact.mentions
        assert seen.accessed_tick == NOW // 1_000_000


def test_a_tick_without_a_number_is_the_second_of_the_clock_and_runs_what_is_due(tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    with bardo.open(tmp_path / "a", clock=clock, embedder=None) as grimoire:
        grimoire.remember("The feed runs on port 7420", verified=True)
        clock.advance(30 * 86_400)
        assert grimoire.tick() is not None
        assert grimoire.now_tick == clock.now() // 1_000_000
        assert grimoire.tick() is None
        at = datetime.fromtimestamp(clock.now() / 1_000_000, UTC)
        assert grimoire.recall("port of the feed", as_of=at), "ticks are seconds still"


def test_a_tick_without_a_number_leaves_loops_where_they_are(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", clock=ManualClock(NOW), embedder=None) as grimoire:
        grimoire.remember("The feed runs on port 7420", tick=12)
        grimoire.tick()
        assert grimoire.now_tick == 12
