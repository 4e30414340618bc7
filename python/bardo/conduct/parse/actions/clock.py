"""Times of the day and weekdays that an action names: in words, in fields of calls, as ISO times, or for cron."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse import times
from bardo.conduct.parse.actions import figures
from bardo.conduct.parse.times import DAYS, Span
from bardo.consolidate.languages.english.dates import MONTHS

_NOON = 12 * 60
#: Part of the day after an hour of twelve: "at 6 in the morning".
_PART = r"(?: (?P<part>in the (?:morning|afternoon|evening)|at night))?"
_TIME = lazy_pattern(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?: ?(?P<half>[ap]m)\b)?|"
    r"\b(?P<hour12>1[0-2]|[1-9]) ?(?P<half12>am|pm)\b|"
    rf"\bat (?P<at>[01]?\d|2[0-3]) ?(?:o'clock|h)?(?![\w:.%-]| ?[ap]m){_PART}|"
    r"(?:\bat (?P<whole>[01]\d|2[0-3])(?P<rest>[0-5]\d)(?: ?h)?|"
    r"\b(?P<whole_h>[01]\d|2[0-3])(?P<rest_h>[0-5]\d) ?h)(?![\w:.%-])",
    re.IGNORECASE,
)
_WORD_TIME = lazy_pattern(rf"\bat (?P<hour>{'|'.join(list(figures.NUMBERS)[1:13])})\b{_PART}", re.IGNORECASE)
_DATE = lazy_pattern(r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?!\d)")
#: Date and time of a machine, of which the hour is the second part.
_STAMP = lazy_pattern(r"(?<=\d)T(?=\d\d:\d\d)")
#: Offset of a time zone, which is no time: 10:20+01:00.
_OFFSET = lazy_pattern(r"(?<=:\d\d)[+-]\d\d:\d\d(?!\d)")
_DAY = lazy_pattern(
    r"(?<![a-z])(mon|tue(?:s)?|wed|thu(?:rs?)?|fri|sat|sun)(?:day|nesday|sday|rsday|urday)?s?(?![a-z])",
    re.IGNORECASE,
)
#: Five fields of cron in quotes, or at the beginning of a line of a crontab.
_CRON = lazy_pattern(
    r"(?:[\"']|^)(?P<minute>\d{1,2}|0) (?P<hour>\d{1,2}(?:,\d{1,2})*) \S+ \S+ "
    r"(?P<days>[\d,*-]+|[A-Za-z]{3}(?:-[A-Za-z]{3})?)(?=[\s\"']|$)",
    re.MULTILINE,
)


class Times(NamedTuple):
    """Times that an action names.

    Args:
        minutes: Minutes of the day.
        days: Weekdays, and `weekend` or `weekday`.
        spans: Times of the day in words, such as noon, without those of a minute.
    """

    minutes: tuple[int, ...]
    days: frozenset[str]
    spans: tuple[Span, ...]


@lru_cache(64)
def times_of(action: str) -> Times:
    """Reads the times of an action."""
    plain = _OFFSET.sub("", _STAMP.sub(" ", action))
    minutes = [_minute(match) for match in _TIME.finditer(plain)]
    minutes += [
        _turned(int(figures.number(match["hour"])), match["part"]) for match in _WORD_TIME.finditer(plain)
    ]
    days = {
        next(day for day in DAYS if day.startswith(match[1].lower()[:3])) for match in _DAY.finditer(action)
    }
    days |= {word for word in ("weekend", "weekday") if word in action.lower()}
    days.update(_days_of_dates(action))
    for match in _CRON.finditer(action):
        minutes += [int(hour) * 60 + int(match["minute"]) for hour in match["hour"].split(",")]
        days.update(DAYS[(int(day) - 1) % 7] for day in match["days"].split(",") if day.isdigit())
    spans = () if minutes else times.spans_in(action)
    return Times(tuple(minutes), frozenset(days), spans)


@lru_cache(64)
def months_of(action: str) -> frozenset[str]:
    """Returns the months of the dates with a year that an action names, in lower case."""
    numbers = {int(match[2]) for match in _DATE.finditer(action)}
    return frozenset(name for name, number in MONTHS.items() if number in numbers)


def is_in_month(condition: str, action: str) -> bool | None:
    """Whether a condition such as "in August" holds by the dates of an action; None if it is another, or without dates.

    Args:
        condition: Condition in words.
        action: Action.
    """
    preposition, _, month = condition.lower().partition(" ")
    if preposition not in ("in", "during") or month not in MONTHS or not (found := months_of(action)):
        return None
    return month in found


def _minute(match: re.Match[str]) -> int:
    """Returns the minute of the day of a time."""
    if match["hour"]:
        hour = int(match["hour"])
        hour = _of_half(hour, match["half"]) if match["half"] and hour <= 12 else hour
        return hour * 60 + int(match["minute"])
    if match["hour12"]:
        return _of_half(int(match["hour12"]), match["half12"]) * 60
    if hour_of_day := match["whole"] or match["whole_h"]:
        return int(hour_of_day) * 60 + int(match["rest"] or match["rest_h"])
    return _turned(int(match["at"]), match["part"])


def _of_half(hour: int, half: str) -> int:
    return hour % 12 + (12 if half.lower() == "pm" else 0)


def _turned(hour: int, part: str | None) -> int:
    """Returns the minute of an hour, of which a part of the day says which one of two it is."""
    is_late = part is not None and "morning" not in part.lower() and 1 <= hour < 12
    return hour * 60 + (_NOON if is_late else 0)


def _days_of_dates(action: str) -> Iterator[str]:
    """Yields the weekdays of dates with a year, such as 2025-10-07."""
    for match in _DATE.finditer(action):
        try:
            yield DAYS[date(*map(int, match.groups())).weekday()]
        except ValueError:
            continue
