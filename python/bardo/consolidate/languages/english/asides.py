"""Asides: comments of a speaker on their own words, of which what is said does not depend ("should have said")."""

from __future__ import annotations

import re
from functools import cache

from bardo.consolidate.languages.english.frames import cue_tables


def without_asides(text: str) -> str:
    """A text without the asides of `cues.toml` at the beginnings and ends of its sentences, and between commas."""
    before, within, behind, asking = _patterns()
    return before.sub(_capital, within.sub("", behind.sub("", asking.sub(_apart, text))))


def _apart(match: re.Match[str]) -> str:
    """A full stop in the place of an aside that asks, and a large letter behind it."""
    return f". {match['first'].upper()}"


def _capital(match: re.Match[str]) -> str:
    """The first letter behind an aside, as large as that of the aside."""
    first = match["first"]
    return first.upper() if match["aside"][0].isupper() else first


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of an aside with the letter behind it, between commas, at an end, and between two sentences."""
    table = cue_tables()["asides"]
    before, within, behind, asking = (
        "|".join(map(re.escape, table[place])) for place in ("before", "within", "behind", "asking")
    )
    return (
        re.compile(rf"(?im)(?:^|(?<=[.!] ))(?P<aside>(?:i )?(?:{before}))(?:,| that)? (?P<first>[a-z])"),
        re.compile(rf"(?i),\s(?:{within}),"),
        re.compile(
            rf"(?im)(?:(?:,|\s[-–—])\s*(?:i )?(?:{behind})(?: (?:it|that|so|before|earlier))?|\s(?:by the way|btw))"
            r"(?=[.!]|\s*$)"
        ),
        re.compile(rf"(?i)(?:,|\s[-–—])\s*(?:{asking})(?:[,?!]|\s[-–—])\s*(?P<first>\w)"),
    )
