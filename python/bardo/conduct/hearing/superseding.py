"""Ends the orders and decisions that a person's later statement replaces, and names the successors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from bardo.conduct.hearing.replacement import may_replace, replaces, takes_back
from bardo.conduct.model.entries import SUPERSEDED, Rule, StateEntry
from bardo.conduct.storage.store import ConductStore


def replaced_by(store: ConductStore, text: str, *, episode: str, at: int) -> list[Rule | StateEntry]:
    """Returns the rules and decisions in force that a person's statement replaces, and tasks that it takes back.

    Rules that require an approval stay: only a person at the gate ends these.

    Args:
        store: State and rules of the agent.
        text: Words of the person.
        episode: Id of the episode; what was heard in it is not replaced.
        at: Time of the words, microseconds UTC; later entries are not replaced.
    """
    if not may_replace(text):
        return []
    held = [(rule.text, rule) for rule in store.rules(every=False) if not rule.approval]
    known: list[tuple[str, Rule | StateEntry]] = [*held]
    known += [(entry.summary, entry) for entry in store.state(kind="decision")]
    if takes_back(text):
        known += [(task.summary, task) for task in store.state(kind="task", limit=-1)]
    return [row for said, row in known if row.at <= at and row.episode != episode and replaces(said, text)]


def end(
    store: ConductStore, replaced: Sequence[Rule | StateEntry], *, by: str, at: int, successor: str
) -> None:
    """Ends rules and decisions that were replaced.

    Args:
        store: State and rules of the agent, in a transaction.
        replaced: Rules and decisions.
        by: Person whose words replace them.
        at: Time of the words, microseconds UTC.
        successor: Id of the rule or decision in their place.
    """
    why = f"{SUPERSEDED}{successor}"
    for row in replaced:
        if isinstance(row, Rule):
            # The time of the last word on a rule is that of its end.
            store.put(replace(row, confirmed_at=at, retired_by=by, retired_why=why))
        else:
            store.put(
                replace(
                    row, status="archived", changed_at=at, superseded_by=successor, closed_by=by, closed_why=why
                )
            )  # fmt: skip


def replaced_in(store: ConductStore, episodes: Collection[str]) -> list[tuple[str, Rule | StateEntry]]:
    """Returns the rules, decisions and tasks that statements of some episodes replaced, each after the episode.

    Args:
        store: State and rules of the agent.
        episodes: Ids of episodes.
    """
    rows: list[Rule | StateEntry] = [
        *store.rules(),
        *store.state(kind="decision", every=True),
        *store.state(kind="task", every=True),
    ]
    successors = {row.id: row.episode for row in rows if row.episode in episodes}
    return [(successors[row.superseded_by], row) for row in rows if row.superseded_by in successors]
