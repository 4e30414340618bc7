"""Events: a listener is called after each verb; a listener that fails stops nothing."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

import bardo
from bardo.errors import GrimoireClosedError, InvalidInputError
from bardo.ports import ManualClock
from helpers.models import length_vectors


def opened(folder: Path) -> bardo.Grimoire:
    return bardo.open(
        folder, agent=folder.name, embedder=length_vectors, clock=ManualClock(1_700_000_000_000_000), seed=1
    )


def test_every_pass_tells_its_report_to_who_listens(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        heard: list[bardo.CuratorCycleComplete] = []
        again: list[int] = []
        leave = g.on(bardo.CuratorCycleComplete, heard.append)
        g.on(bardo.CuratorCycleComplete, lambda done: again.append(done.tick))
        g.remember("the pool was read", verified=True)
        assert heard == []
        assert [g.sleep()] == heard
        assert g.tick(g.now_tick + 1) is None
        due = g.tick(g.now_tick + 50)
        assert heard[1:] == [due]
        g.sleep(dry_run=True)
        leave()
        leave()
        g.sleep()
        assert (len(heard), len(again)) == (2, 3)


def test_dreams_lints_deletions_deaths_and_inheritances_are_events(tmp_path: Path) -> None:
    heard: list[str] = []

    def tell(event: object) -> None:
        heard.append(type(event).__name__)

    kinds = (bardo.DreamComplete, bardo.LintReport, bardo.ForgetReport, bardo.Testament)
    with opened(tmp_path / "a") as g:
        for kind in kinds:
            g.on(kind, tell)
        episode = g.remember("the pool was read", verified=True)
        g.curator.dream(rounds=1)
        g.curator.lint(dry_run=True)
        g.curator.lint()
        g.forget(episode, reason="asked to")
        left = g.bequeath(tmp_path / "a.testament")
    with opened(tmp_path / "b") as heir:
        heir.on(bardo.InheritanceReport, tell)
        heir.lineage.adopt([left])
    own = ["DreamComplete", "LintReport", "ForgetReport", "Testament", "InheritanceReport"]
    # The last pass of a life may do the day's lint.
    assert [name for place, name in enumerate(heard) if name not in heard[:place]] == own


def test_an_error_of_a_listener_is_logged_and_stops_no_verb(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(done: bardo.CuratorCycleComplete) -> None:
        raise RuntimeError(f"no room for tick {done.tick}")

    with opened(tmp_path / "a") as g, caplog.at_level(logging.ERROR):
        heard: list[bardo.CuratorCycleComplete] = []
        g.on(bardo.CuratorCycleComplete, fail)
        g.on(bardo.CuratorCycleComplete, heard.append)
        report = g.sleep()
        assert heard == [report]
        assert "a listener of CuratorCycleComplete failed" in caplog.text
        assert f"no room for tick {report.tick}" in caplog.text


def test_a_listener_may_use_the_memory_and_end_its_own_subscription(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:

        def once(done: bardo.CuratorCycleComplete) -> None:
            leave()
            g.remember(f"the Curator came by with {done.episodes} episodes")
            g.sleep()

        leave = g.on(bardo.CuratorCycleComplete, once)
        g.sleep()
        assert len(g.recall("the Curator came by")) == 1


def test_an_event_reaches_a_loop_of_asyncio(tmp_path: Path) -> None:
    async def listen() -> bardo.CuratorCycleComplete:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[bardo.CuratorCycleComplete] = asyncio.Queue()
        with opened(tmp_path / "a") as g:
            g.on(bardo.CuratorCycleComplete, lambda done: loop.call_soon_threadsafe(queue.put_nowait, done))
            await asyncio.to_thread(g.sleep)
            return await asyncio.wait_for(queue.get(), 10)

    assert asyncio.run(listen()).passes == 1


def test_an_unknown_event_and_a_closed_memory_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g, pytest.raises(InvalidInputError, match="CuratorCycleComplete"):
        g.on(bardo.Episode, print)
    with pytest.raises(GrimoireClosedError):
        g.on(bardo.LintReport, print)
