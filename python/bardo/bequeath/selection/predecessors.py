"""Finds the older statement to which a newer one refers by a word: `B insures the ferry and no longer the former one`.

Such a statement says that another value was before, and does not name it. It disputes the statement about the same
named thing that it most likely replaces, of all that are older.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

#: Minimum score of the older statement: log odds of the cross-encoder that the newer one replaces it.
LEAST = -1.0

#: Older and newer statement with the score of the pair.
Scored = tuple[int, int, float]


def refers_back(text: str) -> bool:
    """Whether a text has a word by which it refers to a value that was before."""
    return _words().search(text) is not None


def most_likely(
    pairs: Sequence[Scored], same: Mapping[int, frozenset[str]], least: float = LEAST
) -> list[tuple[int, int]]:
    """Returns the older and the newer statement of the likeliest pair of each newer one.

    Args:
        pairs: Pairs that name the same thing.
        same: Ids of the records that each statement rests on; statements with one in common say the same.
        least: Minimum score of a pair.
    """
    best: dict[int, Scored] = {}
    for pair in pairs:
        if pair[2] >= least and (pair[1] not in best or pair[2] > best[pair[1]][2]):
            best[pair[1]] = pair
    return [
        (older, newer) for older, newer, _ in pairs if newer in best and same[older] & same[best[newer][0]]
    ]


def nearest(pairs: Sequence[Scored], same: Mapping[int, frozenset[str]]) -> list[tuple[int, int]]:
    """Returns the older and the newer statement of the pairs of which neither has a likelier one.

    Args:
        pairs: Pairs that name the same thing.
        same: Ids of the records that each statement rests on; statements with one in common say the same.
    """
    turned = [(newer, older, score) for older, newer, score in pairs]
    backward = {(older, newer) for newer, older in most_likely(turned, same, -math.inf)}
    return [pair for pair in most_likely(pairs, same, -math.inf) if pair in backward]


@cache
def _words() -> re.Pattern[str]:
    listed = tomllib.loads(resources.files(__package__).joinpath("predecessors.toml").read_text("utf-8"))
    words = (
        re.escape(term.rstrip("*")).replace("\\ ", r"\s+") + (r"\w*" if term.endswith("*") else "")
        for terms in listed.values()
        for term in terms
    )
    return re.compile(rf"(?i)\b(?:{'|'.join(words)})\b")
