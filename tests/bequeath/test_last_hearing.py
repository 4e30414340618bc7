"""The gate of an heir blocks what users forbade since the last pass, however the agent dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

import bardo

SAID = (
    "Never reboot pump-7 by remote.",
    "Please don't touch the archive bucket bw-archive-2019, legal has a hold on it.",
)
FORBIDDEN = ("reboot pump-7 by remote", "delete files in bw-archive-2019")


def tell(folder: Path, seconds: float = 0.0) -> bardo.Grimoire:
    memory = bardo.open(folder, config={"bequeath": {"seconds": seconds}})
    for text in SAID:
        memory.remember(text, role="user", speaker="Solveig", kind="turn", thread="ops")
    return memory


def live_and_be_killed(folder: Path) -> None:
    tell(folder)
    os.kill(os.getpid(), signal.SIGKILL)


def decisions_of_heir(testament: Path, folder: Path) -> list[str]:
    bardo.inherit(testament, folder).close()
    with bardo.gate(folder) as gate:
        return [gate.before(action).decision for action in FORBIDDEN]


@pytest.mark.parametrize("seconds", [0.0, 0.001])
def test_a_death_hears_what_was_said_since_the_last_pass(tmp_path: Path, seconds: float):
    with tell(tmp_path / "parent", seconds) as memory:
        memory.bequeath(tmp_path / "t.testament")
    assert decisions_of_heir(tmp_path / "t.testament", tmp_path / "heir") == ["block", "block"]


def test_a_posthumous_testament_hears_it_too(tmp_path: Path):
    child = multiprocessing.get_context("spawn").Process(
        target=live_and_be_killed, args=(tmp_path / "parent",)
    )
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    bardo.bequeath_posthumously(tmp_path / "parent", tmp_path / "t.testament")
    assert decisions_of_heir(tmp_path / "t.testament", tmp_path / "heir") == ["block", "block"]
