"""Decides whether an action is a case that a person allowed of what a rejection forbids: "this once for tenant 88"."""

from __future__ import annotations

import re

from bardo.conduct.parse import operation_table
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.forbidden import stems_of
from bardo.conduct.parse.forbids import Forbids

#: Share of the words of a case that an action must have, and number of words that is enough.
_SHARE, _ENOUGH = 0.3, 2
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?")
#: Name with a sign, of which one is enough: `agent/*`.
_NAME = re.compile(r"[\w.-]+[/@_][\w*./-]*")


def is_allowed(forbids: Forbids, action: ParsedAction) -> bool:
    """Whether an action is one of the cases that a person allowed.

    It has all figures of the case, and two of its words, or the only one.

    Args:
        forbids: Data of a rejection.
        action: Parsed action.
    """
    return any(_is_case(case, action) for case in forbids.allowed)


def _is_case(case: str, action: ParsedAction) -> bool:
    figures = set(_FIGURE.findall(case))
    if not figures <= set(_FIGURE.findall(action.text)):
        return False
    names = [name.rstrip("*") for name in _NAME.findall(case)]
    if any(name in action.text for name in names):
        return True
    stems = frozenset(stem for stem in stems_of(case) if not stem.isdigit()) - operation_table.framing_stems()
    shared = len(stems & action.stems)
    if not stems:
        return bool(figures)
    return shared >= min(_ENOUGH, len(stems)) and shared >= _SHARE * len(stems)
