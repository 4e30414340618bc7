"""Whether `conduct.db` is the file that its agent made, with all that was written to it: a mark with the facts tells.

The file holds a random number of its own, its agent, and how often it was written. `facts.db` holds the number from
before the first entry is kept, and the count from after each write. A crash between the two leaves a count that is
behind the file, never one that is ahead of it.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from pathlib import Path

from bardo._atomic import unavailable
from bardo._core import FactStore
from bardo.errors import BardoWarning, ConductLostError, StoreError, StoreForeignError

#: Names of the two numbers in `facts.db`.
_MADE, _WRITES = "conduct.made", "conduct.writes"

SCHEMA = "CREATE TABLE made (id INTEGER NOT NULL, agent TEXT NOT NULL, writes INTEGER NOT NULL)"


class Mark:
    """The mark of one agent's `conduct.db`.

    Args:
        path: The file.
        facts: The agent's facts; they keep the mark.
    """

    def __init__(self, path: Path, facts: FactStore) -> None:
        self._path = path
        self._facts = facts

    def require_file(self) -> bool:
        """Whether there is a file; a made one that is missing or empty is an error.

        Raises:
            ConductLostError: The file was made and is missing or empty.
        """
        lost = self._absent()
        if lost and self._facts.mark(_MADE):
            raise self._lost(lost)
        return not lost

    def require_none(self) -> None:
        """Refuses to make a file where one was made.

        Raises:
            ConductLostError: There was one; the one that is there has nothing in it.
        """
        if self._facts.mark(_MADE):
            raise self._lost("empty")

    def require_same(self, connection: sqlite3.Connection, *, writing: bool = False) -> None:
        """Compares the content of an open file with the mark, and brings a mark that is behind up to it.

        Args:
            connection: To the file.
            writing: Whether an entry is about to be written; a file without a mark gets none.

        Raises:
            StoreForeignError: The file is another agent's.
            ConductLostError: It is another file of this agent, or an older copy.
            StoreError: The file has no mark, and the facts cannot be written.
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
            StoreError: The facts cannot be written.
        """
        self._facts.upsert([], tick=0, now=0, actor="gate", marks={_MADE: id_, _WRITES: writes})

    def accept(self, connection: sqlite3.Connection) -> None:
        """Takes the open file, with all that was committed to it, for the agent's.

        Raises:
            StoreForeignError: The file is another agent's.
            StoreError: The facts cannot be written.
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
    """Gives a file its number, inside the transaction that makes its tables."""
    connection.execute(SCHEMA)
    # SQLite and the mark hold signed numbers; 0 stands for no file.
    number = int.from_bytes(os.urandom(8)) >> 1 or 1
    connection.execute("INSERT INTO made (id, agent, writes) VALUES (?, ?, 1)", (number, agent))
