"""Promotion of lessons: one that is learned again on a later day becomes a rule, so that it is told before actions."""

from __future__ import annotations

from dataclasses import replace

from bardo.conduct.model.entries import NEW, Rule, StateEntry
from bardo.conduct.state import rules
from bardo.conduct.state.prohibition import forbidden_act
from bardo.conduct.storage.store import ConductStore
from bardo.config import SECONDS_PER_DAY

#: Minimum time in microseconds between the first and the latest statement of a lesson: repetitions at once prove less.
SPACING = SECONDS_PER_DAY * 1_000_000


def promote(store: ConductStore, lesson: StateEntry, vectors: rules.VectorsOf, *, agent: str) -> StateEntry:
    """Makes a rule of a lesson that was learned again on a later day, and ends the lesson; returns the lesson.

    Args:
        store: State and rules of the agent, in a transaction.
        lesson: Entry, stored.
        vectors: Vectors of texts, for near-duplicates by meaning.
        agent: Name of the agent.
    """
    if lesson.kind != "learning" or lesson.status != "active" or lesson.changed_at - lesson.at < SPACING:
        return lesson
    forbids = lesson.summary if forbidden_act(lesson.summary) is not None else ""
    at = lesson.changed_at
    given = Rule("", lesson.summary, forbids, "", NEW, lesson.by, lesson.episode, at, at)
    rule = rules.keep(store, given, vectors, agent=agent, now=at)
    return store.put(
        replace(lesson, status="done", closed_by=agent, closed_why=f"learned again: it is the rule {rule.id}")
    )
