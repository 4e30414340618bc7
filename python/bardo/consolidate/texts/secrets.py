"""Sentences that hold a secret: they stay in their episode and never become facts."""

from __future__ import annotations

import re

from bardo.privacy import secrets

#: The number of an account, a card or a person, which is private, if no secret to an heir.
_ACCOUNT = re.compile(
    r"(?i)\b(?:iban|card number|last four|account number|sort code|ssn|social security(?: number)?)\b[^.;!?]{0,40}?"
    r"(?:\d[ -]?){4}"
)


def is_secret(sentence: str) -> bool:
    """Whether a sentence holds a password, code, key or the number of an account or card."""
    return secrets.holds(sentence) or _ACCOUNT.search(sentence) is not None
