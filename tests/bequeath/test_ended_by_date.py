"""A message about something that ended with its own date crosses; one that another replaced does not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo


def at(month: int, day: int) -> int:
    return int(datetime(2026, month, day, 9, tzinfo=UTC).timestamp() * 1_000_000)


@pytest.mark.parametrize(
    "said",
    [
        "API v2 is extended to 15 November.",
        "The freeze lasts until 10 September.",
        "The support contract with Hetzner runs until 30 October.",
    ],
)
def test_what_ended_with_its_date_is_told_to_the_heir(tmp_path: Path, said: str) -> None:
    clock = bardo.ManualClock(at(9, 1))
    with bardo.open(tmp_path / "p", clock=clock) as memory:
        memory.remember(said, role="user", kind="turn", speaker="Ira")
        memory.remember("The ledger listens on port 7200.", role="user", kind="turn", speaker="Malu")
        memory.sleep()
        clock.set(at(11, 24))
        memory.sleep()
        assert not any(said.rstrip(".") in fact.text for fact in memory.facts.list())
        left = memory.bequeath(tmp_path / "p.testament")
    assert said in [episode.text for episode in left.episodes]
    assert not left.left_out.get("episode_outdated")


def test_what_another_message_replaced_stays_behind(tmp_path: Path) -> None:
    clock = bardo.ManualClock(at(9, 1))
    with bardo.open(tmp_path / "p", clock=clock) as memory:
        for said in ("The ledger listens on port 7200.", "The ledger listens on port 7310 now."):
            memory.remember(said, role="user", kind="turn", speaker="Malu")
            memory.sleep()
            clock.advance(86_400)
        left = memory.bequeath(tmp_path / "p.testament")
    assert left.left_out["episode_outdated"] == 1
