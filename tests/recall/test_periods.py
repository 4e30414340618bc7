"""Periods that a query names, read by the words of English; with real indexes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo import _core
from bardo.model import Episode
from bardo.recall.periods import period_words

DAY = 86_400_000_000
#: A Monday.
NOW = int(datetime(2023, 5, 8, 13, 56, tzinfo=UTC).timestamp()) * 1_000_000


def english() -> _core.PeriodWords:
    found = period_words("english")
    assert found is not None
    return found


def holds(query: str, days_back: int) -> bool:
    """Whether the period of a query holds the day so many days ago."""
    day = NOW // DAY - days_back
    return any(first <= day <= last for first, last in english().spans(query, NOW))


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ("What did I do yesterday?", [1], [0, 2]),
        ("the day before yesterday", [2], [1]),
        ("yesterday's run", [1], [2]),
        ("the race two weeks ago", [14], [25, 4]),
        ("a couple of months ago", [65], [20]),
        ("3 months ago", [90], [20]),
        ("last week", [9], [0, 20]),
        ("last month", [20], [3, 50]),
        ("last year", [200], [60, 600]),
        ("this month", [7], [8]),
        ("this year", [127], [128]),
        ("the last 10 days", [10], [11]),
        ("past three weeks", [1], [22]),
        ("the past week", [0], [8]),
        ("last weekend", [2], []),
        ("this past Friday", [3], [10]),
        ("last Friday", [3], [10]),
        ("last May", [360], [3]),
        ("last January", [120], [500]),
    ],
)
def test_periods_are_counted_back_from_now(query: str, inside: list[int], outside: list[int]) -> None:
    assert all(holds(query, days) for days in inside)
    assert not any(holds(query, days) for days in outside)


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ("on 2 May 2023", [6], [5]),
        ("on May 2nd", [6], [5]),
        ("on the 2nd of May", [6], [5]),
        ("on may 2", [6], [5]),
        ("December 25", [134], [133]),
        ("on 2023-05-02", [6], [7]),
        ("on 5/2/2023", [6], [5]),
        ("02/05/2023", [6], [5]),
        ("What happened in April 2022?", [390], [20]),
        ("What happened in April?", [20], [3, 390]),
        ("what happened in march", [50], [20]),
        ("in May", [3], [20]),
        ("in 2022", [200], [100]),
        ("in December last year", [140], [100]),
        ("of last year in December", [140], [200]),
        ("two weeks before 24 March", [59], [45]),
        ("the day after May 2nd", [5], [6]),
        ("a month before 2023-05-02", [36], [6]),
        ("before 24 March", [45], [60]),
    ],
)
def test_months_years_and_days_of_the_calendar_are_periods(
    query: str, inside: list[int], outside: list[int]
) -> None:
    assert all(holds(query, days) for days in inside), english().spans(query, NOW)
    assert not any(holds(query, days) for days in outside), english().spans(query, NOW)


@pytest.mark.parametrize(
    "query",
    ["", "ago", "last", "the last straw", "two ago", "this", "2023", "week ago", "may I ask 2 things", "march on",
     "room 20-5-2", "2023-13-02", "I may run"],
)  # fmt: skip
def test_a_query_without_a_period_has_none(query: str) -> None:
    assert english().spans(query, NOW) == []


def test_a_language_without_words_for_periods_reads_none() -> None:
    assert period_words("") is None
    assert period_words("klingon") is None


@pytest.fixture
def runs(tmp_path: Path):
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "ann", clock=clock, seed=1) as memory:
        days = (400, 70, 40, 35, 9, 0)
        memory.remember(
            [Episode(f"Ann ran by the river, lap {'abcdef'[place]}", at=NOW - day * DAY)
             for place, day in enumerate(days)]
        )  # fmt: skip
        yield memory


@pytest.mark.parametrize(
    ("query", "days"),
    [("Where did Ann run in March?", [40]), ("Where did Ann run last week?", [9]), ("Ann's run on 3 April", [35]),
     ("Where did Ann run in 2022?", [400]), ("Where did Ann run in February?", [70])],
)  # fmt: skip
def test_episodes_of_the_period_come_first_among_equals_and_the_others_stay(
    runs: bardo.Grimoire, query: str, days: list[int]
) -> None:
    found = runs.recall(query, limit=6)
    assert [(NOW - memory.at) // DAY for memory in found][: len(days)] == days
    assert len(found) == 6, "a period is no filter"


def test_a_period_does_not_outweigh_relevance(runs: bardo.Grimoire) -> None:
    runs.remember("The dentist filled a tooth of Ann", at=NOW - 200 * DAY)
    found = runs.recall("What did the dentist do with the tooth of Ann last week?", limit=3)
    assert "dentist" in found[0].text


def test_bounds_win_over_the_words(runs: bardo.Grimoire) -> None:
    since = datetime(2023, 5, 1, tzinfo=UTC)
    found = runs.recall("Where did Ann run in March?", limit=6, since=since)
    assert [(NOW - memory.at) // DAY for memory in found] == [0]
    assert "date named" not in found[0].why.conversation


def test_a_period_brings_episodes_beyond_the_depth_of_the_other_arms(tmp_path: Path) -> None:
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "many", clock=clock, seed=1) as memory:
        # Each of the other arms brings a hundred, of 300 that match better.
        memory.remember(
            [Episode(f"The oracle lag was {number} blocks", at=NOW - 300 * DAY) for number in range(300)]
        )
        memory.remember("Someone repaired the oracle", at=NOW - 8 * DAY)
        without = memory.recall("oracle lag", limit=100)
        assert not any(item.text == "Someone repaired the oracle" for item in without)
        found = memory.recall("oracle lag last week", limit=100)
        assert any(item.text == "Someone repaired the oracle" for item in found)


@pytest.fixture
def year(tmp_path: Path):
    told = {
        "2022-12-04": ["Planted garlic behind the house.", "The boiler was serviced."],
        "2023-02-11": ["Booked a cabin for 9 April.", "Rosa learned to whistle."],
        "2023-03-20": ["The February issue of the magazine came late.", "Nils broke his arm."],
        "2023-04-09": ["The cabin had no water.", "Saw two otters."],
        "2023-04-25": ["Sold the old piano."],
        "2023-05-03": ["Our hen Berta died.", "Returned the library books."],
    }
    with bardo.open(tmp_path / "ann", clock=bardo.ManualClock(NOW), seed=1) as memory:
        for day, texts in told.items():
            at = int(datetime.fromisoformat(f"{day}T10:00+00:00").timestamp()) * 1_000_000
            memory.remember([Episode(text, at=at, role="user", speaker="Ann") for text in texts])
        yield memory


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("What happened in April?", {"2023-04-09", "2023-04-25"}),
        ("What did I say last month?", {"2023-04-09", "2023-04-25", "2023-05-03"}),
        ("what was going on in february", {"2023-02-11"}),
        ("What did I tell you on 3 May?", {"2023-05-03"}),
        ("Anything new in December 2022?", {"2022-12-04"}),
        ("last week", {"2023-05-03"}),
    ],
)
def test_a_query_about_a_time_alone_lists_the_turns_of_that_time(
    year: bardo.Grimoire, query: str, days: set[str]
) -> None:
    found = year.recall(query, limit=6)
    assert {datetime.fromtimestamp(memory.at / 1e6, UTC).date().isoformat() for memory in found} == days
    in_days = [episode for episode in year.episodes.list(limit=50)
               if datetime.fromtimestamp(episode.at / 1e6, UTC).date().isoformat() in days]  # fmt: skip
    assert len(found) == len(in_days)
    assert any("no topic" in note for note in found.notes)


def test_more_turns_of_a_time_than_other_arms_bring_are_listed(year: bardo.Grimoire) -> None:
    year.remember([Episode(f"Lap {number} by the river", at=NOW - 200 * DAY) for number in range(60)])
    found = year.recall("What happened in October 2022?", limit=50)
    assert len(found) == 50
    assert all("Lap" in memory.text for memory in found)


@pytest.mark.parametrize(
    "query",
    ["What happened to the cabin in April?", "What did Rosa do in April?", "What happened in July 2021?"],
)
def test_a_topic_or_a_time_without_turns_is_searched_as_before(year: bardo.Grimoire, query: str) -> None:
    found = year.recall(query, limit=6)
    assert not any("no topic" in note for note in found.notes)
