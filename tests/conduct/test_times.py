"""Times in words decide the conditions of a rejection as those of a clock do; another time is another act."""

from __future__ import annotations

import datetime as dt

import pytest

import bardo
from bardo.conduct.parse.conditions import conditions

#: Wednesday, 25 November 2026, 11:00 UTC.
NOW = int(dt.datetime(2026, 11, 25, 11, tzinfo=dt.UTC).timestamp() * 1e6)

HOLDS = [
    ("at day", "alter it at noon", True),
    ("at day", "alter it at midday", True),
    ("at day", "alter it this afternoon", True),
    ("at day", "alter it at midnight", False),
    ("at day", "alter it tonight", False),
    ("at day", "alter it in the evening", False),
    ("at day", "alter it in the morning", None),
    ("at night", "restart it in the small hours", True),
    ("at night", "restart it at noon", False),
    ("after 18:00", "trade at dusk", True),
    ("after 18:00", "trade at noon", False),
    ("before 09:00", "call her at breakfast", True),
    ("except after 18:00", "alter it at noon", True),
    ("on friday", "deploy the day after tomorrow", True),
    ("on friday", "deploy tomorrow", False),
    ("on friday", "deploy at the end of the week", True),
    ("on weekend", "deploy on a business day", False),
    ("at day", "mail the noon report", True),
]


@pytest.mark.parametrize(("condition", "action", "expected"), HOLDS)
def test_a_time_in_words_decides_a_condition(condition: str, action: str, expected: bool | None) -> None:
    assert conditions.holds(condition, action, now=NOW, approved=False, is_event=False) is expected


@pytest.mark.parametrize("thing", ["order_lines", "bookings", "saveSlots", "invoices"])
def test_a_forbidden_change_by_day_is_blocked_at_noon_and_allowed_at_night(
    gate: bardo.Gate, thing: str
) -> None:
    gate.reject(f"run ALTER TABLE on {thing} during the day", by="anna")
    for when, decision in (("at noon", "block"), ("at 14:00", "block"), ("at midnight", "allow")):
        assert gate.before(f"run ALTER TABLE on {thing} {when}").decision == decision


def test_a_time_that_lasts_decides_nothing(gate: bardo.Gate) -> None:
    gate.reject("hold crude over the weekend", by="anna")
    assert gate.before("hold crude from Friday through to Monday morning").decision != "allow"
