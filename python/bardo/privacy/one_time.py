"""Finds one-time codes and the seeds that make them (RFC 6238): `G-114820 just came in by sms`.

A code needs the way on which it came, and its arrival, its short life or the request to type it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bardo.privacy import figures
from bardo.privacy.cues import after, bits, cue
from bardo.privacy.named_secrets import Found

#: Maximum number of characters between a code and the words that tell of one.
_REACH = 80
#: Minimum length of a seed: 80 bits.
_LENGTH = 16
#: Minimum entropy of a seed in bits per character; words in capitals without figures stay below.
_BITS = 2.9
#: A seed in base 32 (RFC 4648), in one piece or in groups of four.
_SEED = re.compile(
    r"(?<![\w/+=-])(?:[A-Z2-7]{16,64}|[a-z2-7]{16,64}|(?:\w{4}[ -]){3,15}\w{4})(?:={1,6})?(?![\w/+-])"
)
_BASE_32 = re.compile(r"[A-Z2-7 =-]+|[a-z2-7 =-]+")
_NAMED = re.compile(r"(?i)\b(?:secret|seed|key)\b(?:\s(?:is|was|for\s\w+)|\s?[:=])?\s[\"'“]?$")
#: Maximum number of characters between the name of a seed and the seed.
_BESIDE = 32
_CODE = re.compile(
    r"(?<![\w.,:/$€£#+-])(?:[A-Z]{1,2}-)?(?P<code>\d{3}[ -]\d{3}|\d{4}[ -]\d{4}|\d{4,8})(?![\w%/-]|[.,:]\d|\s?[€$£%])"
)
_CHANNEL = re.compile(
    r"(?i)\b(?:sms|text(?:ed)?|txt|authenticator|authy|otp|totp|2fa|mfa|"
    r"two[- ]factor|one[- ]time|tan|verification|code|display|"
    r"token|card reader|whatsapp|my phone|app|bestätigungscode|einmalcode)\b"
)
_ARRIVED = re.compile(
    r"(?i)\b(?:(?:came|comes|coming|arrived|popped|showed|turned|pinged|sent|got|received|landed)(?:\s(?:in|up|through|over))?\s(?:by|via|as|on|from|here)|"
    r"(?:came|popped|showed|turned|just)\s(?:in|up|through|arrived)|"
    r"got\s(?:it|this|the|a)|(?:put|type|key|tap|enter|punch)\s(?:that|it|this)\b(?:\sin)?|(?:it\s)?(?:expires?|runs?\sout)|valid\s(?:for\s)?\w+\s(?:min|sec)|"
    r"use\sit\s(?:now|quick\w*|before)|is\s(?:the|my|your|our)\s(?:\w+\s)?(?:code|tan|otp)|kam\sper|per\ssms|gilt\snoch|par\ssms)\b"
)
#: The name of a one-time code directly before it.
_NAME = re.compile(
    r"(?i)\b(?:(?:verification|one[- ]time|security)\s(?:number|code)|bestätigungscode\w*|einmal(?:code|kennwort)\w*|"
    r"engångskod\w*|engangskode\w*|code de (?:vérification|sécurité)|código de (?:verificaci[oó]n|seguridad)|"
    r"codice di (?:verifica|sicurezza)|verificatiecode|kod weryfikacyjny)(?:\s\w+)?\s?:?\s$"
)
#: The announcement of a code: `check your phone`.
_ASKED = re.compile(r"(?i)\bcheck (?:your|the|my) (?:phone|texts?|messages?|app)\b")
_LABELLED = re.compile(
    r"(?i)\b(?:order|ticket|case|parcel|invoice|job|build|batch|room|ext|extension|number|no|nr|to|from|at|on|item|part|order|issue|pr|line|port)\s?#?$"
)


def secrets(text: str) -> Iterator[Found]:
    """Finds codes that a service sent, and the seeds of an authenticator."""
    if cue("authenticator").search(text):
        for match in _SEED.finditer(text):
            is_named = _NAMED.search(text, max(match.start() - _BESIDE, 0), match.start())
            if _is_seed(match[0], is_named=bool(is_named)):
                yield (*match.span(), "random_key")
    for match in _CODE.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        ahead = text[max(line, match.start() - _REACH) : match.start()]
        behind = text[match.end() : match.end() + _REACH].split("\n", 1)[0]
        around = f"{ahead} {behind}"
        is_named = _NAME.search(ahead) or _ASKED.search(ahead)
        is_sent = not _LABELLED.search(ahead) and _CHANNEL.search(around) and _ARRIVED.search(around)
        if not is_named and not is_sent:
            continue
        if cue("public_code").search(around) or cue("diagnostic").search(around):
            continue
        is_amount = any(after(name).match(behind) for name in ("measure", "money", "month", "scale"))
        if not is_amount and not figures.counts(match["code"], _before_verb(behind)):
            yield (*match.span("code"), "code")


def _before_verb(behind: str) -> str:
    """Returns the text behind a code, without a verb of arrival, which is no counted noun."""
    arrived = re.match(r"(?i)\s(?:just|has|came|arrived|popped|showed|turned|kam)\b", behind)
    return "" if arrived else behind[: figures.BESIDE]


def _is_seed(token: str, *, is_named: bool) -> bool:
    """Whether a token is random text in base 32: with a figure, as nearly all have, or directly behind its name."""
    bare = re.sub(r"[ =-]", "", token)
    is_mixed = any(map(str.isalpha, bare)) and (is_named or any(map(str.isdigit, bare)))
    return bool(_BASE_32.fullmatch(token)) and is_mixed and len(bare) >= _LENGTH and bits(bare) >= _BITS
