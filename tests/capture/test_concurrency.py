"""Many threads and many processes at one memory: no call waits for a lock longer than for the disk."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo import errors
from bardo._core import EpisodeLog
from bardo.index.embedding import embedders
from bardo.model import Episode
from helpers.models import letters

THREADS = 32
EACH = 8
VISITOR = Path(__file__).with_name("visiting_process.py")


def model() -> embedders.TextEmbedder:
    return letters()


def at_once(work: Callable[[int], None]) -> None:
    """Runs the work in many threads that start together, and raises what any of them raised."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_thirty_two_threads_remember_and_recall_at_once(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", embedder=model(), seed=1) as grimoire:
        stored: dict[int, list[str]] = {}

        def work(number: int) -> None:
            mine = []
            for step in range(EACH):
                text = f"thread{number} saw event{number}x{step}"
                mine.append(grimoire.remember(text, subjects=[f"t{number}"]).id)
                found = grimoire.recall(f"event{number}x{step}", limit=5)
                assert text in [memory.text for memory in found]
            stored[number] = mine

        at_once(work)
        everything = {episode.id for episode in grimoire.episodes.list()}
        assert everything == {id_ for mine in stored.values() for id_ in mine}
        assert len(everything) == THREADS * EACH
        for number, mine in stored.items():
            assert [episode.id for episode in grimoire.episodes.list(subject=f"t{number}")] == mine
    with bardo.open(tmp_path / "agent", embedder=model()) as again:
        assert {episode.id for episode in again.episodes.list()} == everything


def test_threads_share_the_wait_for_the_disk(tmp_path: Path, record_property: Callable[..., None]) -> None:
    """One thread pays one sync for each call; many threads share them, and get more done in the same time."""
    rates = {}
    syncs = {}
    for name, threads in (("one", 1), ("many", THREADS)):
        log = EpisodeLog(str(tmp_path / f"{name}.redb"), agent="a", seed=1, now=1)
        before = log.stats()["syncs"]
        start = time.perf_counter()
        if threads == 1:
            for number in range(THREADS * EACH):
                log.record([Episode(f"event {number}", tick=1)], now=1)
        else:
            at_once(lambda number, log=log: _several(log, number))
        rates[name] = THREADS * EACH / (time.perf_counter() - start)
        syncs[name] = log.stats()["syncs"] - before
        assert log.stats()["episodes"] == THREADS * EACH
        log.close()
    record_property("episodes per second, one thread and many", rates)
    # The file itself takes a sync each time it grows.
    assert THREADS * EACH <= syncs["one"] <= THREADS * EACH + 16
    assert syncs["many"] <= syncs["one"] / 2, syncs


def _several(log: EpisodeLog, number: int) -> None:
    for step in range(EACH):
        log.record([Episode(f"event {number} {step}", tick=1)], now=1)


def test_other_threads_run_while_one_waits_for_the_disk(tmp_path: Path) -> None:
    """The interpreter's lock is free while the core works: a thread that only counts goes on counting."""
    log = EpisodeLog(str(tmp_path / "log.redb"), agent="a", seed=1, now=1)
    counted, meanwhile = 0, 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            time.sleep(0)
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    for call in range(40):
        batch = [
            Episode(f"event {call} {number} " + "word " * 40, tick=1, payload=[number])
            for number in range(500)
        ]
        before = counted
        log.record(batch, now=1)
        meanwhile += counted - before
    done.set()
    counter.join()
    log.close()
    assert meanwhile > 100


