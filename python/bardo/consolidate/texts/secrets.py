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
#: The same words where they name no secret.
_PUBLIC = re.compile(
    r"\b(?:(?:error|status|exit|return|http|zip|postal|post|area|country|dial(?:ling)?|source|qr|bar|morse|colou?r|"
    r"promo|coupon|discount|voucher|fault|dress|postage|legacy) ?codes?|codes? (?:reviews?|base|freeze|of "
    r"conduct|style|coverage|has|have)|(?:write|writes|wrote|writing|lines? of|ship|ships|shipped|merge|merged) codes?|"
    r"(?:it(?:'s| is)|is|are|was|feels?|stay|be|get|got) safe|safe (?:to|for|side|and sound|travels)|"
    r"safe (?:street|road|lane)|tokens? (?:limits?|count|budget|window|expires?|usage|price|per)|"
    r"(?:limit|number|thousands?|millions?) of tokens|(?:login|log-in) (?:page|form|screen|time|flow|service|button)|"
    r"secret (?:to|of|ingredient|santa)|social (?:life|media|worker|work|club|network|event|anxiety|science|"
    r"studies|skills)|combination of|in combination|(?:set|sets|setting) (?:the|an|my) alarms? for|fire alarms?)\b",
    re.IGNORECASE,
)
#: Figures that are a measure, an amount, a time of day, or a year after its preposition.
_MEASURE = re.compile(
    r"(?:[€$£¥]\s?)\d[\d.,]*|\b\d[\d.,]*\s?(?:%|[€$£¥]|(?:mg|mcg|µg|g|kg|ml|l|mm|cm|m|km|ms|s|sec|seconds?|min|minutes?|"
    r"h|hours?|days?|weeks?|months?|years?|euros?|dollars?|pounds?|francs?|kcal|calories|miles?|steps|bytes|kb|mb|gb|"
    r"tb|lines|pages|words|people|users|times|degrees|watts?|kwh|volts?)\b)|"
    r"\b(?:since|in|until|till|before|after|from|back in)\s(?:19|20)\d\d\b|\b\d{1,2}[:.]\d\d\b(?!\d)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"\d{3,}|\d(?:[ -]\d){2,}|\b\d{1,2}(?:-\d{1,2}){2,}\b|[A-Za-z]+[!#$%&*@]\w*|\w*\d\w*[!#$%&*@]\w*|['\"“]\S+['\"”]|"
    r"\b[A-Za-z]+[-_]?\d{2,}\w*\b|(?<![\w-])(?=[\w-]{12})(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?:[\w-]*[A-Za-z]\d){2}"
)
#: A password with what is said to be it.
_TOLD = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)|passwd|pwd|pin)\s?(?:is|was|[:=])\s?(?!(?:too|not|now|very|so|weak|strong|wrong|"
    r"expired|required|reset|changed|stored|still|gone|lost|easy|hard|long|short|safe|the same)\b)[^\s.,;!?]{4,}",
    re.IGNORECASE,
)
#: Keys and numbers of cards by their form alone.
_KEY = re.compile(
    r"-----BEGIN|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{20,}|\bxox[a-z]-\S{10,}|\b[prs]k[-_](?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{16,}|\beyJ[\w-]{10,}\.|"
    r"\b[0-9a-fA-F]{32,}\b|\b(?:\d{4}[ -]?){3}\d{4}\b"
)


def is_secret(sentence: str) -> bool:
    """Whether a sentence holds a password, code, key or the number of an account or card."""
    if _KEY.search(sentence) or _TOLD.search(sentence):
        return True
    return bool(_NAMED.search(_PUBLIC.sub(" ", sentence)) and _VALUE.search(_MEASURE.sub(" ", sentence)))
