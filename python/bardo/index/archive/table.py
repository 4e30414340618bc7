"""Connection to one LanceDB table, with a check of its owner and a mapping of LanceDB's errors."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from bardo.errors import (
    BardoError,
    GrimoireClosedError,
    InvalidInputError,
    StoreDamagedError,
    StoreUnavailableError,
)
from bardo.index.archive import compaction, rows
from bardo.model import Fingerprint

T = TypeVar("T")

TABLE = "episodes"
#: Words in LanceDB's messages for errors of the operating system, and for errors of a SQL condition.
_REFUSALS = ("permission denied", "read-only file system", "no space left", "not a directory", "file exists")
_BAD_CONDITION = (
    "sql parser",
    "schema error",
    "no field named",
    "invalid user input",
    "error during planning",
)


class TableHandle:
    """One agent's table in a folder.

    Args:
        folder: Folder of the database; made if absent.
        agent: Owner of the episodes.
        fingerprint: Model of the vectors; None, for a reader, stands for that of the table.
        reader: Whether to never make a database or table.
    """

    def __init__(
        self, folder: Path, agent: str, fingerprint: Fingerprint | None, *, reader: bool = False
    ) -> None:
        self.folder = folder
        #: Lock of writers; searches wait for `opening` alone.
        self.lock = threading.RLock()
        #: Lock of opening, closing and replacing the table.
        self.opening = threading.RLock()
        self._agent = agent
        self._fingerprint = fingerprint
        self._reader = reader
        self._process = os.getpid()
        self._table: Any = None

    @property
    def files(self) -> Path:
        """Folder of the table itself."""
        return self.folder / f"{TABLE}.lance"

    @property
    def fingerprint(self) -> Fingerprint:
        """Model of the vectors.

        Raises:
            StoreError: The model has to be read from the table, which cannot be opened.
        """
        with self.opening:
            if self._fingerprint is None:
                self._fingerprint = self.check(self.open())
            return self._fingerprint

    def check_process(self) -> None:
        """Raises GrimoireClosedError in a forked child."""
        if os.getpid() != self._process:
            raise GrimoireClosedError(
                f"{self.folder} was opened before this process was forked, and LanceDB does not survive a fork. "
                "Open it again in the child, or start children with the `spawn` method"
            )

    def open(self, *, make: bool = True) -> Any:
        """Opens the LanceDB table.

        Args:
            make: Whether to make a missing table; a reader never does.

        Raises:
            StoreForeignError: It is not bardo's, or another agent's.
            StoreTooNewError: A newer bardo wrote it.
            EmbeddingMismatchError: It holds vectors of another model.
            StoreDamagedError: It cannot be read.
            StoreUnavailableError: The operating system refused.
            GrimoireClosedError: The process is a forked child.
        """
        self.check_process()
        with self.opening:
            if self._table is None:
                table = self.run("open", lambda: self._connect(make=make and not self._reader))
                self.check(table)
                if not self._reader:
                    self.run("open", lambda: compaction.ensure_text_index(table))
                self._table = table
            return self._table

    def check(self, table: Any) -> Fingerprint:
        """Checks the owner of a table, and returns its model; raises as `open` does."""
        return rows.check_owner(table.schema.metadata, self._agent, self._fingerprint, str(self.folder))

    def close(self) -> None:
        """Closes the table; the next use opens it again."""
        with self.opening:
            self._table = None

    def read(self, search: Callable[[Any], Any]) -> Any:
        """Runs a search; retries once if the owner compacted or replaced the table meanwhile."""

        def again() -> Any:
            # A compaction by the owner may have removed the version that the first try was reading.
            table = self.open(make=False)
            table.checkout_latest()
            return search(table).to_arrow()

        table = self.open(make=False)
        try:
            return search(table).to_arrow()
        except Exception:
            return self.run("search", again)

    def run(self, action: str, call: Callable[[], T]) -> T:
        """Calls into LanceDB, and maps its errors to ours."""
        try:
            return call()
        except (BardoError, MemoryError):
            raise
        except BaseException as error:
            # A panic in LanceDB's Rust arrives as a BaseException.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            words = str(error).lower()
            if any(refusal in words for refusal in _REFUSALS):
                raise StoreUnavailableError(
                    f"cannot {action} {self.folder}: {error}. Check that it is a folder with space left"
                ) from error
            if any(complaint in words for complaint in _BAD_CONDITION):
                raise InvalidInputError(
                    f"the condition cannot be used: {error}. Write SQL over the columns {', '.join(rows.COLUMNS)}"
                ) from error
            raise StoreDamagedError(
                f"cannot {action} {self.folder}: {error}. It is derived from the log: "
                "`bardo maintenance rebuild` makes it again"
            ) from error

    def _remove_unfinished(self) -> None:
        """Removes a table whose creation was cut off by a kill: it has no version and no row.

        LanceDB writes a manifest beside its place and links it there, so a file of another name is no version.
        """
        versions, data = self.files / "_versions", self.files / "data"
        is_begun = self.files.exists() and not (data.is_dir() and any(data.iterdir()))
        if is_begun and not any(versions.glob("*.manifest")):
            shutil.rmtree(self.files)

    def _connect(self, *, make: bool) -> Any:
        if not make and not self.files.exists():
            raise StoreUnavailableError(
                f"there is no index in {self.folder} yet. The process that owns the grimoire writes it at its next sync"
            )
        from bardo._announce import announce

        announce("loading LanceDB, and opening the archive in %s", self.folder)
        import lancedb

        if make:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._remove_unfinished()
        # Zero: every read checks for a newer version, so a reader sees the owner's writes in another process.
        database = lancedb.connect(str(self.folder), read_consistency_interval=timedelta(0))
        # The owner may be replacing the table: a reader must not make one where it is missing.
        if not make or self.files.exists():
            return database.open_table(TABLE)
        return database.create_table(TABLE, schema=rows.schema(self._agent, self.fingerprint))
