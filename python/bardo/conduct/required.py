"""Refuses calls of a gate without an action, or without the name of a person."""

from __future__ import annotations

from bardo.errors import InvalidInputError


def require_action(action: str) -> None:
    """Refuses an empty action."""
    if not action.strip():
        raise InvalidInputError("there is no action. Say which")


def require_person(by: str, does: str) -> str:
    """Returns the name of a person, and refuses an empty one."""
    if not by.strip():
        raise InvalidInputError(f"only a person {does}: name who, with by=...")
    return by
