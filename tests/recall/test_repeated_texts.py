"""The same text on several days stands once in an answer; with real indexes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.model import Episode

DAY = 86_400_000_000
NOW = int(datetime(2026, 3, 2, 9, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.fixture
def memory(tmp_path: Path):
    with bardo.open(tmp_path / "agent", clock=bardo.ManualClock(NOW), seed=1) as opened:
        yield opened


def test_a_decision_that_was_repeated_for_weeks_stands_once_and_names_the_others(
    memory: bardo.Grimoire,
) -> None:
    pumps = ("north", "south")
    memory.remember(
        [
            Episode(f"flush the {pumps[number % 2]} pump", kind="decision", at=NOW - number * DAY // 2,
                    payload={"pressure": number / 100})
            for number in range(80)
        ]
    )  # fmt: skip
    memory.remember("the south pump leaks at the valve")
    found = memory.recall("Should we flush a pump?", limit=12)
    texts = [item.text for item in found]
    assert sorted(texts) == [
        "flush the north pump",
        "flush the south pump",
        "the south pump leaks at the valve",
    ]
    repeated = next(item for item in found if "north" in item.text)
    assert len(repeated.why.duplicates) > 5
    shown = [item.text for item in memory.context("Should we flush a pump?").memories]
    assert len(shown) == len(set(shown))


def test_texts_that_differ_in_a_number_or_in_who_said_them_stay_apart(memory: bardo.Grimoire) -> None:
    memory.remember("valve 3 was replaced", at=NOW - 3 * DAY)
    memory.remember("valve 4 was replaced", at=NOW - 4 * DAY)
    memory.remember("I replaced the valve", at=NOW - DAY, role="user", speaker="Ana")
    memory.remember("I replaced the valve", at=NOW - 2 * DAY, role="user", speaker="Bo")
    found = memory.recall("who replaced which valve", limit=10)
    assert len(found) == 4
