"""Changes the limit of an order that a person gives another figure: "the limit is 400 now, not 250"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.hearing.changes import superseding
from bardo.conduct.hearing.changes.completion import stems_in
from bardo.conduct.hearing.orders.approvals import approver_in
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.parse.conditions import limits
from bardo.conduct.parse.rejections import wording
from bardo.conduct.storage.store import ConductStore

_FIGURE = r"[€$£]?(?P<{name}>\d+(?:[.,]\d+)*)"
_UNIT = r"(?: ?(?:[€$£%]|euros?|eur|dollars?|usd|pounds?|gbp|francs?|chf|percent|[a-z]+s)\b)?"
#: New figure of a limit, and words that tell it apart from a limit that always was so.
_CHANGED = lazy_pattern(
    r"(?:^|[.;!] |, )(?:ok(?:ay)?,? |so,? |and |from now on,? )?(?:the|our|my|that|your) (?P<of>(?:[\w-]+ ){0,2}?)"
    r"(?:limits?|cap|ceiling|threshold|maximum)(?P<for>(?: (?:for|of|on) [\w' -]+?)?) "
    r"(?P<change>is now|is|stands at|(?:has been |was |is )?(?:raised|lowered|increased|reduced|set|changed) to|"
    rf"goes (?:up |down )?to|moves to|(?:is |goes )?back (?:at|to)) "
    rf"(?P<early>now )?{_FIGURE.format(name='new')}{_UNIT}(?P<late> now)?",
    re.IGNORECASE,
)
#: The same as an order: "raise your limit to 120 euros".
_ORDERED = lazy_pattern(
    r"(?:^|[.;!] |, )(?:please |ok(?:ay)?,? |so,? )*(?P<change>raise|lower|increase|reduce|set|change|move|put up) "
    r"(?:the|our|my|that|your) (?P<of>(?:[\w-]+ ){0,2}?)(?:limit|cap|ceiling|threshold|maximum)"
    rf"(?P<for>(?: (?:for|of|on) [\w' -]+?)?) (?P<early>to) {_FIGURE.format(name='new')}{_UNIT}(?P<late>)",
    re.IGNORECASE,
)
_APPROVAL = stems_in("approval sign-off")
_OLD = lazy_pattern(
    rf"(?:not|instead of|rather than|no longer|up from|down from|was) {_FIGURE.format(name='old')}\b",
    re.IGNORECASE,
)
_DENIED = lazy_pattern(
    r"\?|\b(?:if|maybe|might|could|would|should we|not sure|i think|i guess)\b", re.IGNORECASE
)
_NUMBER = lazy_pattern(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


class _Change(NamedTuple):
    """New figure of a limit.

    Args:
        new: The figure, as it was said.
        old: Figure that it replaces; empty if the words do not tell.
        of: Stems of what the limit is of; empty if the words do not tell.
    """

    new: str
    old: str
    of: frozenset[str]


def changes_limit(text: str) -> bool:
    """Whether a person's words give a limit another figure.

    Args:
        text: Words of a person.
    """
    return _read(text) is not None


def change(store: ConductStore, text: str, *, by: str, episode: str, at: int) -> Rule | StateEntry | None:
    """Puts the one order whose limit changes, with the new figure, in the place of the old one; None if none is clear.

    Only the author of an order, or the one whose approval it asks for, changes its limit.

    Args:
        store: State and rules of the agent, in a transaction.
        text: Words of a person.
        by: Person who said them.
        episode: Id of their episode.
        at: Their time, microseconds UTC; later orders stay.
    """
    if (read := _read(text)) is None:
        return None
    held: list[Rule | StateEntry] = [
        *(rule for rule in store.rules(every=False) if rule.approval or rule.forbids),
        *store.state(kind="rejected", limit=-1),
    ]
    changed = [
        (row, said)
        for row in held
        if row.at <= at and row.episode != episode and _is_of(row, by)
        if (said := _figure_of(row, read))
    ]
    if len(changed) != 1:
        return None
    row, said = changed[0]
    if isinstance(row, Rule):
        newer: Rule | StateEntry = store.put(
            replace(
                row, id="", text=_with(row.text, said, read.new), forbids=_with(row.forbids, said, read.new),
                approval=_with(row.approval, said, read.new), by=by, episode=episode, at=at, confirmed_at=at,
            )
        )  # fmt: skip
    else:
        newer = store.put(
            replace(
                row, id="", summary=_with(row.summary, said, read.new), detail=text.strip(), by=by,
                episode=episode, at=at, changed_at=at, corrections=_with(row.corrections, said, read.new),
            )
        )  # fmt: skip
    superseding.end(store, [row], by=by, at=at, successor=newer.id)
    return newer


def _read(text: str) -> _Change | None:
    """Returns the new figure of a limit; None if a text gives none."""
    bare = wording.straight(text).strip()
    found = _CHANGED.search(bare) or _ORDERED.search(bare)
    if found is None or _DENIED.search(bare):
        return None
    old = _OLD.search(bare, found.end())
    is_new = (
        old
        or found["early"]
        or found["late"]
        or not re.fullmatch("is|stands at", found["change"], re.IGNORECASE)
    )
    if not is_new:
        return None
    return _Change(
        found["new"], old["old"] if old is not None else "", stems_in(f"{found['of']} {found['for']}")
    )


def _is_of(row: Rule | StateEntry, by: str) -> bool:
    """Whether a person gave an order, or is the one whose approval it asks for."""
    text = row.text if isinstance(row, Rule) else row.summary
    author = author_of(row.by)[0].casefold()
    return by.casefold() == author or bool(
        (name := approver_in(text)) and name.casefold() in by.casefold().split()
    )


def _figure_of(row: Rule | StateEntry, read: _Change) -> str:
    """Returns the one figure of the limit of an order, as it is written; empty if that is not the one that changes."""
    text = (row.approval or row.forbids) if isinstance(row, Rule) else row.summary
    figures = _NUMBER.findall(text)
    is_approval = isinstance(row, Rule) and bool(row.approval)
    of = read.of - _APPROVAL if is_approval else read.of
    if len(figures) != 1 or not limits.split(text)[1] or not of <= stems_in(text):
        return ""
    is_old = not read.old or _plain(read.old) == _plain(figures[0])
    return figures[0] if is_old and _plain(figures[0]) != _plain(read.new) else ""


def _plain(figure: str) -> str:
    """Returns a figure without the marks of thousands."""
    return re.sub(r"[.,](?=\d{3}\b)", "", figure)


def _with(text: str, old: str, new: str) -> str:
    """Returns a text with a new figure in the place of an old one."""
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
