"""Example of a system in one file, with nothing but the standard library. Copy it to start with your own.

It hands over the lines whose pairs of words are rarest in the log, and its heir finds lines by the rare words that they
share with a question.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, Verdict, cut

#: Share of the words of a line that an action must have for a warning.
WARNED = 0.5
T = TypeVar("T")
_WORD = re.compile(r"[^\W\d_]{3,}")


class Heir:
    """Agent that knows the lines of a hand-over and nothing else."""

    def __init__(self, text: str) -> None:
        self._lines = [(line, _words(line)) for line in text.splitlines() if line.strip()]
        self._weights = _rarity(words for _, words in self._lines)

    def answer(self, query: str) -> Sequence[str]:
        """Returns at most ten passages, best first. The benchmark looks for the literal answer in them."""
        asked = _words(query)
        scored = [(sum(self._weights[word] for word in words & asked), line) for line, words in self._lines]
        return [line for score, line in sorted(scored, key=lambda one: -one[0])[:PASSAGES] if score > 0]

    def gate(self, action: str) -> Verdict:
        """Tells whether the system stops an action. One without a gate returns `allow`."""
        done = _words(action)
        near = any(len(words & done) >= WARNED * len(words) for _, words in self._lines if words)
        return "warn" if near else "allow"

    def close(self) -> None:
        """Releases files; there are none."""


class Keywords:
    """System that lives a life, hands it over, and starts an heir."""

    #: Name of the column in the table, and of the system in the file of results.
    name = "example (rare words)"

    def live(self, life: Life) -> None:
        """Lives a life. `life.events` has the method and fields of each event, `life.log` their texts alone."""
        self._log = list(dict.fromkeys(life.log))

    def hand_over(self, tokens: int) -> HandOver:
        """Makes the hand-over. More tokens than the limit end the run with an error; `cut` counts them."""
        pairs = [set(pairwise(_WORD.findall(line.casefold()))) for line in self._log]
        rarity = _rarity(pairs)
        worth = [sum(rarity[pair] for pair in own) / max(len(own), 1) for own in pairs]
        order = sorted(range(len(worth)), key=lambda place: -worth[place])
        return HandOver(cut([self._log[place] for place in order], tokens))

    def heir(self, handed: HandOver) -> Heir:
        """Starts an heir. It may read the hand-over, and must not read anything of the life."""
        return Heir(handed.text)

    def close(self) -> None:
        """Releases files; there are none."""


def build(bench: Bench) -> list[Keywords]:
    """Returns the systems of this file; `bench.embedder` is the embedder that all systems share."""
    return [Keywords()]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _rarity(groups: Iterable[set[T]]) -> dict[T, float]:
    """Inverse document frequency of each item."""
    listed = list(groups)
    counts = Counter(item for group in listed for item in group)
    return {item: math.log(len(listed) / count) + 0.01 for item, count in counts.items()}
