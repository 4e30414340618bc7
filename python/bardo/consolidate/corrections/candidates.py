"""Earlier facts with which a learned sentence or a clause is compared, found by an inverted index of their words."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from bardo._core import stems
from bardo.clock import MICROSECONDS
from bardo.model import INHERITED_KIND, Episode, Fact

#: Maximum number of earlier facts that a sentence is compared with.
AT_MOST = 16
#: Maximum number of words of a sentence that are looked up, the rarest first.
RAREST = 6
#: Maximum number of facts that are looked up for a word, the latest first.
PER_WORD = 128
_WORD = re.compile(r"[\w.:/-]*\w")


class Candidates:
    """Inverted index of facts in force, in the order in which they came.

    The work for a fact is bounded, so that a pass over many learned facts takes a time proportional to their number.

    Args:
        facts: Facts in force.
    """

    def __init__(self, facts: Iterable[Fact]) -> None:
        ordered = sorted(facts, key=order)
        self._ids = [fact.id for fact in ordered]
        self._places = {id_: place for place, id_ in enumerate(self._ids)}
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        for place, fact in enumerate(ordered):
            for word in _words(fact.text):
                self._postings[word].append(place)

    def before(self, fact: Fact) -> list[str]:
        """Ids of the earlier facts that share the rarest words with one of the indexed facts, the nearest first."""
        own = self._places[fact.id]
        found: defaultdict[int, float] = defaultdict(float)
        for word in sorted(_words(fact.text), key=lambda word: (len(self._postings[word]), word))[:RAREST]:
            places = self._postings[word]
            end = bisect_left(places, own)
            weight = math.log(1 + len(self._ids) / len(places))
            for place in places[max(0, end - PER_WORD) : end]:
                found[place] += weight
        nearest = sorted(found, key=lambda place: (-found[place], -place))[:AT_MOST]
        return [self._ids[place] for place in nearest]


def order(fact: Fact) -> tuple[int, str]:
    """Key by which facts are in the order in which they came; an inherited one came when its ancestor knew it last."""
    if fact.source == "testament":
        return min(fact.created_at, fact.observed[1] * MICROSECONDS), fact.id
    return fact.created_at, fact.id


def _words(text: str) -> set[str]:
    """Stems of the content words of a text."""
    return {stem for stem in stems(_WORD.findall(text.lower())) if stem}


def are_apart(one: Fact, other: Fact) -> bool:
    """Whether two facts name subjects, and none in common."""
    return bool(one.subjects and other.subjects) and not set(one.subjects) & set(other.subjects)


def is_judged_before(fact: Fact, episode: Episode | None) -> bool:
    """Whether an episode has no say on a fact, since it is inherited, and the fact is inherited or no older.

    An ancestor has judged two inherited memories. The tick of an inherited episode is that of the inheritance, so that
    its time alone tells whether it is newer.
    """
    if episode is None or episode.kind != INHERITED_KIND:
        return False
    return fact.source == "testament" or fact.created_at >= episode.at


def precedes(older: Episode, newer: Episode) -> bool:
    """Whether an episode comes before another, which may correct it; two inherited ones are in no order.

    An inherited episode has the tick of the inheritance, so that its time counts instead.
    """
    inherited = (older.kind == INHERITED_KIND) + (newer.kind == INHERITED_KIND)
    if inherited:
        return inherited == 1 and older.at < newer.at
    return (older.tick, older.event_index, older.id) < (newer.tick, newer.event_index, newer.id)
