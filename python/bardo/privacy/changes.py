"""Tells numbers that changed, and multiples of a quantity, from parameters: `port 7420 -> 7431`, `10x the load`."""

from __future__ import annotations

import re

_NUMBER = r"v?\d[\d.]{0,15}"
#: A number or version, which may be masked, that became another, as in the message of a commit.
_CHANGE = re.compile(rf"(?<![\w.,])(?:{_NUMBER}|_{{2,}})\s?(?:->|→|=>)\s?{_NUMBER}(?![\w%]|[.,]\d)")
#: Words behind a multiple of a quantity, and before one that tells by how much it grew.
_TIMES = re.compile(
    r"\s(?:the|as|our|your|their|its|this|that|what|more|less|fewer|faster|slower|bigger|larger|smaller|longer|of)\b"
)
_GREW = re.compile(
    r"(?i)\b(?:gr[eo]ws?|grown|increase[sd]?|rises?|rose|multipl(?:y|ies|ied)|scale[sd]?)\s(?:to\s|by\s)?$"
)


def without(text: str) -> str:
    """Blanks the changes of numbers in a text."""
    return _CHANGE.sub(" ", text)


def is_multiple(unit: str | None, ahead: str, behind: str) -> bool:
    """Whether a number tells how many times as much of a quantity.

    Args:
        unit: Unit attached to the number.
        ahead: Text before the number.
        behind: Text behind its unit.
    """
    return unit in {"x", "×"} and bool(_TIMES.match(behind) or _GREW.search(ahead))
