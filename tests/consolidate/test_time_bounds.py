"""Ends of what holds "until" a day, a month or a year."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bardo.consolidate.corrections.compatible import bounds_another
from bardo.consolidate.languages.english.dates import bounds
from helpers.chats import clauses_of

#: A Wednesday.
TOLD = datetime(2026, 4, 15, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("the discount holds until 3 May", (2026, 5, 4)),
        ("I'm at my sister's till Friday", (2026, 4, 18)),
        ("Keller is in hospital until the 20th", (2026, 4, 21)),
        ("closed until tomorrow", (2026, 4, 17)),
        ("the passport expires on 3 May", (2026, 5, 4)),
        ("my last day is the 20th", (2026, 4, 21)),
        ("the bridge is shut until June", (2026, 6, 1)),
        ("the bridge is shut through June", (2026, 7, 1)),
        ("the bridge is shut until the end of June", (2026, 7, 1)),
        ("the lease runs until 2028", (2028, 1, 1)),
        ("the licence is valid through 2028", (2029, 1, 1)),
        ("away until next week", (2026, 4, 20)),
        ("busy until the end of the week", (2026, 4, 20)),
    ],
)
def test_a_day_is_included_and_a_longer_time_ends_where_it_begins(
    words: str, end: tuple[int, int, int]
) -> None:
    _, until = bounds(words, int(TOLD.timestamp()) * 1_000_000)
    assert until is not None
    assert datetime.fromtimestamp(until / 1_000_000, UTC) == datetime(*end, tzinfo=UTC)


def is_bound_of_another(older: str, newer: str) -> bool:
    """Whether a newer text bounds nothing of an older one."""
    at = int(TOLD.timestamp()) * 1_000_000
    one, other = (clauses_of(text, at=at)[-1] for text in (older, newer))
    return bounds_another(one, other)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The lift is serviced by Kone, twice a year, March and September.", "The lift is fine until March."),
        ("The gateway is monitored by Kestrel.", "The gateway is stable until June."),
        ("Dr Amari speaks Farsi.", "Dr Amari is away until Friday."),
        ("The desk in Zurich trades rates.", "The desk in Zurich is short-staffed until May."),
    ],
)
def test_a_bound_ends_no_statement_with_another_predicate(older: str, newer: str) -> None:
    assert is_bound_of_another(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Petra works Mondays to Fridays.", "Petra works Mondays to Thursdays until the end of October."),
        ("The pool opens at eight.", "The pool opens at ten until June."),
    ],
)
def test_a_bound_can_end_a_statement_with_the_same_predicate(older: str, newer: str) -> None:
    assert not is_bound_of_another(older, newer)
