"""Bounds of time in a clause: "since 2015", "until 3 June", "from March on", as instants."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from bardo._patterns import lazy_pattern
from bardo.clock import date_of

#: Numbers of the months by their names and abbreviations.
MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sep sept", "october oct", "november nov", "december dec"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
#: Numbers of the days of a week; Monday is 0.
DAYS = {name: number for number, name in enumerate(
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))}  # fmt: skip
#: Days of a month by their ordinals in words.
ORDINALS = {
    word: number
    for number, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
         "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
         "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth",
         "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
        start=1,
    )
}  # fmt: skip
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(DAYS)
_ORDINAL = "|".join(sorted(ORDINALS, key=len, reverse=True)).replace("-", "[- ]")
#: Numbers of days, weeks or months by their words.
COUNTS = {
    word: number
    for number, words in enumerate(
        ("a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
        start=1,
    )
    for word in words.split()
} | {"a couple of": 2, "a few": 3}  # fmt: skip
_COUNT = "|".join(sorted(COUNTS, key=len, reverse=True))
#: Days of a unit of time by which a day is counted; a month has those of the calendar.
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14}
#: Nouns behind an ordinal that is no day of a month: "the 3rd working day", "the 2nd week".
_COUNTED = (
    r" (?:(?:banking|business|school|trading|working) )?(?:(?:day|week|month|quarter|year)s?|time|floor)\b"
)
#: A date as people write it: a day, a month, a year, a weekday, or a time relative to today.
DATE = lazy_pattern(
    r"(?P<iso>\d{4}-\d{2}-\d{2})|"
    rf"(?:(?:the )?(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|(?:{_ORDINAL})(?= of))(?: of)? (?P<month>{_MONTH})\.?|"
    rf"(?P<month2>{_MONTH})\.? (?:the )?(?P<day2>\d{{1,2}})(?!\d)(?:st|nd|rd|th)?)(?:,? (?P<year>(?:19|20)\d\d))?|"
    r"(?:(?P<part>early|mid|late|end of|the end of|beginning of|start of)[ -])?"
    rf"(?P<month3>{_MONTH})(?: (?P<year3>(?:19|20)\d\d))?(?![a-z])|"
    r"(?P<year4>(?:19|20)\d\d)\b|"
    rf"the (?P<day3>\d{{1,2}}(?:st|nd|rd|th)(?! of (?!this|next)|{_COUNTED})|(?:{_ORDINAL})(?= of (?:this|next) month))"
    r"(?: of (?P<which>this|next) month)?\b|"
    rf"(?P<weekday>(?:next |this )?(?:{_DAY}))\b|"
    rf"(?P<near>in (?P<count>\d{{1,2}}|{_COUNT}) (?P<unit>day|week|fortnight|month)s?\b|"
    rf"(?:a|one) week (?:on )?(?P<week_on>today|tomorrow|{_DAY})\b|"
    r"the day after tomorrow|tomorrow|today|tonight|(?:this|next) weekend|next week|next month|next year|"
    r"the end of (?:the )?(?:week|month|year|quarter)|end of (?:the )?(?:week|month|year|quarter))",
    re.IGNORECASE,
)
_SPAN = lazy_pattern(
    rf"\bfor (?:about |another |at least |the next )?(?P<count>\d{{1,2}}|{_COUNT}) (?:more )?"
    r"(?P<unit>day|week|fortnight|month)s?\b",
    re.IGNORECASE,
)
#: Days from today to the days that have words of their own.
_DAYS_AHEAD = {"today": 0, "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2}
#: Days by which a date without a year may lie before the text that announces it.
_LATE = 31
#: Length of a day in microseconds.
DAY_LENGTH = 86_400_000_000
#: Length of the time after which a date without a year is that of the next year, in microseconds.
LATE_LENGTH = (_LATE + 1) * DAY_LENGTH
_UNTIL = lazy_pattern(
    r"\b(?:until|till|'til|up to|up until|through|no later than|expires?(?: on)?|ends?(?: on)?|"
    r"last day(?: is)?(?: on)?)\s+",
    re.IGNORECASE,
)
#: Beginnings of the words of a time that is no day, and that an "until" leaves out.
_LONG = ("next week", "next month", "next year", "the end of", "end of")
#: Those of the words of `_UNTIL` that include a month or a year that follows.
_THROUGH = lazy_pattern(r"through|no later than|ends?|last day", re.IGNORECASE)
_SINCE = lazy_pattern(r"\b(?:since|ever since)\s+", re.IGNORECASE)
_FROM = lazy_pattern(
    r"\b(?:from|as of|as from|starting|beginning|effective|with effect from|start(?:s|ing)? (?:on|in)|come)\s+",
    re.IGNORECASE,
)
#: Those before the day of a change that was made.
_EFFECTIVE = lazy_pattern(r"(?:as of|as from|effective|with effect from)\b", re.IGNORECASE)

#: Times of a day or a few.
_FEW_DAYS = lazy_pattern(
    rf"\b(?:today|tonight|tomorrow|(?:this|next) (?:weekend|week|morning|afternoon|evening)|(?:{_DAY}))\b",
    re.IGNORECASE,
)
#: Words before a day on which something begins, is found or is due, and does not end.
_NO_SPAN = lazy_pattern(
    r"\b(?:since|from|as of|as from|starting|beginning|effective|by|before|after|until|till)\s+(?:the )?$",
    re.IGNORECASE,
)
#: Words of what holds on.
_LASTING = lazy_pattern(
    r"\b(?:any ?more|any longer|no longer|from now on|going forward|for\sgood|permanently|ever again)\b",
    re.IGNORECASE,
)
#: Maximum length of a few days in microseconds.
_FEW = 31 * DAY_LENGTH


def is_of_few_days(text: str, at: int, until: int | None) -> bool:
    """Whether a clause is limited to a day or a few: "this weekend", "on Friday", "until Sunday".

    Args:
        text: Words of the clause.
        at: Instant of the text, microseconds UTC; 0 if unknown.
        until: First instant at which the clause no longer holds; None if it has no end.
    """
    if _LASTING.search(text):
        return False
    if until is not None:
        return 0 < at <= until <= at + _FEW
    return any(not _NO_SPAN.search(text[: match.start()]) for match in _FEW_DAYS.finditer(text))


def instant(match: re.Match[str], at: int, *, past: bool) -> int | None:
    """First instant of a day, month or year; None if the calendar has no such day.

    Args:
        match: Match of `DATE`.
        at: Instant of the text, microseconds UTC.
        past: Whether a date without a year lies before the text, not after it.
    """
    now = date_of(at)
    found = _day(match, now, past=past)
    if found is None:
        return None
    return midnight(found)


def _day(match: re.Match[str], now: date, *, past: bool) -> date | None:
    """The first day of a match of `DATE`; None if the calendar has no such day."""
    try:
        return (
            _day_of_month(match, now, past=past)
            or _day_alone(match, now, past=past)
            or _month(match, now, past=past)
            or _weekday(match, now, past=past)
            or _counted_day(match, now)
            or _relative_day((match["near"] or "").lower(), now)
        )
    except ValueError:
        return None


def _day_of_month(match: re.Match[str], now: date, *, past: bool) -> date | None:
    """A day such as "2024-06-14" or "14 June"; None if the match is another one."""
    if match["iso"]:
        return date.fromisoformat(match["iso"])
    day, month = match["day"] or match["day2"], match["month"] or match["month2"]
    if not day or not month:
        return None
    return _in_year(match["year"], MONTHS[month.lower()], _number(day), now, past=past)


def _day_alone(match: re.Match[str], now: date, *, past: bool) -> date | None:
    """The nearest such day before or after a day, as in "the 22nd"; None if the match is another one."""
    if not match["day3"]:
        return None
    day, following = _number(match["day3"]), next_month(now)
    if (match["which"] or "").lower() == "next" or (not past and not match["which"] and day < now.day):
        return following.replace(day=day)
    if past and day > now.day:
        return (now.replace(day=1) - timedelta(days=1)).replace(day=day)
    return now.replace(day=day)


def next_month(day: date) -> date:
    """The first day of the month after that of a day."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def _last_of_month(day: date) -> date:
    """The last day of the month of a day."""
    return next_month(day) - timedelta(days=1)


