"""Dreams that start by themselves while a memory is idle, on real stores."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.dream import DreamComplete
from bardo.model import Episode
from bardo.ports import ManualClock
from helpers.models import letter_vectors

START = 1_700_000_000_000_000
MINUTE = 60.0
#: Longest wait for a thread, in seconds.
PATIENCE = 30.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def g(tmp_path: Path, clock: ManualClock) -> Iterator[bardo.Grimoire]:
    with opened(tmp_path / "agent", clock) as memory:
        yield memory


def opened(folder: Path, clock: ManualClock, **dreams: float) -> bardo.Grimoire:
    settings = {"dreams": {"idle_minutes": 5, "rounds": 4, **dreams}, "clock": {"unit": "loops"}}
    return bardo.open(folder, embedder=letter_vectors, clock=clock, seed=1, config=settings)


def live(g: bardo.Grimoire, ticks: range, level: float = 0.0) -> None:
    g.remember(
        [
            Episode(
                f"reading {n}",
                tick=n,
                subjects=("sensor",),
                payload={"level": level + n % 7},
                verified=True,
            )
            for n in ticks
        ]
    )


def reached(is_so: Callable[[], object]) -> bool:
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.005)
    return False


def counts(g: bardo.Grimoire) -> tuple[int, int, int]:
    # Not by `stats`, which is a call and would interrupt.
    told = g._session.idle.stats()
    return told["started"], told["completed"], told["interrupted"]


def test_a_dream_starts_after_the_idle_time_and_once_for_what_was_lived(
    g: bardo.Grimoire, clock: ManualClock
) -> None:
    dreams: list[DreamComplete] = []
    g.on(DreamComplete, dreams.append)
    live(g, range(1, 301))
    g.sleep()
    clock.advance(4 * MINUTE)
    g.tick(301)
    time.sleep(0.2)
    assert counts(g) == (0, 0, 0)
    clock.advance(MINUTE)
    g.tick(302)
    assert reached(lambda: counts(g) == (1, 1, 0)), counts(g)
    assert dreams[0].rounds == 4
    assert dreams[0].notes == ("it started by itself after 5 idle minutes",)
    clock.advance(60 * MINUTE)
    g.tick(303)
    time.sleep(0.2)
    assert counts(g) == (1, 1, 0), "there was nothing new to dream of"
    live(g, range(303, 310))
    clock.advance(5 * MINUTE)
    g.tick(310)
    assert reached(lambda: counts(g) == (2, 2, 0)), counts(g)
    assert g.stats()["dreams"] == {
        "idle_minutes": 5.0, "started": 2, "completed": 2, "interrupted": 0, "dreaming": False, "fault": None,
    }  # fmt: skip


def test_what_a_dream_proposed_is_an_act_of_the_journal(g: bardo.Grimoire, clock: ManualClock) -> None:
    live(g, range(1, 2_001))
    # The level has shifted of late: a dream proposes that.
    live(g, range(2_001, 2_801), level=40.0)
    g.sleep()
    clock.advance(5 * MINUTE)
    g.tick(2_801)
    assert reached(lambda: counts(g) == (1, 1, 0)), counts(g)
    assert next(act.name for act in g.journal.list()) == "dream"
    proposed = g.facts.list(source="dream", status=None)
    assert proposed
    assert "may have shifted" in proposed[0].text


def test_passes_of_an_idle_loop_do_not_put_a_dream_off(g: bardo.Grimoire, clock: ManualClock) -> None:
    live(g, range(1, 301))
    for tick in range(301, 701):
        clock.advance(1.0)
        g.tick(tick)
    assert reached(lambda: counts(g)[1] == 1), counts(g)


def test_the_system_clock_starts_one_without_any_call(tmp_path: Path) -> None:
    settings = {"dreams": {"idle_minutes": 0.005, "rounds": 1}}
    with bardo.open(tmp_path / "a", embedder=letter_vectors, seed=1, config=settings) as memory:
        live(memory, range(1, 65))
        assert reached(lambda: counts(memory)[1] == 1), counts(memory)


@pytest.mark.parametrize("call", ["remember", "recall", "context", "learn", "stats"])
def test_any_call_interrupts_a_dream_without_waiting_for_it(
    g: bardo.Grimoire, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    live(g, range(1, 301))
    g.sleep()
    dreaming, go_on = threading.Event(), threading.Event()
    batch = type(g._replays.replayer).batch

    def held(*args: object, **options: object) -> object:
        dreaming.set()
        assert go_on.wait(PATIENCE)
        return batch(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(type(g._replays.replayer), "batch", held)
    clock.advance(5 * MINUTE)
    g.tick(301)
    assert dreaming.wait(PATIENCE)
    arguments = {"recall": ("reading",), "context": ("reading",), "stats": ()}.get(call, (f"{call} this",))
    # The dream cannot go on before this returns.
    getattr(g, call)(*arguments)
    assert g._session.idle.stats()["dreaming"]
    go_on.set()
    assert reached(lambda: counts(g) == (1, 0, 1)), counts(g)
    assert not g.facts.list(source="dream", status=None)
    assert all(act.name != "dream" for act in g.journal.list())
    clock.advance(5 * MINUTE)
    g.tick(302)
    assert reached(lambda: counts(g) == (2, 1, 1)), "an interrupted dream is made up for"


def test_two_dreams_are_never_made_at_once(
    g: bardo.Grimoire, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(g, range(1, 301))
    running, most = [0], [0]
    batch = type(g._replays.replayer).batch

    def counted(*args: object, **options: object) -> object:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.01)
        drawn = batch(*args, **options)  # type: ignore[arg-type]
        running[0] -= 1
        return drawn

    monkeypatch.setattr(type(g._replays.replayer), "batch", counted)
    clock.advance(5 * MINUTE)
    g.tick(301)
    threads = [threading.Thread(target=lambda: g.curator.dream(rounds=3)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert most == [1]


def test_no_dream_runs_beside_a_deletion_or_after_death_or_close(tmp_path: Path, clock: ManualClock) -> None:
    memory = opened(tmp_path / "mortal", clock)
    live(memory, range(1, 301))
    clock.advance(5 * MINUTE)
    memory.tick(301)
    with memory._session.idle.awake():
        assert not memory._session.idle.stats()["dreaming"]
    memory.bequeath(tmp_path / "will.testament", cause="test")
    before = counts(memory)
    clock.advance(5 * MINUTE)
    memory._session.idle.look()
    time.sleep(0.2)
    assert counts(memory) == before
    watching = memory._session.idle._thread
    assert watching is not None
    memory.close()
    assert not watching.is_alive()


def test_a_failed_dream_is_told_and_ends_nothing(
    g: bardo.Grimoire, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(g, range(1, 301))

    def broken(*_: object, **__: object) -> object:
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(type(g._replays.replayer), "batch", broken)
        clock.advance(5 * MINUTE)
        g.tick(301)
        assert reached(lambda: counts(g) == (1, 0, 1)), counts(g)
    assert g.stats()["dreams"]["fault"] == "OSError: the disk is full"
    clock.advance(5 * MINUTE)
    g.tick(302)
    assert reached(lambda: counts(g) == (2, 1, 1)), counts(g)


def test_no_thread_watches_unless_it_is_asked_for(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=letter_vectors) as memory:
        assert memory._session.idle._thread is None
        assert memory.stats()["dreams"]["idle_minutes"] == 0.0
