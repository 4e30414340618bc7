"""Conditions of years and dates: "before 2027", "until 31 December 2026", "between 2026 and 2028".

The action's own dates decide them, else the clock (UTC). A date is compared as text, such as 2027, 2027-03 or
2027-03-15, as far as both sides name it.
"""

from __future__ import annotations

import re

from bardo import _core
from bardo._patterns import lazy_pattern
from bardo.clock import date_of
from bardo.consolidate.languages.english.dates import DATE, MONTHS, instant

#: Number of years after which a time that is over is rather one of the things: "the invoices before 2019".
_LONG_OVER = 1
_YEAR = r"(?:19\d\d|20\d\d|2100)"
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_DAY = r"(?:the )?\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:(?:{_DAY}(?: of)? )?{_MONTH}\.? (?:{_DAY},? )?|(?:the )?year )?{_YEAR})"
    r"(?![\w:/%-]|[.,]\d)(?! ?(?:h|hrs?|hours|am|pm|o['’]?clock)\b)"
)
_EDGE = r"(?:the )?(?:(?P<edge>end|beginning|start) of )?"
_RANGE = lazy_pattern(
    rf"\b(?:between|from) (?P<start>{_DATE}) (?:and|to|until|till|through|-|–) (?P<end>{_DATE})",
    re.IGNORECASE,
)
_BOUND = lazy_pattern(
    rf"\b(?P<how>before|earlier than|until|till?|after|past|later than|from|since|as of|by|in|on|during) "
    rf"{_EDGE}(?P<date>{_DATE})(?: on(?:wards?)?\b)?",
    re.IGNORECASE,
)
#: Name of a bound by the words before a date.
_KINDS = {
    "before": "before", "earlier than": "before", "until": "before", "til": "before", "till": "before",
    "by": "before", "after": "after", "past": "after", "later than": "after", "from": "from", "since": "from",
    "as of": "from", "in": "in", "on": "in", "during": "in",
}  # fmt: skip
#: Change by an amount, which a number after "by" is: "raise the price by 2000".
_BY_AMOUNT = lazy_pattern(
    r"\b(?:rais|increas|extend|lift|boost|grow|lower|reduc|decreas|cut|shrink|exceed|overdr|chang|mov)\w*\b.* $",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(
    r"(?P<kind>before|after|from|in|to) (?P<date>\d{4}(?:-\d\d){0,2})|"
    r"between (?P<start>\d{4}(?:-\d\d){0,2}) and (?P<end>\d{4}(?:-\d\d){0,2})"
)
_NEXT_WORD = lazy_pattern(r" ([a-z]+)", re.IGNORECASE)
_PLACED = lazy_pattern(
    r"\b(?:in|on|by|before|until|till|during|next|from|since|after)(?: the)? $", re.IGNORECASE
)


def split(text: str) -> tuple[str, list[str]]:
    """Splits a rejection from its bounds in years and dates; returns these as conditions, such as `before 2027`."""
    names: list[str] = []

    def ranged(found: re.Match[str]) -> str:
        start, end = _written(found["start"]), _written(found["end"])
        if not (start and end):
            return found[0]
        names.append(f"between {start} and {end}")
        return " "

    def bounded(found: re.Match[str]) -> str:
        name = "" if _is_of_thing(found) else _name(found)
        names.extend(filter(None, [name]))
        return " " if name else found[0]

    return _BOUND.sub(bounded, _RANGE.sub(ranged, text)), names


def is_dated(condition: str) -> bool:
    """Whether a condition is a bound in years or dates, as `split` names it."""
    return _CONDITION.fullmatch(condition) is not None


def holds(condition: str, action: str, *, now: int) -> bool | None:
    """Whether a bound holds for an action; None if its dates leave it open.

    Args:
        condition: Bound as `split` names it.
        action: Action in words.
        now: Wall clock, microseconds UTC.
    """
    found = _CONDITION.fullmatch(condition)
    assert found is not None
    today = date_of(now).isoformat()
    if named := _years_of(action):
        every = {_is_in(found, each) for each in named}
        return True if True in every else None if None in every else False
    if _is_long_over(found, today):
        return None
    is_now = _is_in(found, today)
    # A day without a year may be of this year or of another one.
    return is_now if all(_is_in(found, each) is is_now for each in _days_of(action, now)) else None


def names_date(action: str) -> bool:
    """Whether an action names a date with a year as a time."""
    return bool(_years_of(action))


def _name(found: re.Match[str]) -> str:
    """Returns a bound as a condition; empty if the calendar has no such date."""
    how, date = found["how"].lower(), _written(found["date"])
    kind = _KINDS[how]
    is_end = (found["edge"] or "").lower() == "end"
    # "Until 3 May" includes the day, as it does in facts.
    is_day = len(date) > len("2027-01") and how in ("until", "til", "till", "by")
    if kind == "before" and (is_end or is_day):
        kind = "to"
    return f"{kind} {date}" if date else ""


def _is_of_thing(found: re.Match[str]) -> bool:
    """Whether the number is an amount or part of a name: "by 2000" after "raise", "in 2019 format"."""
    text = found.string
    if (
        found["how"].lower() == "by"
        and len(found["date"]) == len("2027")
        and _BY_AMOUNT.search(text[: found.start()])
    ):
        return True
    if found["how"].lower() == "on" and len(found["date"]) == len("2027"):
        return True
    following = _NEXT_WORD.match(text, found.end())
    # A function word has no stem.
    return following is not None and _core.stems([following[1].lower()])[0] is not None


def _is_in(bound: re.Match[str], date: str) -> bool | None:
    """Whether a date is within a bound; None if it is named less exactly than the bound."""
    if bound["start"]:
        sides = [_compared(date, bound["start"]), _compared(date, bound["end"])]
        if sides[0] == -1 or sides[1] == 1:
            return False
        return None if None in sides else True
    side = _compared(date, bound["date"])
    if side is None:
        return None
    return {"before": side < 0, "after": side > 0, "from": side >= 0, "to": side <= 0, "in": side == 0}[
        bound["kind"]
    ]


def _compared(date: str, bound: str) -> int | None:
    """Returns -1, 0 or 1 for a date before, within or after another; None if that one is within the date."""
    length = min(len(date), len(bound))
    one, other = date[:length], bound[:length]
    if one != other:
        return -1 if one < other else 1
    return 0 if len(date) >= len(bound) else None


def _is_long_over(bound: re.Match[str], today: str) -> bool:
    """Whether the time of a bound was over long ago."""
    last = bound["end"] or (bound["date"] if bound["kind"] in ("before", "in", "to") else "")
    return bool(last) and int(today[:4]) - int(last[:4]) > _LONG_OVER


def _years_of(action: str) -> list[str]:
    """Returns the dates with a year that an action names as times."""
    found = [match["date"] for match in _BOUND.finditer(action) if not _is_of_thing(match)]
    found += [match[side] for match in _RANGE.finditer(action) for side in ("start", "end")]
    return list(filter(None, map(_written, found)))


def _days_of(action: str, now: int) -> list[str]:
    """Returns the days and months without a year that an action names as times, at or after a clock."""
    days = []
    for match in DATE.finditer(action):
        is_named = match["day"] or match["day2"] or match["near"] or _PLACED.search(action[: match.start()])
        begin = None if match["year4"] or not is_named else instant(match, now, past=False)
        if begin is not None:
            day = date_of(begin).isoformat()
            days.append(day[: len("2027-01")] if match["month3"] else day)
    return days


def _written(words: str) -> str:
    """Returns a date as 2027, 2027-03 or 2027-03-15; empty if the calendar has no such date."""
    if re.fullmatch(r"\d{4}-\d\d", words):
        return words if 1 <= int(words[-2:]) <= 12 else ""
    match = DATE.search(words)
    begin = None if match is None else instant(match, 1, past=False)
    if match is None or begin is None:
        return ""
    length = len("2027") if match["year4"] else len("2027-01") if match["month3"] else len("2027-01-01")
    return date_of(begin).isoformat()[:length]