def _number(day: str) -> int:
    """The number of a day of a month, in figures or in words."""
    word = day.lower().replace(" ", "-")
    return ORDINALS[word] if word in ORDINALS else int(word.rstrip("stndrh"))


def _month(match: re.Match[str], now: date, *, past: bool) -> date | None:
    """The first day of a month or year, the last of "the end of June"; None if the match is another one."""
    if match["year4"]:
        return date(int(match["year4"]), 1, 1)
    if not match["month3"]:
        return None
    part, month = (match["part"] or "").lower(), MONTHS[match["month3"].lower()]
    if part.endswith("end of"):
        return _last_of_month(_in_year(match["year3"], month, 28, now, past=past))
    return _in_year(match["year3"], month, 15 if part == "mid" else 1, now, past=past)


def _in_year(year: str | None, month: int, day: int, now: date, *, past: bool) -> date:
    """A day of a year, or of the year in which a date without one lies."""
    if year:
        return date(int(year), month, day)
    found = date(now.year, month, day)
    if past and found > now:
        return found.replace(year=found.year - 1)
    if not past and (now - found).days > _LATE:
        return found.replace(year=found.year + 1)
    return found


def _weekday(match: re.Match[str], now: date, *, past: bool) -> date | None:
    """The nearest such weekday before or after a day; None if the match is another one."""
    if not match["weekday"]:
        return None
    ahead = (DAYS[match["weekday"].lower().split()[-1]] - now.weekday()) % 7 or 7
    return now - timedelta(days=7 - ahead) if past else now + timedelta(days=ahead)


