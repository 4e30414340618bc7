"""Authors of entries, rules, flows and missions that came with a testament."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo._patterns import lazy_pattern
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.model.procedures import Flow, Mission

if TYPE_CHECKING:
    from bardo.bequeath.content.directives import Directive

_INHERITED = lazy_pattern(
    r"inherited from (?P<origin>.+?)(?: \((?P<generation>\d+) generations\))?(?:, by (?P<by>.*))?"
)


def mark_of(one: Directive) -> str:
    """Returns the author of an inherited directive: the agent that held it first, and the person behind it."""
    lives = f" ({one.generation} generations)" if one.generation > 1 else ""
    return f"inherited from {one.origin}{lives}{f', by {one.by}' if one.by else ''}"[:2_000]


def author_of(by: str) -> tuple[str, str, int]:
    """Returns the author, the agent that held it first, and the generations since; no agent for an own entry."""
    match = _INHERITED.fullmatch(by)
    return (match["by"] or "", match["origin"], int(match["generation"] or 1)) if match else (by, "", 0)


def word_at(row: StateEntry | Rule | Flow | Mission) -> int:
    """Returns the time of the last word on a row; that of an inherited one was said before its inheritance."""
    if isinstance(row, Mission) or author_of(row.by)[1]:
        return row.at
    return row.confirmed_at if isinstance(row, Rule) else row.changed_at


def said_at(row: StateEntry | Rule | Flow | Mission) -> int:
    """Returns the date of a row in a prompt: that of its words. A use or a pass that confirms a rule has none."""
    return row.at if isinstance(row, Rule) else word_at(row)
