"""Ends what was heard with a date once that is over: "no violin till September", "file the return by 30 April"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.clock import MICROSECONDS, date_of
from bardo.conduct.model.authors import said_at
from bardo.conduct.model.entries import Rule, StateEntry, StateKind
from bardo.conduct.storage.store import ConductStore
from bardo.config import SECONDS_PER_DAY
from bardo.consolidate.languages.english.dates import DATE, day_after, instant
from bardo.consolidate.languages.english.order_terms import AHEAD, EVENT, is_end, to_come

#: Kinds of entries that end with their date.
DATED: tuple[StateKind, ...] = ("task", "rejected", "decision")
#: Number of days that an open task stays after its date: late work may still have to be done.
GRACE_DAYS = 7
_DAY = SECONDS_PER_DAY * MICROSECONDS
_SINGLE = ("today", "tonight", "tomorrow", "this weekend")
_WHY = "its date is over"
#: Words by which something holds each time, or from a date on.
_LASTING = lazy_pattern(
    r"\b(?:every|each|always|never|ever|any|daily|weekly|monthly|yearly|\w+days|from|since|after|starting|as of)\b",
    re.IGNORECASE,
)
_UNTIL = lazy_pattern(
    rf"\b(?:(?P<word>until|till|'til|through)|(?P<ahead>{AHEAD}))\s+(?P<event>{EVENT})?(?:the )?$",
    re.IGNORECASE,
)
#: Words before a date by which something is done on it; other words with the name of a day or month may be names.
_ON = lazy_pattern(
    r"\b(?:by|on|before|until|till|in|during|for|due|of|to|at|this|next)\s+(?:the )?$", re.IGNORECASE
)
#: End of the name of a day or month; before another word it may be a part of a name: "the March figures".
_NAMED = lazy_pattern(
    r"\s*(?:$|[^\w\s])|\s+(?:and|or|at|in|please|for|so|with|if|when|i|we|you|then|to|the|morning|afternoon|evening|"
    r"night|noon)\b",
    re.IGNORECASE,
)
_NO = lazy_pattern(r"\W*(?:[\w ]{1,30}: *)?(?:no|not|don't|please|never|let's)\b", re.IGNORECASE)
#: Words without which a rejection or decision has no end.
_ENDING = lazy_pattern(
    rf"\b(?:until|till|'til|through|{AHEAD}|today|tonight|tomorrow|this weekend)\b", re.IGNORECASE
)
#: Maximum number of cached ends: each pass reads those of all entries in force.
_ENDS = 16_384


@lru_cache(_ENDS)
def end_of(kind: StateKind, text: str, at: int) -> int | None:
    """Returns the first instant at which an entry is over by its own words; None if they have no end.

    A rejection or decision ends where "until" says so, or with the only day that it is said for: "not today". A
    rejection also ends with the day of what it is said before: "before the decision on 4 June". A task ends a week
    after its last date.

    Args:
        kind: Kind of the entry.
        text: Its words.
        at: Time of the words, microseconds UTC.
    """
    if kind == "task":
        return max(_task_ends(text, at), default=None)
    if _ENDING.search(text) is None:
        return None
    return max(_limits(text, at, kind), default=None)


def is_over(row: StateEntry | Rule, now: int) -> bool:
    """Whether an entry or rule was heard with a date that is over: "no deploys until 24 August".

    Args:
        row: Entry or rule.
        now: Wall clock, microseconds UTC.
    """
    if not row.episode:
        return False
    kind: StateKind = "rejected" if isinstance(row, Rule) else row.kind
    if kind not in DATED or (isinstance(row, Rule) and not row.forbids):
        return False
    end = end_of(kind, row.forbids if isinstance(row, Rule) else row.summary, said_at(row))
    return end is not None and end <= now


def end_expired(store: ConductStore, *, agent: str, now: int) -> list[StateEntry | Rule]:
    """Ends the heard entries, and retires the heard rules that forbid, whose date is over; returns them.

    Args:
        store: State and rules of the agent.
        agent: Name of the agent.
        now: Wall clock, microseconds UTC.
    """
    rows: list[StateEntry | Rule] = [
        *(entry for kind in DATED for entry in store.state(kind=kind, limit=-1)),
        *store.rules(every=False),
    ]
    over = [row for row in rows if is_over(row, now)]
    if not over:
        return []
    with store.writing():
        return [
            store.put(
                replace(row, confirmed_at=now, retired_by=agent, retired_why=_WHY)
                if isinstance(row, Rule)
                else replace(row, status="archived", changed_at=now, closed_by=agent, closed_why=_WHY)
            )
            for row in over
        ]


def _task_ends(text: str, at: int) -> Iterator[int]:
    """Yields the ends of the dates of a task, with the days of grace."""
    if _LASTING.search(text):
        return
    for match in DATE.finditer(text):
        is_named = match["iso"] or match["day"] or match["day2"] or match["near"]
        is_on = _ON.search(text[: match.start()]) and _NAMED.match(text, match.end())
        if not match["year4"] and (is_named or is_on):
            for _, end in _span(match, at):
                yield end + GRACE_DAYS * _DAY


def _limits(text: str, at: int, kind: StateKind) -> Iterator[int]:
    """Yields the ends of a rejection or decision; a day without "until" is one of an order alone."""
    is_order = kind == "rejected" and _NO.match(text) is not None
    for match in DATE.finditer(text):
        until = _UNTIL.search(text[: match.start()])
        if until is not None and until["ahead"]:
            is_term = is_end(text[: until.start()], match, of_event=bool(until["event"]))
            until = until if kind == "rejected" and is_term else None
        is_single = is_order and (match["near"] or "").lower() in _SINGLE
        if until is None and (not is_single or _LASTING.search(text)):
            continue
        for begin, end in _span(match, to_come(match, at) if kind == "rejected" else at):
            # An event of a day may be at its end.
            is_whole = until is None or until["event"] or (until["word"] or "").lower() == "through"
            yield end if is_whole else begin


def _span(match: re.Match[str], at: int) -> Iterator[tuple[int, int]]:
    """Yields the first instant of a date, and the first one after it; nothing for a date that lies behind."""
    begin = instant(match, at, past=False)
    if begin is not None and begin + _DAY > at:
        day = date_of(begin)
        yield begin, begin + (day_after(match, day) - day).days * _DAY
