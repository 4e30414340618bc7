"""Chooses and redacts the facts that cross a death, and counts the rest by reason."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bardo import _core
from bardo.bequeath import redact, tables
from bardo.bequeath.tables import LinkTuple
from bardo.config import Bequeath
from bardo.errors import InvalidInputError
from bardo.model import Episode, Fact, Link
from bardo.ports import Vectors

#: Maximum numbers of entries and episodes in a testament, regardless of settings.
ENTRY_LIMIT, EPISODE_LIMIT = 2_048, 128
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
    redacted: Counter[str],
    left_out: Counter[str],
) -> tuple[list[Fact], Vectors | None, str]:
    """Chooses and redacts the entries; returns them with their vectors and the measure of similarity."""
    shareable = [place for place, fact in enumerate(facts) if not redact.tells_holdings(fact.payload)]
    left_out["private"] += len(facts) - len(shareable)
    if len(confidences) != len(facts):
        raise InvalidInputError(f"{len(confidences)} confidences for {len(facts)} facts. Pass one per fact")
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
    left_out.update(selection.left_out)
    entries: list[Fact] = []
    rows: list[Any] = []
    size = 0
    for chosen in selection.chosen:
        place = shareable[chosen]
        fact = _redacted_fact(facts[place], confidences[place], redacted)
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


def choose_episodes(
    episodes: Iterable[Episode], settings: Bequeath, redacted: Counter[str], left_out: Counter[str]
) -> list[Episode]:
    """Chooses the verified episodes by importance, without copies, and redacts them."""
    given = list(episodes)
    verified = [episode for episode in given if episode.verified]
    left_out["episode_not_verified"] += len(given) - len(verified)
    verified.sort(key=lambda episode: (-(episode.importance or 0.0), -episode.tick, episode.id))
    best: list[Episode] = []
    seen: set[str] = set()
    size = 0
    for episode in verified:
        text = " ".join(episode.text.split()).casefold()
        if text in seen:
            left_out["episode_copy"] += 1
            continue
        kept = _redacted_episode(episode, redacted)
        size += len(kept.text.encode()) + len(tables.to_json(kept.payload).encode())
        if len(best) == min(settings.episodes, EPISODE_LIMIT) or size > _EPISODE_BYTES:
            left_out["episode_over_cap"] += 1
            continue
        seen.add(text)
        best.append(kept)
    return best


def choose_links(links: Iterable[LinkTuple], entries: Sequence[Fact], left_out: Counter[str]) -> list[Link]:
    """Chooses the links between two chosen entries, strongest first."""
    crossing = {fact.id for fact in entries}
    inside = {Link(*link) for link in links}
    inside = {link for link in inside if link.src in crossing and link.dst in crossing}
    left_out["link_over_cap"] += max(len(inside) - LINK_LIMIT, 0)
    return sorted(inside, key=lambda link: (-link.weight, dataclasses.astuple(link)))[:LINK_LIMIT]


def _redacted_fact(fact: Fact, confidence: float, redacted: Counter[str]) -> Fact:
    text, payload = redact.general(fact.text, fact.payload, redacted)
    return dataclasses.replace(
        fact,
        text=text,
        category=redact.redact(fact.category, redacted),
        subjects=tuple(redact.redact(subject, redacted) for subject in fact.subjects),
        confidence=confidence,
        metadata=redact.texts(fact.metadata, redacted),
        statement=None
        if fact.statement is None
        else dataclasses.replace(
            fact.statement,
            subject=redact.redact(fact.statement.subject),
            value=redact.redact(fact.statement.value),
        ),
        payload=payload,
        supersedes=None,
        superseded_by=None,
    )


def _redacted_episode(episode: Episode, redacted: Counter[str]) -> Episode:
    return dataclasses.replace(
        episode,
        text=redact.redact(episode.text, redacted),
        subjects=tuple(redact.redact(subject, redacted) for subject in episode.subjects),
        payload=redact.strip(episode.payload, redacted),
        thread=None if episode.thread is None else redact.redact(episode.thread, redacted),
        session=None,
        replay_count=0,
        content_hash=0,
    )
