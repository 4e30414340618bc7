"""Parts of a gate that its resources (`flows`, `capabilities`, `missions`, `bridges`) share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from bardo.conduct.model.procedures import Capability, Flow
from bardo.conduct.storage.rows import TABLES, Row
from bardo.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from bardo.conduct.match.index import ConductIndex
    from bardo.conduct.storage.store import ConductStore
    from bardo.ports import Clock, Embedder

Kept = TypeVar("Kept", bound=Row)
Named = TypeVar("Named", Flow, Capability)
#: Maximum number of names in an error.
_NAMED = 10


class Ready(Protocol):
    """Function of a gate."""

    def __call__(self, *, write: bool = False) -> None:
        """Raises an error after close, and before a write of a dead agent."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a gate.

    Args:
        agent: Name of the agent.
        store: Rows of the agent.
        index: Index of the texts with which actions are compared.
        clock: Source of the wall clock.
        embedder: Embedder of the agent's model; None to compare words alone.
        ready: Raises an error if the gate cannot be used.
        cleaned: Removes copies of prompts from texts, and reports them in a warning.
    """

    agent: str
    store: ConductStore
    index: ConductIndex
    clock: Clock
    embedder: Embedder | None
    ready: Ready
    cleaned: Callable[..., tuple[str, ...]]

    def get(self, kind: type[Kept], id_: str) -> Kept:
        """Returns the row of a value type with an id.

        Raises:
            NotFoundError: There is no such row.
            InvalidInputError: The id is of another type.
        """
        found = self.store.get(id_)
        if not isinstance(found, kind):
            letter = next(letter for letter, table in TABLES.items() if table.kind is kind)
            raise InvalidInputError(f"{id_} is no {kind.__name__.lower()}. Their ids begin with {letter!r}")
        return found

    def named(self, kind: type[Named], name: str) -> Named | None:
        """Returns the row in force with a name, in any case of letters; None if there is none."""
        wanted = " ".join(name.casefold().split())
        rows = self.store.rows(kind, every=False)
        return next((row for row in rows if " ".join(row.name.casefold().split()) == wanted), None)

    def resolve(self, kind: type[Named], name: str) -> Named:
        """Returns the row in force with a name, or with an id.

        Raises:
            NotFoundError: There is none.
        """
        if (found := self.named(kind, name)) is not None:
            return found
        try:
            return self.get(kind, name)
        except (NotFoundError, InvalidInputError):
            known = [repr(row.name) for row in self.store.rows(kind, every=False)]
            there = f"There are {', '.join(known[:_NAMED])}" if known else "There are none yet"
            raise NotFoundError(f"there is no {kind.__name__.lower()} {name!r}. {there}") from None
