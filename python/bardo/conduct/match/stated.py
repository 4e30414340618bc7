"""Compares an action with what a rejection states in so many words: a refused name, a quoted wording, an act."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from bardo._patterns import lazy_pattern
from bardo.conduct.match import acts, named_use, quoted_use
from bardo.conduct.match.matching import Reading, Relation, Touch
from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.rejections.rejection import ParsedRejection
from bardo.conduct.parse.vocabulary import stems_of

_UNKNOWN = Relation(Reading.UNKNOWN)
#: Words of a rejection that allow something: an exception, or a clause that calls it fine.
_ALLOWING = lazy_pattern(
    r"\b(?:unless|except|only|excepting)\b(?P<excepted>[^.;]*)|(?P<fine>[^.;,]*)\b(?:fine|ok|okay|allowed|excepted)\b",
    re.IGNORECASE,
)


def compare(
    rejection: ParsedRejection, action: ParsedAction, *, now: int, approved: bool = False
) -> Relation:
    """Returns `SAME` if an action is what a rejection states, `TOUCHES` if a part is left open, else `UNKNOWN`.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    found = [
        named_use.compare(rejection, action),
        quoted_use.compare(rejection, action),
        acts.compare(rejection, action, now=now, approved=approved),
    ]
    known = [each for each in found if each.reading is not Reading.UNKNOWN]
    return next((each for each in known if each.reading is Reading.SAME), known[0] if known else _UNKNOWN)


def as_stated(
    touch: Touch, rejection: ParsedRejection, action: ParsedAction, *, now: int, approved: bool = False
) -> Touch:
    """Returns a match with what the rejection states: the same action, or the same but for a part.

    Args:
        touch: Match by words and table.
        rejection: Parsed rejection or rule.
        action: Parsed action.
        now: Wall clock, microseconds UTC.
        approved: Whether a person approved the action.
    """
    found = compare(rejection, action, now=now, approved=approved)
    if found.reading is Reading.SAME:
        return replace(touch, reading=found.reading, sure=True, fitting=found.because, read_by=found.by)
    if found.reading is Reading.UNKNOWN or touch.reading in (Reading.OTHER, Reading.SAME):
        return touch
    if not _allowed_by(rejection.text).isdisjoint(action.stems):
        # The open part may be the one that the text allows.
        return touch
    return replace(touch, partly=True, fitting=found.because)


@lru_cache(16_384)
def _allowed_by(text: str) -> frozenset[str]:
    """Returns the stems of what a rejection allows, that are not of what it forbids."""
    allowed = " ".join(match["excepted"] or match["fine"] or "" for match in _ALLOWING.finditer(text))
    return stems_of(allowed) - stems_of(_ALLOWING.sub(" ", text))