def _counted_day(match: re.Match[str], now: date) -> date | None:
    """The day of "in two weeks" or "a week on Friday"; None for other words."""
    if match["week_on"]:
        word = match["week_on"].lower()
        ahead = _DAYS_AHEAD[word] if word in _DAYS_AHEAD else (DAYS[word] - now.weekday()) % 7 or 7
        return now + timedelta(days=7 + ahead)
    if not match["count"]:
        return None
    count, unit = match["count"].lower(), match["unit"].lower()
    return _after(now, unit, counted(count))


def end_of_span(text: str, at: int) -> int | None:
    """First instant after the span that begins with a text and that it names, as in "for six weeks"; None without one.

    Args:
        text: Words of the text.
        at: Instant of the text, microseconds UTC; 0 if unknown.
    """
    if not at or (match := _SPAN.search(text)) is None:
        return None
    return _end_of_span(match, date_of(at))


def _end_of_span(match: re.Match[str], begin: date) -> int:
    """First instant after the last day of a span, of which the first and last day are rough."""
    end = _after(begin, match["unit"].lower(), counted(match["count"].lower()))
    return midnight(end + timedelta(days=1))


def counted(word: str) -> int:
    """The number of days, weeks or months of a word in lower case, such as "two", "a few" or "12"."""
    return COUNTS[word] if word in COUNTS else int(word)


