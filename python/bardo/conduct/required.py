"""Refuses calls of a gate without an action, or without the name of a person."""

from __future__ import annotations

from collections.abc import Sequence

from bardo.conduct.model.authors import author_of
from bardo.conduct.model.entries import CRITICAL, Rule, StateEntry
from bardo.conduct.model.procedures import Flow, Mission
from bardo.conduct.persons import is_machine, is_person
from bardo.conduct.storage.rows import Row
from bardo.conduct.storage.store import ConductStore
from bardo.errors import InvalidInputError, NotFoundError


def require_action(action: str) -> None:
    """Refuses an empty action."""
    if not action.strip():
        raise InvalidInputError("there is no action. Say which")


def require_person(by: str, does: str, *, agent: str) -> str:
    """Returns the name of a person, and refuses an empty one, the agent itself, machines and placeholders.

    Args:
        by: Name.
        does: What only a person does, such as `lifts a rejection`.
        agent: Name of the agent.
    """
    if not by.strip():
        raise InvalidInputError(f"only a person {does}: name who, with by=...")
    if not is_person(by, agent):
        is_agent = is_machine(by, agent)
        what = "names the agent itself, or a machine" if is_agent else "names no one"
        raise InvalidInputError(
            f"only a person {does}, and {by!r} {what}: give the name of the person, such as 'Anna'"
        )
    return by


def is_persons(row: Row, agent: str) -> bool:
    """Whether only a person removes a row: it is in force, and blocks actions or is a person's word.

    Rejections, critical rules, and rules and flows that need approval block actions. Outcomes, capabilities, outputs
    and grants, whose removal permits nothing, are the agent's to remove.

    Args:
        row: Row of any kind.
        agent: Name of the agent.
    """
    match row:
        case StateEntry():
            is_in_force, blocks = row.status == "active", row.kind == "rejected"
        case Rule():
            is_in_force, blocks = not row.retired_by, row.score >= CRITICAL or bool(row.approval)
        case Flow():
            is_in_force, blocks = not row.retired_by, row.needs_approval
        case Mission():
            is_in_force, blocks = not row.ended_at, False
        case _:
            return False
    return is_in_force and (blocks or is_person(author_of(row.by)[0], agent))


def delete(store: ConductStore, ids: Sequence[str], by: str, *, agent: str) -> list[str]:
    """Deletes rows; refuses without a person's name, and as a whole, where only a person removes one of them.

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
        if is_persons(row, agent):
            require_person(by, f"deletes {id_}, which blocks actions or is a person's word", agent=agent)
    return store.forget(ids)
