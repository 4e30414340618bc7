"""Authors of entries, rules, flows and missions that came with a testament."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bardo.bequeath.content.directives import Directive

_INHERITED = re.compile(
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
