"""Sentences that hold a secret: they stay in their episode and never become facts."""

from __future__ import annotations

import re

from bardo.privacy import formats, secrets
from bardo.privacy.cues import any_cue, cue

#: The number of an account, a card or a person, which is private, if no secret to an heir.
_ACCOUNT = re.compile(
    r"(?i)\b(?:iban|card number|last four|account number|sort code|ssn|social security(?: number)?)\b[^.;!?]{0,40}?"
    r"(?:\d[ -]?){4}"
)
#: Maximum number of characters of a whole text that are searched.
SEARCHED = 16_384
#: Cues of which a text that tells a secret without a figure has one.
_TOLD = ("password", "code", "key", "seed", "spare_code", "lock", "document", "licence")
#: Number that is stated: "the card is 4471".
_STATED = re.compile(r"(?:\bis|[:=])[^\S\n]{0,2}\d[\d -]{2,}\d(?![\d.,:/]*\w)")
_FIGURES = re.compile(r"\d{3}|\d[ -]\d|[^\W\d_]\d|\d[^\W\d_]")
#: Part of a value that no word has: figures, signs inside of it, or many words.
_VALUE = re.compile(rf"(?:\w+ ){{7}}|{_FIGURES.pattern}|\w[@#$%^&!~]")
_BORDER = re.compile(r"(?<=[.!?])\s+|\n+")


def is_secret(sentence: str) -> bool:
    """Whether a sentence holds a password, code, key or the number of an account or card."""
    return secrets.holds(sentence) or _ACCOUNT.search(sentence) is not None


def tells_secret(text: str) -> bool:
    """Whether a sentence of a text tells a secret: beside a word for one, as a number that is stated, or by its form.

    The detector alone is made for short texts that leave the house: of long answers it marks one in eight.
    """
    text = text[:SEARCHED]
    if any(form.pattern.search(text) for form in formats.forms(text) if form.name != "password"):
        return True
    if not (any_cue(*_TOLD).search(text) or _STATED.search(text) or _ACCOUNT.search(text)):
        return False
    # A value without a figure needs a word that is used for secrets alone.
    is_worded = any_cue("password", "seed").search(text) is not None
    return any(
        _tells_plainly(sentence) for sentence in _BORDER.split(text) if is_worded or _FIGURES.search(sentence)
    )


def _tells_plainly(sentence: str) -> bool:
    if _ACCOUNT.search(sentence):
        return True
    for public in (cue("public_code"), cue("public_secret")):
        sentence = public.sub(" ", sentence)
    is_named = any_cue(*_TOLD).search(sentence) is not None
    if not (is_named or _STATED.search(sentence)):
        return False
    is_plain = is_named and cue("password").search(sentence) is not None
    return any(
        is_plain
        or (is_named and _VALUE.search(sentence[span.start : span.end]))
        or _STATED.search(sentence, max(span.start - 4, 0), span.end + 1)
        for span in secrets.spans(sentence)
    )
