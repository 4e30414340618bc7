"""Terms of orders by an event or a date: "don't short it before the decision on 4 June"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.consolidate.languages.english.dates import (
    DATE,
    DAY_LENGTH,
    LATE_LENGTH,
    end_of_date,
    instant,
)

#: Event on the date that follows: "the ECB decision on". One with a verb is a condition: "the lawyer has read it on".
EVENT = (
    r"(?:the|our|their|its|his|her|my|your|an?) "
    r"(?:(?!(?:on|is|are|was|were|has|have|had|will|can|does|do|did|gets?|end|"
    r"beginning|start)\b)[\w'’/&-]+ ){1,6}?(?:on|of) "
)
#: Words before the event or date at which an order ends.
AHEAD = r"(?<!from )(?:before|ahead of|prior to)"
_TERM = lazy_pattern(rf"\b(?:{AHEAD}|until|till|'til) (?P<event>{EVENT})?", re.IGNORECASE)
_FORBIDS = lazy_pattern(
    r"\W*(?:[\w ]{1,30}[:,] *)?(?:(?:so|and|but|also|ok|okay|well) +)?(?:please,? +)?"
    r"(?:do(?:n't|n’t| not)|never|let(?:'s|’s| us) not|avoid|stop|no)\b",
    re.IGNORECASE,
)
_ALWAYS = lazy_pattern(r"\b(?:never|always|ever)\b", re.IGNORECASE)
#: Acts on what was kept or written, of which a date before tells the age: "don't delete the logs before March".
_OF_AGE = lazy_pattern(
    r"\b(?:delet|remov|eras|purg|archiv|prun|drop|edit|touch|chang|overwrit|renam|renumber|reopen|import|export|"
    r"count|includ)\w*\b",
    re.IGNORECASE,
)


def is_end(before: str, date: re.Match[str], *, of_event: bool) -> bool:
    """Whether "before" with a date is the term of an order, and no day of each month or week and no age of things.

    Args:
        before: Words of the order before "before".
        date: Match of `DATE`.
        of_event: Whether the date is that of an event.
    """
    is_each = (date["day3"] and not date["which"]) or (date["weekday"] and _ALWAYS.search(before) is not None)
    return not is_each and (of_event or _OF_AGE.search(before) is None)


def to_come(date: re.Match[str], at: int) -> int:
    """Returns the instant as of which a date without a year is the next one: an order has no end that lies behind.

    Args:
        date: Match of `DATE`.
        at: Instant of the order, microseconds UTC.
    """
    begin = instant(date, at, past=False)
    is_of_year = date["month"] or date["month2"] or date["month3"]
    is_behind = begin is not None and begin + DAY_LENGTH <= at and is_of_year
    return at + LATE_LENGTH if is_behind and not (date["year"] or date["year3"]) else at


def end_of_order(text: str, at: int) -> int | None:
    """First instant after the term of a sentence that forbids an act; None for other sentences and without a term.

    The day of an event or of "before" is included, as that of "until" is.

    Args:
        text: Sentence.
        at: Instant of the text, microseconds UTC; 0 if unknown.
    """
    if not at or _FORBIDS.match(text) is None:
        return None
    for begin in _TERM.finditer(text):
        date = DATE.match(text, begin.end())
        if date is not None and is_end(text[: begin.start()], date, of_event=bool(begin["event"])):
            return end_of_date(date, to_come(date, at))
    return None
