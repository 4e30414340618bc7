"""Sentences that hold a secret: they stay in their episode and never become facts."""

from __future__ import annotations

import re

from bardo.privacy import secrets
from bardo.privacy.cues import any_cue

#: The number of an account, a card or a person, which is private, if no secret to an heir.
_ACCOUNT = re.compile(
    r"(?i)\b(?:iban|card number|last four|account number|sort code|ssn|social security(?: number)?)\b[^.;!?]{0,40}?"
    r"(?:\d[ -]?){4}"
)
#: Maximum number of characters of a whole text that are searched.
SEARCHED = 16_384
#: Cues of which a text that tells a secret without a figure has one.
_TOLD = ("password", "code", "key", "seed", "spare_code", "lock", "document", "licence")
_FIGURE = re.compile(r"\d")


def is_secret(sentence: str) -> bool:
    """Whether a sentence holds a password, code, key or the number of an account or card."""
    return secrets.holds(sentence) or _ACCOUNT.search(sentence) is not None


def tells_secret(text: str) -> bool:
    """Whether a whole text tells a secret, with a figure or a word for one.

    The detector alone also marks one in a hundred turns of small talk, which have neither.
    """
    text = text[:SEARCHED]
    if _FIGURE.search(text) is None and any_cue(*_TOLD).search(text) is None:
        return False
    return is_secret(text)
