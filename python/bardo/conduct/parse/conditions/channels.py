"""Channels as conditions of a rejection: "over the phone", "by e-mail" (`channels.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

#: Maximum number of cached texts.
_TEXTS = 4_096
#: Beginning of a clause with its verb.
_BEGIN = r"(?:^|[,;.:]\s+|\b(?:and|then|please|to)\s+)"


class Channels(NamedTuple):
    """Content of `channels.toml`, with the channels by noun and by verb, in lower case.

    Args:
        nouns: Channels by noun.
        verbs: Channels by verb.
        named: Pattern of a noun after a preposition.
        used: Pattern of a verb at the beginning of a clause.
    """

    nouns: Mapping[str, frozenset[str]]
    verbs: Mapping[str, frozenset[str]]
    named: re.Pattern[str]
    used: re.Pattern[str]


@cache
def table() -> Channels:
    """Returns the table; the file is read once."""
    raw = tomllib.loads(Path(__file__).with_name("channels.toml").read_text(encoding="utf-8"))["channel"]
    nouns, verbs = (
        {
            word: frozenset(name for name, given in raw.items() if word in given[field])
            for word in sorted(
                {word for given in raw.values() for word in given[field]}, key=len, reverse=True
            )
        }
        for field in ("nouns", "verbs")
    )
    article = r"(?:the|an?|his|her|their|our|my|your|plain|ordinary|normal|open|unencrypted) "
    return Channels(
        nouns,
        verbs,
        re.compile(
            rf"(?i)\b(?:by|via|over|through|per|on|in) (?:{article})*({'|'.join(map(re.escape, nouns))})s?\b(?!-)"
        ),
        re.compile(rf"(?i){_BEGIN}({'|'.join(map(re.escape, verbs))})\b(?!-)"),
    )


def is_channel(condition: str) -> bool:
    """Whether a condition names nothing but a channel: "over the phone", but not "on the paper of the office"."""
    found = table().named.match(condition)
    return found is not None and found.end() == len(condition)


def holds(condition: str, action: str) -> bool | None:
    """Whether an action is on the channel of a condition; None if it names or uses none, or one that is ambiguous.

    Args:
        condition: Condition that names a channel.
        action: Action in words.
    """
    (wanted,) = _named_in(condition)
    if not (named := _named_in(action) or _used_in(action)):
        return None
    if wanted in named:
        return True
    return None if any(wanted & each for each in named) else False


@lru_cache(_TEXTS)
def _named_in(text: str) -> tuple[frozenset[str], ...]:
    return tuple(table().nouns[match[1].lower()] for match in table().named.finditer(text))


@lru_cache(_TEXTS)
def _used_in(text: str) -> tuple[frozenset[str], ...]:
    return tuple(table().verbs[match[1].lower()] for match in table().used.finditer(text))