class Visit:
    """A second process that looks into a memory while this one has it open."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self._process = subprocess.Popen(
            [sys.executable, str(VISITOR), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def __enter__(self) -> Visit:
        self.began = self._told()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0

    def ask(self, query: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(query) + "\n")
        self._process.stdin.flush()
        return self._told()

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told


def test_another_process_recalls_and_drops_into_the_inbox_while_the_owner_works(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with bardo.open(folder, embedder=model(), agent="agent", seed=1) as grimoire:
        grimoire.remember([f"the owner saw event {n}" for n in range(20)])
        grimoire.learn("Events come in twenties")
        grimoire.sleep()
        lease = (folder / "lease.json").read_bytes()
        written = 20
        asked = threading.Event()
        with ThreadPoolExecutor(1) as owner, Visit(folder) as visit:

            def work() -> int:
                count = 0
                while not asked.is_set():
                    grimoire.remember(f"the owner saw event {written + count}")
                    count += 1
                return count

            working = owner.submit(work)
            try:
                told = visit.ask("the owner saw event 7")
            finally:
                asked.set()
            written += working.result()
            assert visit.began == {"locked": True, "agent": "agent"}, "a second owner was not refused"
            assert told["facts"] == ["Events come in twenties"]
            assert told["texts"][0] == "the owner saw event 7"
            assert "dense #1 (1.00)" in told["why"][0]
            assert any("episodes up to arrival 20 were searched" in note for note in told["notes"])
        grimoire.maintenance.drain_inbox()
        texts = {episode.text for episode in grimoire.episodes.list()}
        assert {f"dropped {n}" for n in range(10)} <= texts
        assert len(texts) == written + 10
        assert (folder / "lease.json").read_bytes() == lease


def test_another_process_sees_facts_and_the_journal_at_once_and_the_rest_once_the_owner_has_slept(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "agent"
    with bardo.open(folder, embedder=model(), agent="agent", seed=1) as grimoire:
        grimoire.remember("the ferry left early")
        with Visit(folder) as visit:
            told = visit.ask("when did the ferry leave?")
            assert told["texts"] == []
            assert any("none until the owner sleeps" in note for note in told["notes"])
            assert not any("nothing was remembered" in note for note in told["notes"])

            grimoire.learn("Ferries leave early")
            told = visit.ask("when do ferries leave?")
            assert told["texts"] == told["facts"] == ["Ferries leave early"]

            grimoire.sleep()
            told = visit.ask("the ferry left early")
            assert told["texts"][0] == "the ferry left early"
            assert set(told["layers"]) == {"episode", "fact"}

            grimoire.remember("the ferry came back late")
            assert "the ferry came back late" in visit.ask("the ferry came back late")["texts"]
            grimoire.sleep()
            assert visit.ask("the ferry came back late")["texts"][0] == "the ferry came back late"

            grimoire.maintenance.rebuild()
            assert visit.ask("the ferry came back late")["texts"][0] == "the ferry came back late"
            forgotten = next(e for e in grimoire.episodes.list() if "came back" in e.text)
            grimoire.forget(forgotten, reason="test")
            assert "the ferry came back late" not in visit.ask("the ferry came back late")["texts"]
            grimoire.forget(grimoire.facts.list()[0], reason="test")
            assert "Ferries leave early" not in visit.ask("when do ferries leave?")["texts"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_is_refused_clearly_and_the_parent_goes_on(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", embedder=model(), seed=1) as grimoire:
        first = grimoire.remember("before the fork")
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()

        def child() -> None:
            for verb in (
                lambda: grimoire.remember("in the child"),
                lambda: grimoire.recall("fork"),
                lambda: grimoire.episodes.get(first.id),
                lambda: grimoire.forget(first.id, reason="x"),
            ):
                try:
                    verb()
                    answers.put("it worked")
                except errors.GrimoireClosedError as error:
                    answers.put(str(error))
            os._exit(0)

        process = context.Process(target=child)
        process.start()
        told = [answers.get() for _ in range(4)]
        process.join()
        assert all("fork" in answer and "spawn" in answer for answer in told), told
        assert grimoire.remember("after the fork").text == "after the fork"
        assert len(list(grimoire.episodes.list())) == 2


@pytest.mark.parametrize("reading", [1, 2])
def test_a_record_gets_the_tick_of_one_that_overtook_it(tmp_path: Path, reading: int) -> None:
    class OvertakenClock(bardo.ManualClock):
        """Lets another record be made, in the next second, between one of the readings and its use."""

        left = 0
        overtake: Callable[[], object] = staticmethod(lambda: None)

        def now(self) -> int:
            read = super().now()
            self.left -= 1
            if self.left == 0:
                self.advance(1_000_000)
                self.overtake()
            return read

    clock = OvertakenClock(1_760_000_000_000_000)
    with bardo.open(tmp_path / "agent", embedder=model(), seed=1, clock=clock) as grimoire:
        grimoire.remember("the depot opened")
        closed: list[Episode] = []
        clock.overtake = lambda: closed.append(grimoire.remember("the depot closed"))
        clock.left = reading
        burned = grimoire.remember("the depot burned")
    assert [burned.tick] == [one.tick for one in closed]
