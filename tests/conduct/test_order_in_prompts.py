"""Order of the lines of conduct in prompts: sure prohibitions, other ones, then work and decisions."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.briefing import state_block
from bardo.ports import ManualClock

NOW = 1_800_000_000_000_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


def shown(folder: Path, clock: ManualClock, *, cap: int) -> list[str]:
    with bardo.gate(folder, clock=clock, words_only=True) as gate:
        block = state_block(gate._store, cap=cap)
    assert block is not None
    return [each.text.partition("): ")[2] for each in block.memories or ()]


def test_orders_of_persons_and_critical_rules_precede_everything_else(tmp_path: Path, clock: ManualClock):
    bardo.open(tmp_path, agent="office", clock=clock).close()
    with bardo.gate(tmp_path, clock=clock, words_only=True) as gate:
        gate.reject("lend out the ladder", by="Luis")
        clock.advance(60)
        gate.rule("Never stack crates", by="Imke", forbids="stack crates")
        for tell in (
            lambda: gate.reject("paint the hallway grey"),
            lambda: gate.note("task", "order new crates"),
            lambda: gate.note("decision", "the depot is in Ghent"),
        ):
            clock.advance(60)
            tell()
    assert shown(tmp_path, clock, cap=1_000) == [
        "Never stack crates",
        "lend out the ladder",
        "paint the hallway grey",
        "the depot is in Ghent",
        "order new crates",
    ]


def test_many_prohibitions_do_not_push_out_the_work(tmp_path: Path, clock: ManualClock):
    bardo.open(tmp_path, agent="office", clock=clock).close()
    with bardo.gate(tmp_path, clock=clock, words_only=True) as gate:
        for number in range(3):
            gate.note("task", f"order the crates of depot {number}")
        for number in range(30):
            clock.advance(60)
            gate.reject(f"lend out ladder number {number}", by="Luis")
    lines = shown(tmp_path, clock, cap=350)
    last = next(place for place, line in enumerate(lines) if line.startswith("order"))
    assert lines[:2] == ["lend out ladder number 29", "lend out ladder number 28"]
    assert 4 <= last < 10
    assert len(lines) == 33
