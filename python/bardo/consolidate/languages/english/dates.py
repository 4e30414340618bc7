"""Bounds of time in a clause: "since 2015", "until 3 June", "from March on", as instants."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
DAYS = {name: number for number, name in enumerate(
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(DAYS)
#: A day of the calendar as people write it.
DATE = re.compile(
    rf"(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})|(?:(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?|"
    rf"(?P<month2>{_MONTH})\.? (?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)(?:,? (?P<year>(?:19|20)\d\d))?|"
    rf"(?:(?P<part>early|mid|late|end of|the end of|beginning of|start of)[ -])?(?P<month3>{_MONTH})(?: (?P<year3>(?:19|20)\d\d))?"
    rf"(?![a-z])|(?P<year4>(?:19|20)\d\d)\b|(?P<weekday>(?:next |this )?(?:{_DAY}))\b|(?P<near>tomorrow|today|tonight|next week|"
    rf"next month|next year|the end of (?:the )?(?:week|month|year|quarter)|end of (?:the )?(?:week|month|year|quarter))",
    re.IGNORECASE,
)
_UNTIL = re.compile(
    r"\b(?:until|till|'til|up to|up until|through|no later than|expires?(?: on)?|ends?(?: on)?|last day(?: is)?(?: on)?)\s+",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|ever since)\s+", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|as of|as from|starting|beginning|effective|with effect from|start(?:s|ing)? (?:on|in)|come)\s+",
    re.IGNORECASE,
)
_ONLY_FROM = re.compile(r"\b(?:onwards?|on)\b", re.IGNORECASE)


def instant(match: re.Match[str], at: int, *, past: bool) -> int | None:
    """The first instant of a day, month or year; None if it cannot be placed.

    Args:
        match: Of `DATE`.
        at: Instant of the text, microseconds UTC.
        past: Whether a date without a year lies before the text rather than after it.
    """
    now = datetime.fromtimestamp(at / 1_000_000, UTC).date()
    found = _day(match, now, past=past)
    if found is None:
        return None
    return int(datetime(found.year, found.month, found.day, tzinfo=UTC).timestamp()) * 1_000_000


def _day(match: re.Match[str], now: date, *, past: bool) -> date | None:
    try:
        if match["iso"]:
            return date.fromisoformat(match["iso"])
        day, month = match["day"] or match["day2"], match["month"] or match["month2"]
        if day and month:
            year = int(match["year"]) if match["year"] else now.year
            found = date(year, MONTHS[month.lower()], int(day))
            return found if match["year"] else _near(found, now, past=past)
        if match["month3"]:
            month3 = MONTHS[match["month3"].lower()]
            day3 = 15 if (match["part"] or "").lower() in ("mid",) else 1
            if match["year3"]:
                return date(int(match["year3"]), month3, day3)
            return _near(date(now.year, month3, day3), now, past=past)
        if match["year4"]:
            return date(int(match["year4"]), 1, 1)
        if match["weekday"]:
            ahead = (DAYS[match["weekday"].lower().split()[-1]] - now.weekday()) % 7 or 7
            return now - timedelta(days=7 - ahead) if past else now + timedelta(days=ahead)
        near = (match["near"] or "").lower()
        if near in ("today", "tonight"):
            return now
        if near == "tomorrow":
            return now + timedelta(days=1)
        if "week" in near:
            return now + timedelta(days=7 - now.weekday())
        if "month" in near:
            return (now.replace(day=1) + timedelta(days=32)).replace(day=1)
        if "year" in near:
            return date(now.year + 1, 1, 1)
        if "quarter" in near:
            return date(now.year + (now.month > 9), (now.month - 1) // 3 * 3 + 4 if now.month <= 9 else 1, 1)
    except ValueError:
        return None
    return None


def _near(found: date, now: date, *, past: bool) -> date:
    if past and found > now:
        return found.replace(year=found.year - 1)
    if not past and (now - found).days > 31:
        return found.replace(year=found.year + 1)
    return found


def bounds(text: str, at: int) -> tuple[int | None, int | None]:
    """First instant at which a clause holds, and first at which it no longer does, as its words say.

    Args:
        text: Words of the clause.
        at: Instant of the text, microseconds UTC; 0 reads none.
    """
    if not at:
        return None, None
    since = until = None
    if (begin := _UNTIL.search(text)) and (match := DATE.match(text, begin.end())):
        until = instant(match, at, past=False)
    if (begin := _SINCE.search(text)) and (match := DATE.match(text, begin.end())):
        since = instant(match, at, past=True)
    elif (begin := _FROM.search(text)) and (match := DATE.match(text, begin.end())):
        since = instant(match, at, past=False)
    return since, until
