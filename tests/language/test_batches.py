"""Batches of messages for a language model: complete ones in a pass of `tick`, and none lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from chat import NOON
from serving import Server, replies, serving

import bardo
from bardo.ports import ManualClock
from helpers.models import word_vectors

CHILD = Path(__file__).with_name("asking_child.py")
MINUTE = 60
#: Statements that the rules find: each names a town.
TOWNS = ["Bern", "Oslo", "Porto", "Lima", "Turin", "Graz", "Cadiz", "Minsk"]


def message(place: int) -> dict[str, str]:
    return {"role": "user", "name": f"Mira{place}", "content": f"I live in {TOWNS[place]} beside the river"}


def answer(request: dict[str, Any]) -> Any:
    return {"facts": []}


def open_with(
    server: Server, folder: Path, clock: ManualClock, every_ticks: int = 1, **options: Any
) -> bardo.Grimoire:
    curator = {"language": "", "every_ticks": every_ticks, "shadow": False, "summaries": False}
    config = {"llm": {"model": "m", "base_url": server.url}, "curator": curator}
    return bardo.open(folder, embedder=word_vectors, clock=clock, seed=1, config=config, **options)


def questions(server: Server) -> list[list[str]]:
    """Returns the towns in each question."""
    return [
        re.findall(r"I live in (\w+)", request["messages"][-1]["content"])
        for request in server.requests
        if "Message 1," in request["messages"][-1]["content"]
    ]


def test_a_pass_of_tick_asks_about_complete_batches_alone(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with serving(replies(answer)) as server, open_with(server, tmp_path / "a", clock) as g:
        g.remember([message(0), message(1)], tick=1)
        g.tick(2)
        assert (questions(server), [*g.facts.list()]) == ([], [])
        g.remember([message(2), message(3)], tick=3)
        g.tick(4)
        assert questions(server) == [TOWNS[:3]]
        # Nothing of the first batch was worth saving, so that the next one has five messages.
        g.remember([message(place) for place in range(4, 7)], tick=5)
        g.tick(6)
        assert len(questions(server)) == 1
        g.remember(message(7), tick=7)
        g.tick(8)
        assert questions(server)[1:] == [TOWNS[3:8]]


def test_an_idle_batch_is_asked_about_after_five_minutes(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with serving(replies(answer)) as server, open_with(server, tmp_path / "a", clock, every_ticks=1_000) as g:
        g.remember([message(0), message(1)], tick=1)
        g.tick(2)
        clock.advance(4 * MINUTE)
        assert g.tick(3) is None
        clock.advance(2 * MINUTE)
        assert g.tick(4) is not None
        assert questions(server) == [TOWNS[:2]]
        clock.advance(10 * MINUTE)
        assert g.tick(5) is None


def test_sleep_asks_about_all_messages(tmp_path: Path) -> None:
    with serving(replies(answer)) as server, open_with(server, tmp_path / "a", ManualClock(NOON)) as g:
        g.remember([message(0), message(1)])
        g.sleep()
        assert questions(server) == [TOWNS[:2]]
        assert len([*g.facts.list()]) == 2


def test_trivial_messages_and_events_do_not_wait(tmp_path: Path) -> None:
    with serving(replies(answer)) as server, open_with(server, tmp_path / "a", ManualClock(NOON)) as g:
        g.remember(["Block 1 was late", {"role": "user", "content": "thanks a lot!"}, message(0)], tick=1)
        report = g.tick(2)
        assert report is not None
        assert (report.texts_read, questions(server)) == (1, [])
        g.remember([message(1), message(2)], tick=3)
        g.tick(4)
        assert questions(server) == [TOWNS[:3]]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be killed there without warning")
def test_a_killed_process_loses_no_waiting_message(tmp_path: Path) -> None:
    with serving(replies(answer)) as server:
        texts = [message(place)["content"] for place in range(2)]
        paths = [str(Path(bardo.__file__).parents[1]), str(Path(__file__).parents[1])]
        child = subprocess.Popen(
            [sys.executable, CHILD, tmp_path / "a", server.url, str(NOON), *texts],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        with child:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            child.send_signal(signal.SIGKILL)
        assert questions(server) == []
        clock = ManualClock(NOON)
        with open_with(server, tmp_path / "a", clock) as g:
            g.tick(3)
            assert questions(server) == []
            clock.advance(5 * MINUTE)
            g.tick(4)
            g.tick(5)
        assert questions(server) == [TOWNS[:2]]
