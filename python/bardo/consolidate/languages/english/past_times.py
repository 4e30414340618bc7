"""Times before that of a text, such as "last week" or "two months ago", as instants and as dates."""

from __future__ import annotations

import re
from datetime import date, timedelta

from bardo.clock import date_of
from bardo.consolidate.languages.english.dates import COUNTS, DATE, MONTHS, counted, instant, midnight

#: Period before that of the text, or a number of periods before it.
_BEFORE = re.compile(
    r"\b(?:last (?P<last>week|month|year)|"
    rf"(?P<count>\d{{1,2}}|{'|'.join(COUNTS)}) (?P<unit>day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)
_ON = re.compile(r"\b(?:on|in) ", re.IGNORECASE)
#: Days of a unit of time, roughly.
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NAMES = {number: name for name, number in reversed(MONTHS.items())}


def past_instant(text: str, at: int) -> int | None:
    """First instant of the time before a text at which something happened by its words; None if they give none.

    Args:
        text: Words of a clause in the past.
        at: Instant of the text, microseconds UTC; 0 if unknown.
    """
    if not at:
        return None
    if (match := _BEFORE.search(text)) is not None:
        return midnight(_day(match, date_of(at)))
    dates = (DATE.match(text, begin.end()) for begin in _ON.finditer(text))
    found = next((match for match in dates if match is not None and not match["near"]), None)
    return None if found is None else instant(found, at, past=True)


def with_past_dates(text: str, at: int) -> str:
    """A text with dates for "last week", "last month" and "last year", which are known only with its own."""
    if not at:
        return text
    today = date_of(at)

    def replaced(match: re.Match[str]) -> str:
        day = _day(match, today)
        named = {"week": f"in the week of {day}", "month": f"in {_NAMES[day.month].title()} {day.year}"}
        return named.get((match["last"] or "").lower(), f"in {day.year}") if match["last"] else match[0]

    return _BEFORE.sub(replaced, text)


def _day(match: re.Match[str], today: date) -> date:
    """First day of the period that a match of `_BEFORE` means."""
    if match["last"]:
        period = match["last"].lower()
        if period == "week":
            return today - timedelta(days=today.weekday() + 7)
        if period == "month":
            return (today.replace(day=1) - timedelta(days=1)).replace(day=1)
        return date(today.year - 1, 1, 1)
    return today - timedelta(days=counted(match["count"].lower()) * _DAYS[match["unit"].lower()])
