"""Days near that of a text, such as "yesterday" or "tonight", as dates: a fact is read on other days."""

from __future__ import annotations

import re
from datetime import date, timedelta

from bardo.clock import date_of

#: Days from that of a text to a day near it, and the part of that day.
_NEAR = {
    "the day before yesterday": (-2, ""),
    "yesterday": (-1, ""),
    "last night": (-1, "evening"),
    "today": (0, ""),
    "this morning": (0, "morning"),
    "this afternoon": (0, "afternoon"),
    "this evening": (0, "evening"),
    "tonight": (0, "evening"),
    "tomorrow": (1, ""),
    "the day after tomorrow": (2, ""),
}
_DAY = re.compile(
    r"\b(?:(?P<before>about|after|around|as from|as of|before|by|for|from|of|on|since|starting|through|till|"
    r"to|until) )?"
    rf"(?P<day>{'|'.join(sorted(_NEAR, key=len, reverse=True))})"
    r"(?: (?P<part>morning|afternoon|evening|night))?\b(?P<is_name>['’-]\w)?",
    re.IGNORECASE,
)
#: Times after that of a text, which are known only with its own: "next week's class" and "next Monday" stay.
_NEXT = re.compile(
    r"\b(?:(?P<before>after|before|by|during|for|from|of|since|till|until) )?"
    r"(?P<what>next (?:weekend|week|month|year)|this weekend)\b(?!['’-]\w)",
    re.IGNORECASE,
)
#: Days that are of the moment: what is so today is a mood, unless it begins or ends then.
_OF_MOMENT = re.compile(
    r"(?<!since )(?<!from )(?<!as of )(?<!until )\b(?:today|tonight|this (?:morning|afternoon|evening))\b",
    re.IGNORECASE,
)


def names_near_day(text: str) -> bool:
    """Whether a text has a day that is known only with its own."""
    return _DAY.search(text) is not None


def names_moment(text: str) -> bool:
    """Whether a text is limited to the day on which it is said."""
    return _OF_MOMENT.search(text) is not None


def dated(text: str, at: int) -> str:
    """A text with dates for the days near it: "since this morning" becomes "since the morning of 2026-03-05".

    Args:
        text: Words of a text.
        at: Instant of the text, microseconds UTC; 0 if unknown, then the text stays as it is.
    """
    if not at:
        return text
    today = date_of(at)

    def replaced(match: re.Match[str]) -> str:
        ahead, part = _NEAR[match["day"].lower()]
        part = (match["part"] or part).lower()
        day = (today + timedelta(days=ahead)).isoformat()
        when = f"the {part} of {day}" if part else day
        rest = match["is_name"] or ""
        if rest and part:
            # "Last night's pie" is no time.
            return match[0]
        if match["before"]:
            return f"{match['before']} {when}{rest}"
        if rest or (match.end() < len(text) and re.match(r" (?:is|was|will)\b", text[match.end() :])):
            # "Today's", "tomorrow is": the day itself, not a time.
            return f"{when}{rest}"
        begins = not text[: match.start()].strip() and match["day"][0].isupper()
        return f"{'On' if begins else 'on'} {when}"

    return _NEXT.sub(lambda match: _period(match, today), _DAY.sub(replaced, text))


def _period(match: re.Match[str], today: date) -> str:
    """The dates of "next week", "next month" and the like."""
    words = match["what"].lower()
    before = match["before"] or ("over" if "weekend" in words else "in")
    begins = match.start() == 0 and match["what"][0].isupper()
    before = before.capitalize() if begins else before
    if "weekend" in words:
        saturday = today + timedelta(days=5 - today.weekday() + 7 * words.startswith("next"))
        return f"{before} the weekend of {saturday}"
    if "week" in words:
        return f"{before} the week of {today + timedelta(days=7 - today.weekday())}"
    if "month" in words:
        month = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        return f"{before} {month:%B} {month.year}"
    return f"{before} {today.year + 1}"
