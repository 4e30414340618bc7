"""Refuses calls of a gate without an action, or without the name of a person."""

from __future__ import annotations

from collections.abc import Sequence

from bardo.conduct.model.entries import CRITICAL, Rule, StateEntry
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError

#: Names by which an agent speaks of itself, in lower case; no person has them.
_AGENTS = frozenset({"agent", "ai", "assistant", "bot", "llm", "me", "model", "myself", "self", "system"})


def require_action(action: str) -> None:
    """Refuses an empty action."""
    if not action.strip():
        raise InvalidInputError("there is no action. Say which")


def is_person(name: str, agent: str) -> bool:
    """Whether a name may be a person's: neither empty, nor the agent's, nor a word for an agent.

    Args:
        name: Name.
        agent: Name of the agent.
    """
    name = name.strip()
    return bool(name) and name != agent and name.casefold() not in _AGENTS


def require_person(by: str, does: str, *, agent: str) -> str:
    """Returns the name of a person, and refuses an empty one and the agent itself.

    Args:
        by: Name.
        does: What only a person does, such as `lifts a rejection`.
        agent: Name of the agent.
    """
    if not by.strip():
        raise InvalidInputError(f"only a person {does}: name who, with by=...")
    if not is_person(by, agent):
        raise InvalidInputError(f"only a person {does}, and {by!r} is the agent itself: name the person")
    return by


def delete(store: ConductStore, ids: Sequence[str], by: str, *, agent: str) -> list[str]:
    """Deletes rows; refuses rejections and critical rules in force without a person's name.

    Args:
        store: State and rules of the agent.
        ids: Ids of rows.
        by: Name of the person; empty if none is named.
        agent: Name of the agent.
    """
    for id_ in ids:
        try:
            row = store.get(id_)
        except NotFoundError:
            continue
        is_critical = isinstance(row, Rule) and not row.retired_by and row.score >= CRITICAL
        is_rejection = isinstance(row, StateEntry) and (row.kind, row.status) == ("rejected", "active")
        if is_critical or is_rejection:
            require_person(by, f"deletes {id_}, a rejection or critical rule in force", agent=agent)
    return store.forget(ids)
