"""Rejections about the task come first in a prompt if not all fit, then the newest."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.briefing import state_block
from bardo.conduct.match.related import related
from bardo.conduct.model.entries import StateEntry
from bardo.ports import ManualClock

NOW = 1_800_000_000_000_000
DRAINS = "please don't send Brandt to leaks any more"
ORDERS = "Never order reagents from Acme without a quote"
OTHERS = [
    f"don't {act}, as all owners of the house decided with each other in the meeting of {month}"
    for month in ("March", "April", "June", "July", "October")
    for act in ("paint the hallway grey", "light the grill on the balcony", "leave the cellar door open",
                "park the van in the fire lane", "throw away old leases", "feed the pigeons")
]  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> tuple[Path, ManualClock]:
    """A memory whose oldest rejections are about drains and orders, before thirty others."""
    clock = ManualClock(NOW)
    bardo.open(tmp_path, agent="office", clock=clock).close()
    with bardo.gate(tmp_path, clock=clock) as gate:
        for text in (DRAINS, ORDERS, *OTHERS):
            gate.reject(text, by="Luis")
            clock.advance(60)
    return tmp_path, clock


def told(prompt: str) -> list[str]:
    return [line.partition("): ")[2] for line in prompt.splitlines() if line.startswith("rejected (")]


def test_a_prompt_shows_the_rejections_about_the_task_first(house: tuple[Path, ManualClock]) -> None:
    folder, clock = house
    with bardo.open(folder, agent="office", clock=clock) as memory:
        drain = told(str(memory.context("The kitchen drain leaks again. Okafor or Brandt?", budget=2_500)))
        order = told(str(memory.context("Which reagents shall we order, and where?", budget=2_500)))
        plain = told(str(memory.context("What is the weather like?", budget=2_500)))
        assert drain[0] == DRAINS
        assert order[0] == ORDERS
        assert plain[0] == drain[1] == OTHERS[-1]
        # Each is there once.
        assert len(drain) == len(set(drain))


def test_a_turn_tells_by_words_which_rejections_are_about_it(house: tuple[Path, ManualClock]) -> None:
    folder, clock = house
    with bardo.open(folder, agent="office", clock=clock) as memory:
        turn = memory.turn("Shall I send Brandt to the leaks in flat 10?")
        assert told(turn.text)[0] == DRAINS


def test_what_fits_is_not_compared(house: tuple[Path, ManualClock]) -> None:
    folder, clock = house
    with bardo.open(folder, agent="office", clock=clock) as memory:
        store = memory._recovery.store

        def asked() -> list[StateEntry]:
            raise AssertionError("all entries fit, so none needs to come first")

        assert state_block(store, cap=100_000, about=asked) is not None
        index = memory._recovery._index
        assert [row.id for row in related(index, "order reagents from Acme", None, now=NOW)] == ["s2"]
