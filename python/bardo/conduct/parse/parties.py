"""Tells by the fields of a call with whom an action deals: the vendor, broker or recipient that a condition names."""

from __future__ import annotations

import re
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.parse import heads
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.rejections.rejected_names import word_lists
from bardo.conduct.parse.vocabulary import stems_of

_NAME = r"[A-Z][\w&.'’+-]*(?: [A-Z][\w&.'’+-]*)*"
_PARTY = lazy_pattern(rf"(?P<side>from|to|through|via|with|at) (?P<name>{_NAME})")


def is_party(condition: str) -> bool:
    """Whether a condition names a firm or person by its form: "from Amazon".

    Args:
        condition: Condition in words.
    """
    return _PARTY.fullmatch(condition) is not None


def holds(condition: str, action: ParsedAction) -> bool | None:
    """Whether an action deals with the party of a condition; None if it names no party.

    Args:
        condition: Condition in words.
        action: Parsed action.
    """
    party = _PARTY.fullmatch(condition)
    if party is None:
        return None
    wanted = stems_of(party["name"])
    if action.form == "prose":
        if party["side"] == "to":
            # Of two names, to which something goes, one may be a place of the other.
            return None
        named = _others(party["side"]).findall(action.text)
    else:
        keys = word_lists()["parties"]
        named = [each.value for each in heads.fields_of(action) if not keys.isdisjoint(each.key.split("_"))]
    return any(wanted <= stems_of(each) for each in named) if named else None


@lru_cache(64)
def _others(side: str) -> re.Pattern[str]:
    """Returns an expression that finds the names after a preposition."""
    return re.compile(rf"\b{side} ({_NAME})")
