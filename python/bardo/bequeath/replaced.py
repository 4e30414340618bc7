"""Corrections among the episodes that cross: an heir is told which statement took the place of which.

A pass of the Curator reads verified episodes only, but others cross as well. Both statements cross, as the older one is
what the heir must not learn as new.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from bardo.consolidate import corrections
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import Reader
from bardo.consolidate.rule_extraction import NAMELESS
from bardo.model import Episode

#: Maximum number of pairs that are compared, and of texts that are parsed; both bound the time of a death.
PAIRS, PARSED = 2_048, 256
#: Maximum length of a statement in characters.
LONGEST = 400
#: Maximum number of episodes that share a word by which pairs are found.
COMMON = 32
#: Minimum share of the older statement's words in the newer one, and minimum number of them.
LEAST_SHARED, LEAST_WORDS = 0.5, 2
#: Maximum number of statements that one ends.
ENDS_AT_MOST = 3
#: Cosine assumed for statements that share so many words.
_LIKE = 0.8
_WORD = re.compile(r"[^\W\d_]{3,}")


def corrections_among(episodes: Sequence[Episode], rules: Reader | None) -> list[tuple[str, str]]:
    """Finds the pairs of episodes of which the newer one ends what the older one says.

    Args:
        episodes: Episodes that cross.
        rules: Reader of texts; nothing is found without one.

    Returns:
        Ids of the newer and the older episode.
    """
    if rules is None:
        return []
    told = sorted(
        (one for one in episodes if one.kind != "outcome" and len(one.text) <= LONGEST),
        key=lambda one: (one.at, one.id),
    )
    clauses: dict[str, Sequence[Clause]] = {}
    ended: dict[str, int] = defaultdict(int)
    found: list[tuple[str, str]] = []
    least = corrections.limits().ends
    for older, newer in _alike(told):
        if len(clauses.keys() | {older.id, newer.id}) > PARSED or ended[newer.id] == ENDS_AT_MOST:
            continue
        for one in (older, newer):
            if one.id not in clauses:
                clauses[one.id] = _read(rules, one)
        if any(
            (judged := corrections.judge(before, after, _LIKE)).rule and judged.total >= least
            for before in clauses[older.id]
            for after in clauses[newer.id]
        ):
            ended[newer.id] += 1
            found.append((newer.id, older.id))
    return found


def _alike(told: Sequence[Episode]) -> list[tuple[Episode, Episode]]:
    """Pairs of an older and a newer statement that share most words, the most alike first."""
    words = [frozenset(_WORD.findall(one.text.casefold())) for one in told]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(words):
        for word in own:
            holders[word].append(place)
    near = {pair for places in holders.values() if len(places) <= COMMON for pair in combinations(places, 2)}
    scored = []
    for older, newer in near:
        both = len(words[older] & words[newer])
        share = both / len(words[older])
        if both >= LEAST_WORDS and share >= LEAST_SHARED:
            scored.append((-share, older, newer))
    return [(told[older], told[newer]) for _, older, newer in sorted(scored)[:PAIRS]]


def _read(rules: Reader, episode: Episode) -> list[Clause]:
    speech = Speech(episode.text, NAMELESS, episode.at, "record" if episode.role == "tool" else "speech")
    return [clause for clause in rules.read(speech) if clause.stated]
