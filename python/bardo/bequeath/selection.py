"""Chooses and redacts the facts that cross a death, and counts the rest by reason."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bardo import _core
from bardo.bequeath import tables
from bardo.bequeath.redact import Redactor, tells_holdings
from bardo.bequeath.tables import LinkTuple
from bardo.config import Bequeath
from bardo.model import INHERITED_KIND, Episode, Fact, Link
from bardo.ports import Vectors

#: Maximum numbers of entries and episodes in a testament, regardless of settings.
ENTRY_LIMIT, EPISODE_LIMIT = 2_048, 2_048
#: Number of episodes for which there is room even beside the maximum number of entries.
EPISODES_AT_LEAST = 128
#: Maximum share of the cap for inherited facts below the threshold, and for inherited episodes.
INHERITED_SHARE = 0.25
#: Maximum share of the cap for beliefs that were refuted or replaced.
TOMBSTONE_SHARE = 0.125
LINK_LIMIT = 16_384
#: Maximum total size of the entries with their vectors, and of the episodes, in bytes.
_ENTRY_BYTES, _EPISODE_BYTES = 32 << 20, 8 << 20


def choose_entries(
    facts: Sequence[Fact],
    confidences: Sequence[float],
    *,
    vectors: Vectors | None,
    tick: int,
    settings: Bequeath,
    redactor: Redactor,
    left_out: Counter[str],
) -> tuple[list[Fact], Vectors | None, str]:
    """Chooses and redacts the entries; returns them with their vectors and the measure of similarity."""
    shareable = [place for place, fact in enumerate(facts) if not tells_holdings(fact.payload)]
    left_out["private"] += len(facts) - len(shareable)
    given = None if vectors is None else np.ascontiguousarray(vectors[shareable], np.float32)
    selection = _core.select_entries(
        [facts[place] for place in shareable],
        [confidences[place] for place in shareable],
        None if given is None or np.isnan(given).any() else given,
        cap=min(settings.entries, ENTRY_LIMIT),
        insight_threshold=settings.insight_threshold,
        heuristic_threshold=settings.heuristic_threshold,
        tick=tick,
    )
    places = list(selection.chosen)
    if len(places) < min(settings.entries, ENTRY_LIMIT):
        more = _below_threshold(
            [facts[place] for place in shareable], [confidences[place] for place in shareable], places,
            tick=tick, settings=settings,
        )  # fmt: skip
        left_out["below_threshold"] -= len(more)
        places += more
        room = min(settings.entries, ENTRY_LIMIT) - len(places)
        stones = _tombstones([facts[place] for place in shareable], places)[
            : min(room, int(TOMBSTONE_SHARE * settings.entries))
        ]
        left_out["not_in_force"] -= len(stones)
        places += stones
    left_out.update(selection.left_out)
    entries: list[Fact] = []
    rows: list[Any] = []
    size = 0
    for chosen in places:
        place = shareable[chosen]
        fact = _redacted_fact(facts[place], confidences[place], redactor)
        size += tables.size_of(fact) + (0 if given is None else given.shape[1] * 4)
        if size > _ENTRY_BYTES:
            left_out["over_size"] += 1
            continue
        entries.append(fact)
        if given is not None:
            # A vector of the original text would still disclose the redacted words.
            whole = fact.text == facts[place].text
            rows.append(given[chosen] if whole else np.full(given.shape[1], np.nan, np.float32))
    kept = None if given is None else np.array(rows, np.float32).reshape(-1, given.shape[1])
    return entries, kept, selection.measure


def _below_threshold(
    facts: Sequence[Fact],
    confidences: Sequence[float],
    chosen: Sequence[int],
    *,
    tick: int,
    settings: Bequeath,
) -> list[int]:
    """Chooses facts below the threshold for the room that the others leave; inherited ones have a quota.

    An inherited fact is born below the threshold, so without this quota it would cross one death only.
    """
    taken = set(chosen)
    rest = [place for place, fact in enumerate(facts) if place not in taken and fact.source != "dream"]
    cap = min(settings.entries, ENTRY_LIMIT)
    groups = (
        ([place for place in rest if facts[place].generation], int(INHERITED_SHARE * cap)),
        ([place for place in rest if not facts[place].generation], cap),
    )
    found: list[int] = []
    for places, quota in groups:
        selection = _core.select_entries(
            [facts[place] for place in places],
            [confidences[place] for place in places],
            cap=min(quota, cap - len(taken) - len(found)),
            insight_threshold=0.0,
            heuristic_threshold=0.0,
            tick=tick,
        )
        found += [places[place] for place in selection.chosen]
    return found


def _tombstones(facts: Sequence[Fact], chosen: Sequence[int]) -> list[int]:
    """Finds the beliefs that were refuted, or replaced by a chosen one, the latest first."""
    crossing = {facts[place].id for place in chosen}

    def is_one(fact: Fact) -> bool:
        # An inherited tombstone has no link to its successor.
        replaced = fact.status == "superseded" and (fact.superseded_by in crossing or fact.generation > 0)
        return fact.kind != "context" and (replaced or fact.status == "contradicted")

    found = [place for place, fact in enumerate(facts) if is_one(fact)]
    return sorted(found, key=lambda place: (-facts[place].reinforced_tick, facts[place].id))


def choose_episodes(
    episodes: Iterable[Episode],
    settings: Bequeath,
    redactor: Redactor,
    left_out: Counter[str],
    *,
    entries: int,
    limit: int | None = None,
) -> list[Episode]:
    """Chooses episodes in the given order, best first, without copies, and redacts them.

    Args:
        episodes: Candidates, best first.
        settings: Caps.
        redactor: Redactor of the testament.
        left_out: Counter of episodes left out by reason; updated in place.
        entries: Number of chosen entries, which share the cap with the episodes.
        limit: Maximum total size in bytes.
    """
    most = min(settings.episodes, max(min(settings.entries, EPISODE_LIMIT) - entries, EPISODES_AT_LEAST))
    most_bytes = min(_EPISODE_BYTES, _EPISODE_BYTES if limit is None else limit)
    inherited_left = int(INHERITED_SHARE * settings.entries)
    best: list[Episode] = []
    seen: set[str] = set()
    size = 0
    for episode in episodes:
        text = folded(episode.text)
        if text in seen:
            left_out["episode_copy"] += 1
            continue
        is_inherited = episode.kind == INHERITED_KIND
        if len(best) == most or (is_inherited and not inherited_left):
            left_out["episode_over_cap"] += 1
            continue
        found = redactor.with_own_counts()
        kept = _redacted_episode(episode, found)
        needed = tables.size_of_episode(kept)
        if size + needed > most_bytes:
            left_out["episode_over_cap"] += 1
            continue
        redactor.counts.update(found.counts)
        size += needed
        inherited_left -= is_inherited
        seen.add(text)
        best.append(kept)
    return best


def folded(text: str) -> str:
    """A text without differences of case and of spaces: copies have the same."""
    return " ".join(text.split()).casefold()


def choose_links(
    links: Iterable[LinkTuple], chosen: Sequence[Fact | Episode], left_out: Counter[str]
) -> list[Link]:
    """Chooses the links between two chosen entries or episodes, strongest first."""
    crossing = {one.id for one in chosen}
    inside = {Link(*link) for link in links}
    inside = {link for link in inside if link.src in crossing and link.dst in crossing}
    left_out["link_over_cap"] += max(len(inside) - LINK_LIMIT, 0)
    return sorted(inside, key=lambda link: (-link.weight, dataclasses.astuple(link)))[:LINK_LIMIT]


def _redacted_fact(fact: Fact, confidence: float, redactor: Redactor) -> Fact:
    return dataclasses.replace(
        redactor.fact(fact), confidence=confidence, supersedes=None, superseded_by=None
    )


def _redacted_episode(episode: Episode, redactor: Redactor) -> Episode:
    return dataclasses.replace(redactor.episode(episode), session=None, replay_count=0, content_hash=0)
