"""The dossier lists the prohibitions and approvals that the gate holds, and is stale once these change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.pages.dossier_page import ORDERS
from bardo.ports import ManualClock
from helpers.models import letter_vectors

NOW = 1_800_000_000_000_000
DAY = 86_400


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def house(tmp_path: Path, clock: ManualClock) -> Iterator[tuple[bardo.Grimoire, bardo.Gate]]:
    with (
        bardo.open(tmp_path, agent="office", clock=clock, embedder=letter_vectors) as memory,
        bardo.gate(tmp_path, clock=clock, words_only=True) as gate,
    ):
        yield memory, gate


def lines_of(page: str, section: str = ORDERS) -> list[str]:
    _, _, rest = page.partition(f"## {section}\n")
    return [line.partition(". ")[2] for line in rest.partition("\n\n")[0].splitlines()]


def test_prohibitions_stand_first_with_their_author_and_day(house, clock):
    memory, gate = house
    memory.learn("The depot closes at nine", confidence=0.9)
    gate.reject("paint the hallway grey")
    gate.rule("Never stack crates", by="Imke", forbids="stack crates")
    clock.advance(DAY)
    gate.reject("lend out the ladder", by="Luis")
    page = memory.pages.dossier().text
    assert lines_of(page) == [
        "Rejected: lend out the ladder (Luis; 16 January 2027)",
        "Never stack crates (Imke; 15 January 2027)",
        "Rejected: paint the hallway grey (15 January 2027)",
    ]
    assert page.index(ORDERS) < page.index("The depot closes at nine")


def test_a_lifted_prohibition_leaves_the_page(house):
    memory, gate = house
    gate.reject("lend out the ladder", by="Luis")
    assert lines_of(memory.pages.dossier().text)
    gate.lift(gate.state("rejected")[0].id, by="Luis")
    assert memory._page_writer.fresh_dossier() is None
    assert ORDERS not in memory.pages.dossier().text


def test_a_rule_that_decays_leaves_the_page_though_the_gate_stays_as_it_is(house, clock):
    memory, gate = house
    gate.rule("Never stack crates", forbids="stack crates")
    assert lines_of(memory.pages.dossier().text)
    clock.advance(2_000 * DAY)
    assert memory._page_writer.fresh_dossier() is None
    assert ORDERS not in memory.pages.dossier().text


def test_a_page_without_orders_stays_fresh(house):
    memory, gate = house
    memory.learn("The depot closes at nine", confidence=0.9)
    memory.pages.dossier()
    gate.note("task", "order new crates from Lorenz")
    assert memory._page_writer.fresh_dossier() is not None


def test_the_page_says_how_many_prohibitions_have_no_room(house):
    memory, gate = house
    for number in range(40):
        gate.reject(
            f"send the parcels of street {number} with the night train that leaves the old depot after nine",
            by="Luis",
        )
    page = memory.pages.dossier()
    shown = lines_of(page.text)
    assert 10 <= len(shown) < 40
    assert f"{40 - len(shown)} prohibitions left out" in page.text


def test_a_prompt_with_the_dossier_has_each_prohibition_once(house):
    memory, gate = house
    memory.learn("The depot closes at nine", confidence=0.9)
    gate.reject("lend out the ladder", by="Luis")
    memory.pages.dossier()
    prompt = str(memory.context("May Ann have the ladder?", dossier=True))
    assert "The depot closes at nine" in prompt
    assert prompt.count("lend out the ladder") == 1
