"""Recognises what was considered and turned down: "we looked at the overlay and rejected it: too expensive"."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern

_TIME = (
    r"(?:yesterday|today|tonight|(?:last|this) \w+|on \w+day|"
    r"in (?:\d{4}|spring|summer|autumn|winter|(?:jan|febr)uary|march|april|may|june|july|august|"
    r"(?:septem|octo|novem|decem)ber)(?: \d{4})?|"
    r"(?:\w+ )?(?:days?|weeks?|months?|years?) ago|for (?:an? |some |\w+ )?(?:while|time|days|weeks|months))"
)
_PRONOUN = r"(?:it|them|that)"
#: "Dropped it" is none: it is also what a hand does.
_CONSIDERED = lazy_pattern(
    r"(?:(?:ok(?:ay)?|so|yes|well|fyi|also),? )?(?:we|i)(?:'ve| have|'d| had)?(?: (?:also|already|just|once|\w+ly))* "
    r"(?:looked (?:at|into)|considered|evaluated|assessed|discussed|debated|weighed(?: up)?|examined|explored|tested|"
    r"trialled|tried(?: out)?|reviewed|investigated|(?:talked|thought) about|went over) "
    rf"(?P<thing>[^,;:.!?]{{2,100}}?)(?: {_TIME})?,? (?:and|but|then|and then) "
    r"(?:(?:then|finally|eventually|in the end|we|i|both|all|have|\w+ly) )*"
    rf"(?:(?:rejected|dismissed|discarded|abandoned|scrapped|vetoed) {_PRONOUN}|(?:turned|voted) {_PRONOUN} down|"
    rf"ruled {_PRONOUN} out|(?:decided against|gave up on) {_PRONOUN}|said no(?: to {_PRONOUN})?)"
    rf"(?: {_TIME})?(?:[.!]?$|\s*[:;,.–—-]\s|\s+(?:because|since|as|for|due)\b)",
    re.IGNORECASE,
)


def turned_down(text: str) -> str:
    """Returns the thing that the speakers considered and turned down; empty if a text tells of none.

    Args:
        text: Words of a person.
    """
    found = _CONSIDERED.match(text.strip().replace("’", "'"))
    return found["thing"].strip() if found is not None else ""
