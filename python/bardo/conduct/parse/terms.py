"""Terms of an order: the time for which it stands, at whose end it ends. They are no conditions of the act."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.consolidate.languages.english.dates import DATE

_STANDS = lazy_pattern(
    r",?\s+(?:for (?:now|the moment|the time being)|at the moment|(?:until|till) (?:the )?(?P<date>.+?))"
    r"(?=\s*(?:$|[,;.!]|\s[-–—]\s|\s(?:please|because|since|as|so)\b))",
    re.IGNORECASE,
)
#: Year, with which a date is a bound that stays decidable.
_YEAR = lazy_pattern(r"\b\d{4}\b")


def without(text: str) -> str:
    """Returns a rejection without its term: "for now", "until 24 August".

    Args:
        text: Rejection.
    """
    return _STANDS.sub(_kept, text)


def _kept(match: re.Match[str]) -> str:
    """Returns an end that is no date of a year unsaid, which is a condition: "until the tests are green"."""
    until = match["date"]
    if until is None:
        return ""
    return "" if DATE.fullmatch(until) is not None and _YEAR.search(until) is None else match[0]
