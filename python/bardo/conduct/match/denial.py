"""Tells whether a word of denial in an action is of what a rejection forbids, or of something else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.vocabulary import stems_of

#: Words that deny what follows them alone.
_BEFORE = frozenset({"no", "without"})
_END = lazy_pattern(r"[,.;:!?]|\b(?:and|but|so|because)\b")


def is_of(things: Iterable[str], text: str, match: re.Match[str]) -> bool:
    """Whether a word of denial may be of one of the things, and not of another one that follows it.

    "Into Redis, with no table behind it" is into Redis.

    Args:
        things: Things in words.
        text: Action in words.
        match: Word of denial in it.
    """
    if match[0].lower() not in _BEFORE:
        return True
    denied = stems_of(_END.split(text[match.end() :], maxsplit=1)[0])
    wanted = [stems for each in things if (stems := stems_of(each))]
    if not denied or not wanted:
        return True
    before = stems_of(text[: match.start()])
    return any(stems & denied or not stems <= before for stems in wanted)
