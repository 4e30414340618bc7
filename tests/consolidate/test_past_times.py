"""Times of what a clause tells in the past: a move "last week" holds from that week; with the real parser and store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bardo.consolidate.languages.english.past_times import past_instant, with_past_dates
from helpers.chats import clauses_of, lived

#: A Thursday.
TOLD = int(datetime(2026, 9, 24, 10, tzinfo=UTC).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("moved last week", "2026-09-14"),
        ("joined last month", "2026-08-01"),
        ("left last year", "2025-01-01"),
        ("moved two weeks ago", "2026-09-10"),
        ("moved in May", "2026-05-01"),
        ("joined on 3 December", "2025-12-03"),
    ],
)
def test_a_time_before_the_text_has_an_instant(text: str, day: str) -> None:
    found = past_instant(text, TOLD)
    assert found is not None
    assert datetime.fromtimestamp(found / 1e6, UTC).date().isoformat() == day


def test_no_time_has_no_instant() -> None:
    assert past_instant("moved to Lugano with the last load", TOLD) is None
    assert past_instant("moved last week", 0) is None


def test_a_relative_period_is_dated() -> None:
    dated = with_past_dates("Voss moved last week, Ines last month", TOLD)
    assert dated == "Voss moved in the week of 2026-09-14, Ines in August 2026"


@pytest.mark.parametrize(
    ("text", "home", "day"),
    [
        ("Mr Voss moved from Basel to Lugano last week.", "Lugano", "2026-09-14"),
        ("My sister moved from Bern to Thun two weeks ago.", "Thun", "2026-09-10"),
        ("I moved to Porto in May.", "Porto", "2026-05-01"),
    ],
)
def test_a_move_sets_the_home_from_its_day(text: str, home: str, day: str) -> None:
    (clause,) = clauses_of(text, at=TOLD)
    assert clause.statement is not None
    assert (clause.statement.attribute, clause.statement.value) == ("home", home)
    assert clause.statement.since is not None
    assert datetime.fromtimestamp(clause.statement.since / 1e6, UTC).date().isoformat() == day


def test_a_move_of_a_thing_sets_no_home() -> None:
    assert all(
        clause.statement is None
        for clause in clauses_of("The index moved from Graz to Linz last week.", at=TOLD)
    )


def test_he_is_the_person_whom_the_clause_before_names() -> None:
    clause = clauses_of("The owner of the house is Mr Voss, he lives in Basel.", at=TOLD)[-1]
    assert clause.statement is not None
    assert (clause.owner, clause.statement.value) == ("voss", "Basel")


def test_recall_finds_the_home_after_a_move(tmp_path: Path) -> None:
    messages = [
        ("Marta", "The owner of the house is Mr Voss, he lives in Basel."),
        ("Marta", "Mr Voss wants the courtyard repaved, budget 12,000 euro, this autumn."),
        ("Marta", "Mr Voss moved from Basel to Lugano last week."),
    ]
    with lived(tmp_path, messages) as memory:
        hits = memory.recall("Who is the owner and where does he live now?", limit=5)
        assert any("Lugano" in hit.text for hit in hits)
        homes = [
            fact for fact in memory.facts.list() if fact.statement and fact.statement.attribute == "home"
        ]
        assert [fact.statement.value for fact in homes if fact.statement] == ["Lugano"]
