"""Filters of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bardo.errors import InvalidInputError
from bardo.model import ROLES, Role, Source

Layer = Literal["episode", "fact"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that a memory must meet, all of them; None is no condition.

    Args:
        layers: `episode`, `fact` or both.
        kinds: Kinds of episodes or facts.
        category: Category of a fact, or the beginning of its path up to a slash. Excludes episodes.
        subjects: Subjects, at least one of which matches.
        thread: Thread of the episode; of a fact, the thread of all its evidence.
        session: Session. Excludes facts.
        mode: Mode, including modes that share memories with it (`chat` and `booth`) and memories without one; of a
            fact, that of its evidence.
        roles: Authors. Excludes facts.
        without_roles: Authors whose episodes are excluded; facts pass.
        since: First wall-clock time, microseconds UTC.
        until: Last wall-clock time, inclusive, microseconds UTC.
        min_confidence: Minimum confidence of a fact, decayed to now, 0..1. Episodes pass.
        sources: Sources; that of episodes is `self`.
        as_of: Tick at which the memory was known and in force.
        trying: Ids of quarantined facts that count as in force for this query, for the shadow check.
    """

    layers: Sequence[Layer] | None = None
    kinds: Sequence[str] | None = None
    category: str | None = None
    subjects: Sequence[str] | None = None
    thread: str | None = None
    session: str | None = None
    mode: str | None = None
    roles: Sequence[Role] | None = None
    without_roles: Sequence[Role] | None = None
    since: int | None = None
    until: int | None = None
    min_confidence: float | None = None
    sources: Sequence[Source] | None = None
    as_of: int | None = None
    trying: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Raises an error for a string in place of a list of strings, and maps names of roles to stored ones."""
        for name in ("layers", "kinds", "subjects", "roles", "without_roles", "sources", "trying"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidInputError(f"{name} is one string ({value!r}). Pass a list: {name}=[{value!r}]")
        for name in ("roles", "without_roles"):
            if roles := getattr(self, name):
                object.__setattr__(self, name, tuple(ROLES.get(role, role) for role in roles))
