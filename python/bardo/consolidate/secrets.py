"""Sentences that hold a secret: they stay in their episode and never become facts."""

from __future__ import annotations

import re

#: Words for a secret; figures or a quoted word beside one are the secret.
_NAMED = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)s?|passwd|pwd?|key ?pad|lock ?box|pins?|pin ?codes?|door ?codes?|gate ?codes?|"
    r"alarm|safe|padlock|last four|entry ?codes?|access ?codes?|lock ?codes?|codes?|combination|combo|secret|"
    r"api[ _-]?keys?|private keys?|seed phrase|wi-?fi|otp|cvv|cvc|iban|card number|social(?: security)?|"
    r"ssn|login|credentials|token|unlock)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\d{3,}|\d(?:[ -]\d){2,}|[A-Za-z]+[!#$%&*@]\w*|\w*\d\w*[!#$%&*@]\w*|['\"“]\S+['\"”]|"
    r"\b[A-Za-z]+[-_]?\d{2,}\w*\b"
)
#: Keys and numbers of cards by their form alone.
_KEY = re.compile(
    r"-----BEGIN|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{20,}|\bxox[a-z]-\S{10,}|\bsk-\w{16,}|\beyJ[\w-]{10,}\.|"
    r"\b[0-9a-fA-F]{32,}\b|\b(?:\d{4}[ -]?){3}\d{4}\b"
)


def is_secret(sentence: str) -> bool:
    """Whether a sentence holds a password, code, key or the number of an account or card."""
    return bool(_KEY.search(sentence)) or bool(_NAMED.search(sentence) and _VALUE.search(sentence))
