"""Recognises a request to keep something in confidence: "please keep this between us", "don't tell the others yet".

A rule about what may be told ("don't tell callers the door code") is no such request: it names what is not to be told,
and an heir must keep it. The forms are in `confidences.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Any

#: Number of texts of which the answer is kept: recall reads the turns beside each memory again.
_CACHED = 4_096
#: Maximum number of characters that are searched.
_SEARCHED = 8_192
#: The first word of a request.
_FIRST = re.compile(r"\W*[\w'’]*")
#: Words that carry nothing of a confidence themselves, and signs.
_FILL = re.compile(
    r"(?i)\b(?:please|pls|hi|hello|hey|and|but|so|oh|also|thanks?|thank|ok|okay|can|could|would|will|may|might|you|i|me|we|"
    r"is|it|this|that|the|a|an|to|for|of|yet|now|something|one|thing|just|by|way|ps|really|all|bitte|there|with|others?|"
    r"want|need|must|tell|still|be|been|about)\b|[^\w\s]"
)
#: Maximum number of further words in a message that says nothing but the request.
_BARE = 1


@lru_cache(_CACHED)
def asks(text: str) -> bool:
    """Whether a text asks to keep something in confidence, or says that it was told so."""
    text = text[:_SEARCHED]
    if not _hint().search(text):
        return False
    return any(
        not _report().search(text[: match.start() + len(_FIRST.match(match[0])[0])])  # type: ignore[index]
        for match in _requests().finditer(text)
    )


def is_bare(text: str) -> bool:
    """Whether a text that asks for confidence says nothing else, so that the message beside it is meant."""
    rest = _requests().sub(" ", text[:_SEARCHED])
    return len(_FILL.sub(" ", rest).split()) <= _BARE


def refers_back(text: str) -> bool:
    """Whether a text that asks for confidence begins with an earlier message: "regarding the tablets"."""
    return any(form.search(text[:_SEARCHED]) for form in _back())


def announces(text: str) -> bool:
    """Whether a bare request announces the message that follows: "can I tell you something in confidence?"."""
    return text.rstrip().endswith((":", "?"))


@cache
def _table() -> dict[str, Any]:
    """Returns the content of `confidences.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("confidences.toml").read_text("utf-8"))


@cache
def _hint() -> re.Pattern[str]:
    """Returns the pattern of words of which every request has some; a text without them is not searched."""
    return re.compile("|".join(_table()["hint"]["words"]), re.IGNORECASE)


@cache
def _requests() -> re.Pattern[str]:
    """Returns the pattern that finds a request."""
    table = _table()
    parts: dict[str, str] = {}
    for name, part in table["parts"].items():
        parts[name] = _filled(part, parts)
    forms = [_filled(form, parts) for language in table["requests"].values() for form in language]
    return re.compile("|".join(f"(?:{form})" for form in forms), re.IGNORECASE | re.MULTILINE)


@cache
def _report() -> re.Pattern[str]:
    """Returns the pattern of words before a request that make it none."""
    return re.compile(_table()["report"]["before"], re.IGNORECASE)


@cache
def _back() -> list[re.Pattern[str]]:
    """Returns the patterns of beginnings that speak of an earlier message."""
    return [re.compile(form, re.IGNORECASE) for form in _table()["back"].values()]


def _filled(form: str, parts: dict[str, str]) -> str:
    """Returns a form with the parts in place of their names."""
    for name, part in parts.items():
        form = form.replace(f"{{{name}}}", part)
    return form
