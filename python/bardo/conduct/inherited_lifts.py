"""Ends orders that an heir has of one parent, by what the same person told another parent later."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from bardo.bequeath.content.worth import inherited_fields
from bardo.bequeath.testament.testament import Testament
from bardo.conduct.hearing.lifts import lifting
from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import Rule, StateEntry
from bardo.conduct.persons import is_person
from bardo.conduct.storage.store import ConductStore
from bardo.model import Episode


def end_by_others(store: ConductStore, testaments: Iterable[Testament], *, agent: str) -> int:
    """Ends the inherited orders of a person that the person lifted in the life of another parent; returns their number.

    That parent never heard the order, so that its gate knows no end of it. What a parent heard itself it has judged.

    Args:
        store: State and rules of the heir.
        testaments: Testaments of known signers.
        agent: Name of the heir.
    """
    lifts = [
        (episode, str((inherited_fields(episode) or {}).get("agent") or testament.life.agent))
        for testament in testaments
        for episode in testament.episodes
        if episode.role == "user" and is_person(episode.speaker or "", agent) and lifting.lifts(episode.text)
    ]
    ended = 0
    with store.writing():
        for episode, life in sorted(lifts, key=lambda one: (one[0].at, one[0].id)):
            by = f"inherited from {life}, by {episode.speaker}"
            concerns = partial(_concerns, episode, life)
            rows = lifting.lift(
                store, episode.text, by=by, episode=episode.id, at=episode.at, concerns=concerns
            )
            ended += len(rows)
    return ended


def _concerns(episode: Episode, life: str, row: StateEntry | Rule) -> bool:
    """Whether a row is an order of the speaker of an episode that another parent heard before."""
    by, origin, _ = author_of(row.by)
    is_speakers = by.casefold() == (episode.speaker or "").casefold()
    return is_speakers and origin not in ("", life) and row.at < episode.at
