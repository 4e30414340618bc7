"""Times in words: parts of the day, moments such as noon, and days such as tomorrow (`times.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: Minutes of a day.
DAY = 24 * 60
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
#: Beginning and end in minutes of the day; the end may be on the next day, and is not part of it.
Span = tuple[int, int]


class Times(NamedTuple):
    """Content of `times.toml`.

    Args:
        parts: Parts of the day that a condition names.
        also: Patterns of other names of a part in actions.
        spans: Names of times in actions.
        days: Weekday, group of days, or number of days from today, by name.
        time: Pattern of a name of a time after a preposition or "this", "every" and the like.
        day: Pattern of a name of a day.
    """

    parts: Mapping[str, Span]
    also: Mapping[str, str]
    spans: Mapping[str, Span]
    days: Mapping[str, str]
    time: re.Pattern[str]
    day: re.Pattern[str]


@cache
def table() -> Times:
    """Returns the table; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("times.toml").read_text(encoding="utf-8"))
    before = r"(?:at|by|in|over|during|around|this|every|each|tomorrow|\w+day)"
    spans = {name: _span(given) for name, given in raw["spans"].items()}
    return Times(
        {name: _span(given) for name, given in raw["parts"].items()},
        raw["also"],
        spans,
        raw["days"],
        re.compile(
            rf"(?i)\b{before} (?:the |my |our |late |early )*({_any_of(spans)})s?\b|\b(tonight|overnight)\b"
        ),
        re.compile(rf"(?i)(?<![\w-])({_any_of(raw['days'])})s?(?![\w-])"),
    )


def spans_in(text: str) -> tuple[Span, ...]:
    """Returns the times that a text names in words."""
    found = table().time.finditer(text)
    return tuple(dict.fromkeys(table().spans[(match[1] or match[2]).lower()] for match in found))


def days_in(text: str, today: int) -> frozenset[str]:
    """Returns the days that a text names in other words than weekdays.

    Args:
        text: Text.
        today: Weekday, 0 for Monday.
    """
    named = (table().days[match[1].lower()] for match in table().day.finditer(text))
    return frozenset(DAYS[(today + int(each)) % 7] if each.isdigit() else each for each in named)


def is_within(span: Span, part: Span) -> bool | None:
    """Whether a time is in a part of the day; None if only a piece of it is."""
    start, end = span
    length = (end - start) % DAY
    inside = [_has(part, (start + minute) % DAY) for minute in range(max(length, 1))]
    return True if all(inside) else None if any(inside) else False


def _has(part: Span, minute: int) -> bool:
    start, end = part
    return start <= minute < end if start < end else minute >= start or minute < end


def _span(given: str) -> Span:
    start, _, end = given.partition("-")
    first = _minute(start)
    return first, _minute(end) if end else (first + 1) % DAY


def _minute(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _any_of(names: Iterable[str]) -> str:
    """Returns a pattern of any name, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