def midnight(day: date) -> int:
    """First instant of a day, microseconds UTC."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1_000_000


def _after(day: date, unit: str, count: int) -> date:
    """The day so many units of time after another; of a shorter month, its last day."""
    if unit != "month":
        return day + timedelta(days=_UNIT_DAYS[unit] * count)
    first = day.replace(day=1)
    for _ in range(count):
        first = next_month(first)
    return min(first + timedelta(days=day.day - 1), _last_of_month(first))


def _relative_day(words: str, now: date) -> date | None:
    """The day of "tomorrow", or the first one of or after a weekend, week, month, quarter or year; None if neither."""
    if words in _DAYS_AHEAD:
        return now + timedelta(days=_DAYS_AHEAD[words])
    if "weekend" in words:
        return max(now, now + timedelta(days=5 - now.weekday() + 7 * words.startswith("next")))
    if "week" in words:
        return now + timedelta(days=7 - now.weekday())
    if "month" in words:
        return next_month(now)
    if "year" in words or ("quarter" in words and now.month > 9):
        return date(now.year + 1, 1, 1)
    return date(now.year, (now.month - 1) // 3 * 3 + 4, 1) if "quarter" in words else None


def day_after(match: re.Match[str], day: date) -> date:
    """First day after the day, weekend, week or month that a match of `DATE` means, which begins with a day.

    "In two weeks" means any day until the third week is over: a rough time is over late rather than early.
    """
    words = (match["near"] or "").lower()
    if match["unit"] and match["unit"].lower() != "day":
        return _after(day, match["unit"].lower().replace("fortnight", "week"), 1)
    if match["month3"] or words == "next month":
        return next_month(day)
    if "weekend" in words:
        return day + timedelta(days=7 - day.weekday())
    if words == "next year":
        return day.replace(year=day.year + 1)
    return day + timedelta(days=7 if words == "next week" else 1)


def _is_amount(begin: re.Match[str], match: re.Match[str]) -> bool:
    """Whether a year is an amount with its unit, as in "up to 2000 euros"."""
    is_up_to = begin[0].lower().startswith("up to")
    return (
        is_up_to and bool(match["year4"]) and re.match(r" [^\W\d_]", match.string[match.end() :]) is not None
    )


def _end_of_bound(match: re.Match[str], at: int, *, is_through: bool) -> int | None:
    """First instant at which an "until" no longer holds, rather late than early.

    A day is included: "until 3 May" ends with that day. "Until June" ends as June begins, "through June" and "until the
    end of June" as July does.

    Args:
        match: Match of `DATE` after the bound.
        at: Instant of the text, microseconds UTC.
        is_through: Whether the words before it include a month or a year.
    """
    begin = instant(match, at, past=False)
    is_end = (match["part"] or "").lower().endswith("end of")
    is_long = match["month3"] or match["year4"] or (match["near"] or "").lower().startswith(_LONG)
    if begin is None or (is_long and not (is_end or is_through)):
        return begin
    day = date_of(begin)
    return midnight(day.replace(year=day.year + 1) if match["year4"] else day_after(match, day))


def end_of_date(match: re.Match[str], at: int) -> int | None:
    """First instant at which "until" a date no longer holds; None for a date that lies behind.

    Args:
        match: Match of `DATE`.
        at: Instant of the text, microseconds UTC.
    """
    end = _end_of_bound(match, at, is_through=False)
    return end if end is not None and end > at else None


def bounds(text: str, at: int, *, past: bool = False) -> tuple[int | None, int | None]:
    """First instant at which a clause holds, and first instant at which it no longer holds, by its words.

    Args:
        text: Words of the clause.
        at: Instant of the text, microseconds UTC; 0 if unknown, then both bounds are None.
        past: Whether the clause tells of the past, so that "went to Noor as of Monday" means the last Monday.
    """
    if not at:
        return None, None
    since = until = None
    if (
        (begin := _UNTIL.search(text))
        and (match := DATE.match(text, begin.end()))
        and not _is_amount(begin, match)
    ):
        until = _end_of_bound(match, at, is_through=_THROUGH.match(begin[0]) is not None)
    if (begin := _SINCE.search(text)) and (match := DATE.match(text, begin.end())):
        since = instant(match, at, past=True)
    elif (begin := _FROM.search(text)) and (match := DATE.match(text, begin.end())):
        since = instant(match, at, past=past and _EFFECTIVE.match(begin[0]) is not None)
        span = None if past or until is not None or since is None else _SPAN.search(text)
        if span is not None and since is not None and text[span.end() :].lstrip(" ,").startswith(begin[0]):
            # "For three weeks from the 29th" has an end.
            until = _end_of_span(span, date_of(since))
    return since, until
