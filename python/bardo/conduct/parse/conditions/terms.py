"""Terms of an order: the time for which it stands, at whose end it ends. They are no conditions of the act."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern
from bardo.consolidate.languages.english.dates import DATE
from bardo.consolidate.languages.english.order_terms import AHEAD, EVENT, is_end

_STANDS = lazy_pattern(
    r",?\s+(?:for (?:now|the moment|the time being)|at the moment|"
    rf"(?:until|till|(?P<ahead>{AHEAD})) (?P<event>{EVENT})?(?:the )?(?P<date>.+?))"
    r"(?=\s*(?:$|[,;.!]|\s[-–—]\s|\s(?:please|because|since|as|so)\b))",
    re.IGNORECASE,
)
#: Year, with which a date is a bound that stays decidable.
_YEAR = lazy_pattern(r"\b\d{4}\b")


def without(text: str) -> str:
    """Returns a rejection without its term: "for now", "until 24 August", "before the decision on 4 June".

    Args:
        text: Rejection.
    """
    return _STANDS.sub(_kept, text)


def _kept(match: re.Match[str]) -> str:
    """Returns an end that is no date of a year unsaid, which is a condition: "until the tests are green"."""
    if match["date"] is None:
        return ""
    date = DATE.fullmatch(match["date"])
    if date is None or (_YEAR.search(date[0]) is not None and not match["event"]):
        return match[0]
    before = match.string[: match.start()]
    return match[0] if match["ahead"] and not is_end(before, date, of_event=bool(match["event"])) else ""
