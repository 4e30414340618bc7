"""Old observations that are recorded late teach the same facts, of the same age, beside anything newer."""

from __future__ import annotations

from pathlib import Path

import bardo
from bardo.model import Episode, Fact

SECOND, DAY = 1_000_000, 86_400
#: Now: 14 November 2023; the observations are of the last hours of the year before.
NOW = 1_700_000_000
THEN = 1_672_500_000


def learned(folder: Path, *, notes: tuple[str, ...] = (), then: int = THEN) -> tuple[list[Fact], str]:
    """Returns the facts that a backfill teaches, and the notes of its pass."""
    clock = bardo.ManualClock(NOW * SECOND)
    rows = [
        Episode(
            f"Ping {number}", at=(then + 60 * number) * SECOND, kind="event", subjects=("relay",), verified=True,
            payload={"lag": number % 5},
        )
        for number in range(40)
    ]  # fmt: skip
    with bardo.open(folder, clock=clock, seed=1, config={"embedding": {"batch": 0}}) as memory:
        for note in notes:
            memory.remember(note)
        memory.remember(rows)
        report = memory.sleep()
        return memory.facts.list(status=None), " ".join(report.notes)


def test_facts_have_the_age_of_their_episodes_beside_something_newer(tmp_path: Path) -> None:
    alone, note = learned(tmp_path / "alone")
    beside, other = learned(tmp_path / "beside", notes=("Desk opened",))
    told = [
        [
            (one.text, one.observed, one.reinforced_tick, one.confidence, one.status, one.ended_by)
            for one in each
        ]
        for each in (alone, beside)
    ]
    assert told[0] == told[1]
    assert alone[0].observed == (THEN, THEN + 60 * 39)
    assert (alone[0].status, alone[0].ended_by) == ("archived", "decay")
    assert "1 new fact had faded already" in note
    assert "31 December 2022" in note
    assert other == note


def test_a_backfill_of_last_days_holds(tmp_path: Path) -> None:
    (fact,), note = learned(tmp_path / "agent", notes=("Desk opened",), then=NOW - 3 * DAY)
    assert (fact.status, fact.observed[1]) == ("active", NOW - 3 * DAY + 60 * 39)
    assert "faded" not in note


def test_ticks_of_loops_count_as_they_are(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", clock=bardo.ManualClock(NOW * SECOND), seed=1) as memory:
        for number in range(1, 6):
            memory.remember(
                f"Ping {number}",
                tick=number,
                at=THEN * SECOND,
                subjects=["relay"],
                payload={"lag": number},
                verified=True,
            )
        memory.sleep()
        (fact,) = memory.facts.list(kind="baseline")
        assert fact.observed == (1, 5)
