"""Which memories a query may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bardo.errors import InvalidInputError
from bardo.model import ROLES, Role, Source

Layer = Literal["episode", "fact"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that a memory must meet, all of them; None lets everything through.

    Args:
        layers: `episode`, `fact` or both.
        kinds: Kinds of episodes or facts.
        category: Category of a fact, or the beginning of its path up to a slash. Episodes have none.
        subjects: At least one of these.
        thread: This thread; of a fact, the one that all its evidence is of.
        session: This session. Facts have none.
        mode: This mode and those that share memories with it (`chat` and `booth`), or none recorded; of a fact, that
            of its evidence.
        roles: Authors. Facts have none.
        without_roles: Authors whose episodes are left out; facts stay.
        since: Wall clock from here on, microseconds UTC.
        until: Wall clock up to and including here, microseconds UTC.
        min_confidence: Of a fact, decayed to now, 0..1. Episodes are what happened and pass.
        sources: Where it came from; episodes are `self`.
        as_of: What was known, and in force, at this tick.
        trying: Ids of held facts that count as in force for this query: what the shadow check tries.
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
        """Refuses one string where a list of strings is meant, and turns names of roles into those stored."""
        for name in ("layers", "kinds", "subjects", "roles", "without_roles", "sources", "trying"):
            value = getattr(self, name)
            if isinstance(value, str):
                raise InvalidInputError(f"{name} is one string ({value!r}). Pass a list: {name}=[{value!r}]")
        for name in ("roles", "without_roles"):
            if roles := getattr(self, name):
                object.__setattr__(self, name, tuple(ROLES.get(role, role) for role in roles))
