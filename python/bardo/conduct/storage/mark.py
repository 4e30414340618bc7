"""Detects a lost, replaced or outdated `conduct.db` by a mark in the fact store.

The file holds a random id, its agent, and a count of writes. `facts.db` holds the id, stored before the first entry,
and the count, stored after each write. A crash between the two leaves a count that is behind the file, never ahead of
it.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from pathlib import Path

from bardo._atomic import unavailable
from bardo._core import FactStore
from bardo.errors import BardoWarning, ConductLostError, StoreError, StoreForeignError

#: Names of the id and the count of writes in `facts.db`.
_MADE, _WRITES = "conduct.made", "conduct.writes"

SCHEMA = "CREATE TABLE made (id INTEGER NOT NULL, agent TEXT NOT NULL, writes INTEGER NOT NULL)"


class Mark:
    """Mark of one agent's `conduct.db`.

    Args:
        path: Path of the file.
        facts: Fact store of the agent, which holds the mark.
    """

    def __init__(self, path: Path, facts: FactStore) -> None:
        self._path = path
        self._facts = facts

    def require_file(self) -> bool:
        """Whether the file exists; a file that was created and is now missing or empty is an error.

        Raises:
            ConductLostError: The file was created, and is missing or empty.
        """
        lost = self._absent()
        if lost and self._facts.mark(_MADE):
            raise self._lost(lost)
        return not lost

    def require_none(self) -> None:
        """Refuses to create a file if one was created before.

        Raises:
            ConductLostError: A file was created before; the present one is empty.
        """
        if self._facts.mark(_MADE):
            raise self._lost("empty")

    def require_same(self, connection: sqlite3.Connection, *, writing: bool = False) -> None:
        """Compares an open file with the mark, and updates a mark that is behind.

        Args:
            connection: Connection to the file.
            writing: Whether an entry is about to be written; requires that a missing mark can be written.

        Raises:
            StoreForeignError: The file is another agent's.
            ConductLostError: The file is another one of this agent, or an older copy.
            StoreError: An entry is about to be written, and the missing mark cannot be.
        """
        # The mark is read first: another process may write to the file in between.
        known, counted = self._facts.mark(_MADE), self._facts.mark(_WRITES)
        id_, writes = self._content(connection)
        if known and known != id_:
            raise self._lost("another file than the one that was made")
        if known and writes < counted:
            raise self._lost(f"an older copy: it has {writes} writes of {counted}")
        if (known, counted) != (id_, writes):
            try:
                self.keep(id_, writes)
            except StoreError as error:
                if writing and not known:
                    raise
                warnings.warn(
                    f"{self._path.name} has changed, and its mark in facts.db could not be written: until it is, an "
                    f"older copy may pass for it. {error}",
                    BardoWarning,
                    stacklevel=2,
                )

    def keep(self, id_: int, writes: int) -> None:
        """Writes the mark durably.

        Raises:
            StoreError: The fact store cannot be written.
        """
        self._facts.upsert([], tick=0, now=0, actor="gate", marks={_MADE: id_, _WRITES: writes})

    def accept(self, connection: sqlite3.Connection) -> None:
        """Accepts the open file, with all committed writes, as the agent's.

        Raises:
            StoreForeignError: The file is another agent's.
            StoreError: The fact store cannot be written.
        """
        self.keep(*self._content(connection))

    def _absent(self) -> str:
        try:
            return "" if self._path.stat().st_size else "empty"
        except FileNotFoundError:
            return "missing"
        except OSError as error:
            raise unavailable("look at", self._path, error) from error

    def _content(self, connection: sqlite3.Connection) -> tuple[int, int]:
        row = connection.execute("SELECT id, agent, writes FROM made WHERE intact").fetchone()
        if row is None:
            raise sqlite3.DatabaseError("it does not say whose it is")
        id_, agent, writes = row
        if agent != self._facts.agent:
            raise StoreForeignError(
                f"{self._path} belongs to the agent {agent!r}, not to {self._facts.agent!r}. Move it away, and put "
                f"the file of {self._facts.agent!r} in its place"
            )
        return id_, writes

    def _lost(self, what: str) -> ConductLostError:
        return ConductLostError(
            f"{self._path} is {what}, so what {self._facts.agent} decided, rejected and ruled is not known, and a gate "
            "that cannot tell does not allow. Restore the file from a copy, or have a person accept the loss: "
            "gate.accept_loss(by=...), or `bardo gate accept-loss --by NAME`",
            what=what,
        )


def begin(connection: sqlite3.Connection, agent: str) -> None:
    """Assigns a file its random id, inside the transaction that creates its tables."""
    connection.execute(SCHEMA)
    # SQLite and the mark hold signed numbers; 0 means no file.
    number = int.from_bytes(os.urandom(8)) >> 1 or 1
    connection.execute("INSERT INTO made (id, agent, writes) VALUES (?, ?, 1)", (number, agent))
