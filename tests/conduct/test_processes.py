"""Any number of processes gate at once, while another one owns the memory and works."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo._core import FactStore
from bardo.conduct.storage.store import FILE_NAME
from helpers.models import letters

PROCESSES = 5
CHILD = Path(__file__).with_name("gating_process.py")


def owned(folder: Path) -> bardo.Grimoire:
    return bardo.open(folder, agent="trader", embedder=letters(), seed=1)


class Process:
    """A process that gates in a folder; see `gating_process.py`."""

    def __init__(self, folder: Path, number: int = 0) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.running = subprocess.Popen(
            [sys.executable, str(CHILD), str(folder), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def say(self, verb: str, given: object = None) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(json.dumps([verb, given]) + "\n")
        self.running.stdin.flush()

    def told(self) -> Any:
        assert self.running.stdout is not None
        return json.loads(self.running.stdout.readline())

    def ask(self, verb: str, given: object = None) -> Any:
        self.say(verb, given)
        return self.told()


@contextlib.contextmanager
def processes(folder: Path, count: int = PROCESSES) -> Iterator[list[Process]]:
    """Several that are ready; each must end well."""
    started = [Process(folder, number) for number in range(count)]
    try:
        assert [each.told() for each in started] == ["ready"] * count
        yield started
        for each in started:
            each.running.communicate()
        assert [each.running.returncode for each in started] == [0] * count
    finally:
        for each in started:
            each.running.kill()
            each.running.communicate()


def test_processes_reject_and_ask_at_once_while_the_owner_works(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    each_rejects = 8
    with owned(folder) as grimoire, processes(folder) as others, bardo.gate(folder, words_only=True) as gate:
        grimoire.remember("the owner was here first")
        for number, other in enumerate(others):
            other.say("reject", [f"sell token{number}x{step}" for step in range(each_rejects)])
        for step in range(20):
            text = f"the owner saw event {step}"
            grimoire.remember(text, verified=True)
            assert text in [memory.text for memory in grimoire.recall(text)]
            gate.note("task", f"look at event {step}")
        grimoire.sleep()
        ids = [[other.told() for _ in range(each_rejects)] for other in others]
        assert len({id_ for mine in ids for id_ in mine}) == PROCESSES * each_rejects
        for number, other in enumerate(others):
            last = (number + 1) % PROCESSES
            asked = other.ask("before", f"sell token{last}x{each_rejects - 1}")
            assert asked == {"decision": "block", "ids": [ids[last][-1]]}
        assert {entry.id for entry in gate.state("rejected")} == {id_ for mine in ids for id_ in mine}
        assert len(gate.state("task")) == 20
        assert len(list(grimoire.episodes.list())) == 21


def test_the_same_said_by_many_at_once_is_kept_once_and_counted_by_each(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    owned(folder).close()
    with bardo.gate(folder, words_only=True) as gate:
        gate.rule("Look at the gas price before a swap", score=5)
        with processes(folder) as others:
            for other in others:
                other.say("reject", ["short ETH on weekends"] * 10)
                other.say("after", "swap at the gas price")
            told = [[other.told() for _ in range(11)] for other in others]
        assert {id_ for each in told for id_ in each[:10]} == {gate.state("rejected")[0].id}
        assert len(gate.state("rejected")) == 1
        assert gate.rules()[0].score == 5 + PROCESSES * 0.5


def test_many_processes_make_the_file_at_the_same_moment(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    owned(folder).close()
    names = [f"store{number}" for number in range(60)]
    for name in names:
        (folder / name).mkdir()
        FactStore(folder / name / "facts.db", agent="trader", seed=0).close()
    with processes(folder) as others:
        for other in others:
            other.say("make", names)
        made = [[other.told() for _ in names] for other in others]
    for place in range(len(names)):
        assert {ids[place] for ids in made} == {f"s{n + 1}" for n in range(PROCESSES)}


def test_a_file_that_another_process_is_about_to_make_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    owned(folder).close()
    maker = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    maker.execute("BEGIN IMMEDIATE")
    kept = []
    with bardo.gate(folder, words_only=True) as gate:
        rejecting = threading.Thread(target=lambda: kept.append(gate.reject("short ETH")))
        rejecting.start()
        rejecting.join(0.2)
        assert kept == []
        assert rejecting.is_alive(), "it gave up"
        maker.execute("COMMIT")
        maker.close()
        rejecting.join()
        assert gate.state() == kept


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("after", [1, 7, 60])
def test_a_process_that_is_killed_while_it_rejects_loses_nothing_that_it_was_told_is_kept(
    tmp_path: Path, after: int
) -> None:
    folder = tmp_path / "agent"
    with owned(folder) as grimoire, bardo.gate(folder, words_only=True) as gate:
        killed = Process(folder)
        assert killed.told() == "ready"
        killed.say("reject", [f"sell token{step}" for step in range(5_000)])
        told = [killed.told() for _ in range(after)]
        killed.running.send_signal(signal.SIGKILL)
        # `communicate` would leave out the lines that `readline` has already taken into its buffer.
        assert killed.running.stdout is not None
        rest = killed.running.stdout.read().splitlines()
        killed.running.communicate()
        told += [json.loads(line) for line in rest if line.endswith('"')]
        assert len(told) < 5_000
        kept = [entry.id for entry in gate.state("rejected")]
        # One more may be kept whose word did not reach us.
        assert kept[::-1][: len(told)] == told
        assert len(kept) <= len(told) + 1
        assert not gate.before(f"sell token{after - 1}").allowed
        assert gate.reject("buy bonds").id not in told
        assert grimoire.remember("the owner goes on").text == "the owner goes on"


def test_an_entry_made_after_a_deletion_is_seen_by_another_process(tmp_path: Path) -> None:
    """Reading the file for traces must not take the locks of a gate that this process has open."""
    folder = tmp_path / "agent"
    with owned(folder) as grimoire, bardo.gate(folder, words_only=True) as gate:
        gate.reject("short ETH on weekends")
        grimoire.forget(grimoire.remember("a secret that is long enough to be looked for"), reason="asked to")
        with processes(folder, 1) as (other,):
            other.ask("reject", ["short BTC on weekends"])
            other.ask("close")
        gate.reject("sell the vault")
        with processes(folder, 1) as (other,):
            assert other.ask("before", "sell the vault")["decision"] == "block"
            assert other.ask("before", "short BTC on weekends")["decision"] == "block"
