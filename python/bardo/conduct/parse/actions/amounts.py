"""Finds amounts of money in sentences: an action that sends 200 euros sends money."""

from __future__ import annotations

import re

from bardo._patterns import lazy_pattern

_FIGURE = r"\d+(?:[.,' ]\d+)*"
_MANY = r"(?: ?(?:k|m|hundred|thousand|million)\b)?"
_CURRENCY = (
    r"(?:euros?|dollars?|pounds?|francs?|pesos?|yen|rupees?|kron(?:or|er)|bucks|quid|cents?|"
    r"eur|usd|gbp|chf|aud|cad)"
)
_AMOUNT = lazy_pattern(
    rf"[€$£¥] ?{_FIGURE}{_MANY}|\b{_FIGURE}{_MANY} ?(?:[€$£¥]|{_CURRENCY}\b(?! of\b))", re.IGNORECASE
)
#: Receiver before the money: "send Anna money", "give the landlord money".
_RECEIVER = lazy_pattern(
    r"\b(?P<verb>(?i:send|give|wire|transfer|pay|move)) (?P<to>(?:(?:Mr|Mrs|Ms|Dr|Frau|Herr)\.? )?[A-Z][\w-]+"
    r"(?: [A-Z][\w-]+)?|him|her|them|(?:the|my|our|his|her|their) [\w-]+) money\b"
)


def as_money(text: str) -> str:
    """Returns a sentence with "money" for amounts of it: "send money to Anna" for "send Anna 200 euros".

    Args:
        text: Action in words.
    """
    told = _AMOUNT.sub("money", text)
    return text if told == text else _RECEIVER.sub(r"\g<verb> money to \g<to>", told)


def with_money(text: str) -> str:
    """Returns a sentence, with the word "money" after it if it has an amount of money.

    Args:
        text: Action in words.
    """
    return f"{text} money" if _AMOUNT.search(text) else text
