"""The last pass of a life hears what was said since the pass before."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

ORDERS = [
    "Please don't touch the archive bucket bw-archive-2019, legal has a hold on it.",
    "Never reboot pump-7 by remote.",
]
FORBIDDEN = ["delete files in bw-archive-2019", "reboot pump-7 by remote"]


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_780_000_000_000_000)


def told(path: Path, *texts: str, clock: bardo.ManualClock) -> bardo.Grimoire:
    agent = bardo.open(path, clock=clock)
    for text in texts:
        agent.remember(text, role="user", speaker="Solveig", kind="turn", thread="ops-room")
    return agent


def summaries(folder: Path, kind: str) -> list[str]:
    with bardo.gate(folder, words_only=True) as gate:
        return [entry.summary for entry in gate.state(kind)]


@pytest.mark.parametrize("way", ["at once", "in steps", "posthumous"])
def test_orders_said_since_the_last_pass_cross_a_death(
    tmp_path: Path, clock: bardo.ManualClock, way: str
) -> None:
    file = tmp_path / "ann.testament"
    with told(tmp_path / "ann", *ORDERS, clock=clock) as agent:
        if way == "at once":
            agent.bequeath(file)
        elif way == "in steps":
            agent.death.begin(path=file)
            agent.death.complete()
    if way == "posthumous":
        bardo.bequeath_posthumously(tmp_path / "ann", file)
    with bardo.inherit(file, tmp_path / "ben", clock=clock):
        pass
    with bardo.gate(tmp_path / "ben") as gate:
        assert [gate.before(action).decision for action in FORBIDDEN] == ["block", "block"]
        assert gate.before("list files in bw-current").decision == "allow"


def test_a_checklist_has_the_tasks_said_before_the_death_and_none_said_after(
    tmp_path: Path, clock: bardo.ManualClock
) -> None:
    with told(tmp_path / "ann", "Remember to send Marit the report by Friday.", clock=clock) as agent:
        agent.death.begin(path=tmp_path / "ann.testament")
        (task,) = agent.death.checklist()
        assert "report" in task.summary
        agent.death.settle(task.id, "sent")
        clock.advance(seconds=60)
        for text in ("Remember to call the harbour master tomorrow.", ORDERS[1]):
            agent.remember(text, role="user", speaker="Solveig", kind="turn", thread="ops-room")
        testament = agent.death.complete()
    assert [one.text for one in testament.conduct] == [ORDERS[1]]
