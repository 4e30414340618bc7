"""Places that an action shows by a path, a call or a command instead of their words (`shown_places.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table

#: Prepositions of places.
AT = frozenset(
    {"in", "on", "to", "into", "onto", "inside", "within", "at", "from", "against", "under", "over"}
)
_OR = lazy_pattern(
    r"\s*,?\s+\b(?:or|nor)\b\s+(?:(?:in|on|to|into|at|from|any(?: other)?) )?|\s*,\s+", re.IGNORECASE
)
_SOME = lazy_pattern(r"\b(?:or|nor)\b", re.IGNORECASE)
_PATH = lazy_pattern(r"/[\w.-]+")
_WORD = lazy_pattern(r"[^\W_]+")


def alternatives(words: str) -> tuple[str, ...]:
    """Returns the places or things of which one is enough: "laptops", "USB sticks" of "laptops or USB sticks"."""
    if not _SOME.search(words):
        return (words,)
    return tuple(filter(None, (part.strip() for part in _OR.split(words)))) or (words,)


def is_shown(words: str, text: str) -> bool:
    """Whether an action is at a place by its path, call or command.

    Args:
        words: Place in words.
        text: Action.
    """
    if (path := _PATH.search(words)) is not None:
        return re.search(rf"{re.escape(path[0])}(?![\w-])", text) is not None
    return any(pattern.search(text) for stem in _stems(words) for pattern in _table().get(stem, ()))


@lru_cache(4_096)
def _stems(words: str) -> frozenset[str]:
    return operation_table.content_stems(_WORD.findall(words.lower())) | frozenset(
        _WORD.findall(words.lower())
    )


@cache
def _table() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    """Returns the patterns by the words and stems of the places; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("shown_places.toml").read_text(encoding="utf-8"))["shown"]
    found: dict[str, tuple[re.Pattern[str], ...]] = {}
    for word, pattern in raw.items():
        for name in _stems(word):
            found[name] = (*found.get(name, ()), re.compile(pattern))
    return found
