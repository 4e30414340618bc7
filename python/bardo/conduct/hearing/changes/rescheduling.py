"""Moves the date of a task that a person's later words move: "the deadline of the tax return moved to 31 May"."""

from __future__ import annotations

import re
from dataclasses import replace

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.changes import superseding
from bardo.conduct.hearing.changes.completion import stems_in
from bardo.conduct.model.entries import StateEntry
from bardo.conduct.storage.store import ConductStore
from bardo.consolidate.languages.english.dates import DATE

_AUX = r"(?:(?:has|have|had|got|gets|was|were|is|are|been|just|now|'s) )*"
#: Thing, and words by which its date is another one; the new date follows.
_MOVED = lazy_pattern(
    rf"(?:^|[,;.!] )(?:(?:ok(?:ay)?|so|fyi|and|btw|oh),? )?(?P<thing>[^,;.!?]{{2,80}}?) {_AUX}"
    r"(?:(?:extended|moved|moves|postponed|pushed|put|delayed|rescheduled|shifted|slipped|slips)(?: back| out)?|"
    r"brought forward) (?:to|till|until) (?=\S)",
    re.IGNORECASE,
)
#: Words for the date of a thing.
_OF_DATE = lazy_pattern(r"\b(?:(?:deadline|due date|date)(?: (?:of|for))?|due)\b", re.IGNORECASE)
_DENIED = lazy_pattern(r"\?|n't\b|\b(?:not|never|if|maybe|might|could|would)\b", re.IGNORECASE)
#: End of the words before the date of a task. A day before which a thing is prepared is not that of the thing.
_ON = lazy_pattern(r"(?:\bdue )?\b(?P<word>on|at|for|by|before|until|till|due) +(?:the )?$", re.IGNORECASE)
_FOR = lazy_pattern(r"\b(?:for|about|to|of|with)(?: (?:the|our|my|a|an))? *$", re.IGNORECASE)
_WORD = lazy_pattern(r"[a-z0-9][\w'-]*", re.IGNORECASE)


def moves_date(text: str) -> bool:
    """Whether a person's words move something to another date.

    Args:
        text: Words of a person.
    """
    return _read(text) is not None


def move(store: ConductStore, text: str, *, by: str, episode: str, at: int) -> StateEntry | None:
    """Puts the one open task of a thing, with its new date, in the place of the old one; None if none or several fit.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words that move a date.
        by: Person who said them.
        episode: Id of their episode.
        at: Their time, microseconds UTC; later tasks stay.
    """
    if (read := _read(text)) is None:
        return None
    thing, date = read
    moved = [
        (task, summary)
        for task in store.state(kind="task", limit=-1)
        if task.episode and task.episode != episode and task.at <= at
        if (summary := _with_date(task.summary, thing, date))
    ]
    if len(moved) != 1:
        return None
    task, summary = moved[0]
    newer = store.put(replace(task, id="", summary=summary, by=by, episode=episode, at=at, changed_at=at))
    superseding.end(store, [task], by=by, at=at, successor=newer.id)
    return newer


def _read(text: str) -> tuple[frozenset[str], str] | None:
    """Returns the stems of the thing whose date is moved, and the new date; None if none is."""
    bare = text.strip().replace("’", "'")
    found = _MOVED.search(bare)
    date = None if found is None else DATE.match(bare, found.end())
    if found is None or date is None or _DENIED.search(bare):
        return None
    thing = stems_in(_OF_DATE.sub(" ", found["thing"]))
    return (thing, date[0]) if thing else None


def _with_date(task: str, thing: frozenset[str], date: str) -> str:
    """Returns a task with another date in the place of the one that it has for a thing; empty if it has none."""
    dates = [*DATE.finditer(task)]
    if len(dates) != 1 or dates[0]["year4"]:
        return ""
    before = task[: dates[0].start()]
    if (on := _ON.search(before)) is None:
        return ""
    words = [word for word in _WORD.finditer(before[: on.start()]) if stems_in(word[0])]
    last = words[-len(thing) :]
    if not last or stems_in(" ".join(word[0] for word in last)) != thing:
        return ""
    if on["word"].lower() not in ("on", "at", "for") and _FOR.search(before[: last[0].start()]):
        return ""
    return f"{before}{date}{task[dates[0].end() :]}" if date.lower() != dates[0][0].lower() else ""
