"""Years and dates in a rejection are compared with the dates of the action, else with the gate's clock."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

import bardo
from bardo.conduct.parse.conditions import conditions
from bardo.ports import ManualClock


def at(day: str) -> int:
    return int(dt.datetime.fromisoformat(f"{day}T10:00").replace(tzinfo=dt.UTC).timestamp() * 1e6)


NAMED = [
    ("raise the rent of flat 3 before 2027", "before 2027"),
    ("let flat 11 after 2027", "after 2027"),
    ("Don't open new shops by 2028", "before 2028"),
    ("no hiring until 2027", "before 2027"),
    ("No hiring until the end of 2027", "to 2027"),
    ("never sell shares from 2027 on", "from 2027"),
    ("Don't repaint the hall in 2027, please", "in 2027"),
    ("don't move the servers between 2026 and 2028", "between 2026 and 2028"),
    ("from 2026 to 2028 sign no leases", "between 2026 and 2028"),
    ("raise the rent of flat 3 before January 2027", "before 2027-01"),
    ("raise the rent of flat 3 until 31 December 2026", "to 2026-12-31"),
    ("don't publish the paper before 2027-03-15", "before 2027-03-15"),
    # Times of the day.
    ("no calls after 2030 h", "after 20:30"),
    ("no calls after 2000 o'clock", "after 20:00"),
    ("no calls after 1830", "after 18:30"),
    ("no calls before 0900", "before 09:00"),
    ("don't call until 9 am", "before 09:00"),
    ("no calls after 8 pm", "after 20:00"),
    ("no meetings before 10", "before 10:00 o'clock"),
]


@pytest.mark.parametrize(("text", "condition"), NAMED)
def test_a_year_is_no_time_of_the_day(text: str, condition: str) -> None:
    assert condition in conditions.split(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "don't raise the price by 2000",
        "don't retry after 50 attempts",
        "don't open the 2019 format in 2019 files",
        "don't raise rents before 3 December",
        "don't spend more than 2000 euro on paint in flat 2027",
    ],
)
def test_an_amount_or_a_day_of_a_month_is_neither_year_nor_hour(text: str) -> None:
    found = conditions.split(text)[1]
    assert not [each for each in found if each.startswith(("before", "after", "in", "from"))]


HOLDS = [
    ("before 2027", "raise the rent", True),
    ("before 2027", "raise the rent in December", True),
    ("before 2027", "raise the rent in March 2027", False),
    ("before 2027", "raise the rent on 15 January 2027", False),
    # Of this year or of the next one.
    ("before 2027", "raise the rent in March", None),
    ("before 2027", "raise the rent next year", None),
    ("before 2027-03", "raise the rent in 2027", None),
    ("after 2027", "let the flat", False),
    ("after 2027", "let the flat in 2028", True),
    ("between 2026 and 2028", "move the servers", True),
    ("between 2027 and 2028", "move the servers", False),
    ("in 2027", "hire a designer", False),
    ("to 2026-12-31", "raise the rent", True),
    ("before 2026-11-01", "raise the rent", False),
    # A time that was over long ago is rather one of the things.
    ("before 2019", "delete the invoices", None),
    ("after 18:00", "ring her at 2130", True),
    ("after 18:00", "ring her about flat 2130", False),
]


@pytest.mark.parametrize(("condition", "action", "expected"), HOLDS)
def test_the_date_of_an_action_or_the_clock_decides_a_year(
    condition: str, action: str, expected: bool | None
) -> None:
    found = conditions.holds(condition, action, now=at("2026-11-27"), approved=False, is_event=False)
    assert found is expected


@pytest.mark.parametrize(
    ("rejection", "action"),
    [
        ("raise the rent of flat 3 before 2027", "Raise the rent of flat 3"),
        ("repave the courtyard before 2027", "Repave the courtyard"),
        ("Don't sell the van before 2027.", "Sell the van"),
        ("never migrate the billing database until 2027", "Migrate the billing database"),
    ],
)
def test_a_prohibition_before_a_year_holds_until_that_year(home: Path, rejection: str, action: str) -> None:
    for day, decision in (("2026-08-05", "block"), ("2027-02-01", "allow")):
        with bardo.gate(home, clock=ManualClock(at(day)), words_only=True) as gate:
            gate.reject(rejection, by="Luis")
            assert gate.before(action).decision == decision
