"""Lines of routine: readings, reports and messages of a program that a log has many of, with other numbers and names.

Each is kept as an episode. As facts they would be thousands of values of one moment, which crowd out what is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from bardo.model import Episode

#: Number of other episodes of the same form from which on a line is routine, within so many microseconds of it: a
#: setting that changes now and then is none.
REPEATED, WITHIN = 5, 7 * 86_400_000_000
#: Minimum share of a line's pairs of neighbouring words that another line of the same form has.
LIKE = 0.5
#: Minimum number of pairs of words of a line that has a form.
LEAST_PAIRS = 2
#: Maximum number of words of a line that is compared.
WORDS = 64
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")


def is_routine(episode: Episode, near: Callable[[str], Iterable[Episode]]) -> bool:
    """Whether an episode is a line of routine.

    Args:
        episode: Episode without a speaker.
        near: Finds episodes near a text in words or meaning; called only for a line with a number.
    """
    own = _pairs(episode.text)
    if not _has_form(episode.text) or len(own) < LEAST_PAIRS:
        return False
    alike = sum(
        other.id != episode.id
        and abs(other.at - episode.at) <= WITHIN
        and _has_form(other.text)
        and len(own & _pairs(other.text)) >= LIKE * len(own)
        for other in near(episode.text)
    )
    return alike >= REPEATED


def _has_form(text: str) -> bool:
    """Whether a text can be a line of routine: one line with a number."""
    return "\n" not in text.strip() and _DIGITS.search(text) is not None


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """Pairs of neighbouring words, in lower case, with every number as one."""
    words = [_DIGITS.sub("0", word) for word in _WORD.findall(text.casefold())[:WORDS]]
    return frozenset(pairwise(words))
