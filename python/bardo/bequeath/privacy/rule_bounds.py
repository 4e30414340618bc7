"""Bounds of learned rules that are no parameters: hours, days, counts of attempts, in rules about no trade."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bardo.bequeath.privacy.stated_limits import Limits
from bardo.privacy import figures
from bardo.privacy.cues import field_words, is_private

#: A name and a comparison with the figure behind them.
_BOUND = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,63})\s{0,2}(?:>=|<=|[><≥≤])\s{0,2}[-+−]?\d[\d.]*$")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class WorkBounds(Limits):
    """Limits of a text, and bounds on what every work has: the time of day, the day, the number of attempts."""

    def has(self, sentence: str, start: int, end: int) -> bool:
        """Whether a figure is a limit or such a bound; see `Limits.has`."""
        if named := _BOUND.search(sentence[:end]):
            parts = [part.lower() for part in _PART.findall(named["name"])]
            if parts and not field_words("everyday").isdisjoint(parts[-1:]):
                return True
        return Limits.has(self, sentence, start, end)


def bounds_of(text: str, payload: Mapping[str, Any], limits: Limits) -> Limits:
    """Returns the limits of a learned rule.

    Args:
        text: Text of the rule.
        payload: Its payload, with condition, action and outcome.
        limits: Limits of other texts.
    """
    told = [text, *(str(payload.get(name, "")) for name in ("condition", "action", "outcome"))]
    is_of_trade = any(
        "traded" in figures.sentence_cues(part) or any(map(is_private, part.split())) for part in told
    )
    return limits if is_of_trade else WorkBounds()
