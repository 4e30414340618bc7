"""Rejections and rules that persons ended."""

from __future__ import annotations

from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import ALLOWED_AGAIN, Rule, StateEntry
from bardo.conduct.persons import is_person
from bardo.conduct.storage.store import ConductStore


def lifted_rows(store: ConductStore, agent: str) -> list[StateEntry | Rule]:
    """Returns the rejections, and then the rules, that persons ended.

    Args:
        store: State and rules of the agent.
        agent: Name of the agent.
    """
    entries = [
        entry
        for entry in store.state(kind="rejected", every=True)
        if entry.status != "active" and is_person(author_of(entry.closed_by)[0], agent)
    ]
    return [*entries, *(rule for rule in store.rules() if is_lifted(rule, agent))]


def is_lifted(rule: Rule, agent: str) -> bool:
    """Whether a person retired a rule, by the gate or by words that allow the act again."""
    # A pass that retires a rule for another cause tells that as the reason.
    is_told = not rule.retired_why or rule.retired_why.startswith(ALLOWED_AGAIN)
    return bool(rule.retired_by) and is_told and is_person(author_of(rule.retired_by)[0], agent)


def lifted_at(row: StateEntry | Rule) -> int:
    """Returns the time of an end; 0 of a rule that was retired by the gate, which stores none."""
    if isinstance(row, StateEntry):
        return row.changed_at
    return row.confirmed_at if row.retired_why else 0


def text_of(row: StateEntry | Rule) -> str:
    """Returns the words of a rejection or rule."""
    return row.text if isinstance(row, Rule) else row.summary
