"""Access to the SQLite files that Python opens, with checksums of rows and a mapping of SQLite's errors."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import blake3

from bardo._atomic import unavailable
from bardo.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    StoreTooNewError,
    StoreUnavailableError,
)

#: Maximum wait of a statement for another process's transaction, in seconds.
PATIENCE = 10.0
#: Interval between two attempts to turn on the write-ahead log of a new file, in seconds.
_PAUSE = 0.01
#: Free space below which a disk counts as full, in bytes: SQLite needs a page and the header of a write-ahead log.
_LEAST_ROOM = 65_536
#: Primary result codes of a damaged file: 1 (`SQLITE_ERROR`) is a statement that does not fit the tables, 11 is
#: `SQLITE_CORRUPT`, 24 `SQLITE_FORMAT`, 26 `SQLITE_NOTADB`.
_DAMAGED = frozenset({1, 11, 24, 26})
#: Result codes of a busy file: `SQLITE_BUSY`, `SQLITE_LOCKED`, `SQLITE_PROTOCOL`.
_BUSY = frozenset({5, 6, 15})
#: Result codes of a read-only file: `SQLITE_PERM`, `SQLITE_READONLY`, `SQLITE_AUTH`.
_READ_ONLY = frozenset({3, 8, 23})
#: Result codes whose cause only the disk tells: `SQLITE_IOERR`, `SQLITE_CANTOPEN`.
_UNCLEAR = frozenset({10, 14})
_FULL = 13

#: Migration of a schema from the version that equals its position to the next.
Step = Callable[["sqlite3.Connection"], object]


class Database:
    """SQLite file, opened at its first use; safe to share among threads and processes.

    A file in a read-only folder can be read; writing to it raises `StoreReadOnlyError`.

    Args:
        path: File.
        steps: Migrations of the schema in order; their number is the version.
        loss: Advice about a damaged file: the loss if it is moved away.
    """

    def __init__(self, path: Path, *, steps: Sequence[Step], loss: str) -> None:
        self.path = path
        self._steps = steps
        self._loss = loss
        self._connection: sqlite3.Connection | None = None
        #: Damaged row that a statement found, until the error is raised.
        self._damaged = ""
        #: `data_version` (commits of other processes) at the last comparison of every row, by table; see `verify`.
        self._verified: dict[str, int] = {}
        #: Device and inode of the connection's file.
        self._opened: list[int] = []
        self._lock = threading.RLock()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way; for a caller that holds the lock of `translate_errors`."""
        return self._connection is not None and self._connection.in_transaction

    def exists(self) -> bool:
        """Whether the file exists."""
        return self.path.exists()

    def has_content(self) -> bool:
        """Whether the file exists and is not empty."""
        return _identity(self.path)[2] > 0

    def is_current(self) -> bool:
        """Whether the connection is to the file that the path names now."""
        *opened, length = _identity(self.path)
        return length > 0 and opened == self._opened

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Runs one write transaction around the block; other processes wait. May be nested.

        Raises:
            StoreBusyError: Another process has been writing for too long.
            StoreFullError: The disk is full; nothing of the transaction was kept.
            StoreReadOnlyError: The file or its folder cannot be written to.
            StoreDamagedError: The content of the file is broken.
        """
        with self.translate_errors("write to"):
            connection = self.opened()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite itself ends it in some cases, such as a full disk
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yields a connection for reading; opens the file read-only where it cannot be written to.

        Raises:
            StoreError: The same cases as in `writing`.
        """
        with self.translate_errors("read"):
            if self._connection is None and not self._is_writable():
                with contextlib.closing(self._open_to_read()) as connection:
                    yield connection
            else:
                yield self.opened()

    def read(self, query: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Returns the rows of a query; none where there is no file.

        Raises:
            StoreError: The same cases as in `writing`.
        """
        if not self.path.exists():
            return []
        with self.reading() as connection:
            return connection.execute(query, given).fetchall()

    @contextlib.contextmanager
    def translate_errors(self, action: str) -> Iterator[None]:
        """Holds the lock, and translates errors of SQLite with `refusal`.

        Args:
            action: Action on the file, as in "cannot {action} feedback.db".
        """
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise self.refusal(error, action) from error

    def verify(self, connection: sqlite3.Connection, *tables: str) -> None:
        """Compares every row of tables with its checksum, and their pages and indexes with each other.

        Without it, a condition would silently leave out a damaged row. A table is compared again only after a commit
        of another process or on a new connection.

        Args:
            connection: Connection from `reading`.
            tables: Names of the tables.

        Raises:
            StoreDamagedError: A row does not match its checksum.
        """
        (commits,) = connection.execute("PRAGMA data_version").fetchone()
        for table in tables:
            if connection is self._connection and self._verified.get(table) == commits:
                continue
            connection.execute(f"SELECT count(intact) FROM {table} NOT INDEXED").fetchone()
            for (found,) in connection.execute(f"PRAGMA integrity_check('{table}')"):
                if found != "ok":
                    self._damaged = f"table {table}: {found}"
                    raise sqlite3.DatabaseError(found)
            if connection is self._connection:
                self._verified[table] = commits

    def scrub(self, *, rewrite: bool = True) -> None:
        """Empties the write-ahead log and rewrites the file without its free pages; both could hold deleted content.

        Args:
            rewrite: Whether to rewrite the file; False where nothing was deleted since the last rewrite.

        Raises:
            StoreError: The same cases as in `writing`.
        """
        with self.translate_errors("write to"):
            if rewrite:
                self.opened().execute("VACUUM")
            self.opened().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def opened(self) -> sqlite3.Connection:
        """Returns the connection to the file; for a caller that holds the lock of `translate_errors`."""
        if self._connection is not None and not self._connection.in_transaction and not self.is_current():
            self.close()
        if self._connection is None:
            if self.path.exists() and not self._is_writable():
                raise self._read_only("write to", "it or its folder is read-only")
            connection = sqlite3.connect(
                self.path, timeout=PATIENCE, check_same_thread=False, isolation_level=None
            )
            try:
                self._register(connection)
                self._verified.clear()
                _write_ahead(connection)
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")
                self._prepare(connection)
                *self._opened, _ = _identity(self.path)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Releases the file; the next use opens it again. Idempotent."""
        with self.translate_errors("close"):
            if self._connection is not None:
                connection, self._connection = self._connection, None
                connection.close()

    def refusal(self, error: sqlite3.Error, action: str) -> StoreError:
        """Maps an error of SQLite to ours, with a remedy in its message.

        Args:
            error: Error of SQLite.
            action: Action on the file, as in "cannot {action} feedback.db".
        """
        # An error for text that is not UTF-8 has no code.
        code = getattr(error, "sqlite_errorcode", min(_DAMAGED)) & 0xFF
        if code in _BUSY:
            return StoreBusyError(
                f"{self.path} is busy: another process has been writing to it for more than {PATIENCE:g} s. "
                "Try again when it is done; nothing was changed"
            )
        if code in _UNCLEAR:
            if not self._is_writable():
                code = min(_READ_ONLY)
            elif _room(self.path.parent) < _LEAST_ROOM:
                code = _FULL
        if code == _FULL:
            return StoreFullError(
                f"cannot {action} {self.path}: the disk is full ({error}). Make room on the disk and try again; "
                "nothing was changed"
            )
        if code in _READ_ONLY:
            return self._read_only(action, str(error))
        if code in _DAMAGED:
            what, self._damaged = self._damaged or str(error), ""
            return StoreDamagedError(
                f"{self.path} is damaged: {what}. See all of it with `bardo maintenance check`. Restore it from a "
                f"copy, or move it away: {self._loss}"
            )
        return StoreUnavailableError(
            f"cannot {action} {self.path}: {error}. Check the disk, and that the path is a file in a folder that is "
            "writable; nothing was changed"
        )

    def _read_only(self, action: str, cause: str) -> StoreReadOnlyError:
        return StoreReadOnlyError(
            f"cannot {action} {self.path}: {cause}. Make the file and its folder writable; reading works without"
        )

    def _is_writable(self) -> bool:
        # A missing path is reported as missing, not as read-only.
        return all(os.access(place, os.W_OK) or not place.exists() for place in (self.path.parent, self.path))

    def _open_to_read(self) -> sqlite3.Connection:
        """Opens a read-only connection to a file that cannot be written to.

        SQLite shares a write-ahead log through an index file (`-shm`). Where that is missing and cannot be made, the
        file is opened as immutable, which is safe only if there is no log.
        """
        log, index = (self.path.with_name(self.path.name + suffix) for suffix in ("-wal", "-shm"))
        alone = not index.exists()
        if alone and log.exists() and log.stat().st_size:
            raise self._read_only(
                "read", f"{log.name} beside it holds changes, and {index.name}, which tells them, is missing"
            )
        options = "mode=ro&immutable=1" if alone else "mode=ro"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{options}", timeout=PATIENCE, check_same_thread=False, uri=True
        )
        try:
            self._register(connection)
            found = _version(connection)
            if found > len(self._steps):
                raise self._too_new(found)
            if found < len(self._steps):
                cause = f"it has version {found}, of an earlier bardo, and would be brought up to {len(self._steps)}"
                raise self._read_only("read", cause)
        except BaseException:
            connection.close()
            raise
        return connection

    def _register(self, connection: sqlite3.Connection) -> None:
        """Registers the checksum functions; needed before any table is read."""

        def is_intact(table: str, stored: bytes | None, *row: Any) -> int:
            if stored == checksum(table, *row):
                return 1
            self._damaged = f"row {row[0]!r} of the table {table} does not match its checksum"
            raise ValueError(self._damaged)

        connection.create_function("row_checksum", -1, checksum, deterministic=True)
        connection.create_function("row_intact", -1, is_intact, deterministic=True)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Migrates the schema to the latest version in one transaction."""
        if _version(connection) == len(self._steps):
            return
        if 0 < _version(connection) < len(self._steps):
            self._copy_aside(connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            found = _version(connection)
            if found > len(self._steps):
                raise self._too_new(found)
            for step in self._steps[found:]:
                step(connection)
            _seal(connection)
            connection.execute(f"PRAGMA user_version = {len(self._steps)}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _copy_aside(self, connection: sqlite3.Connection) -> None:
        """Keeps a copy of a file of an earlier version before its migration."""
        copy = self.path.with_name(f"{self.path.name}.v{_version(connection)}")
        try:
            connection.execute("VACUUM INTO ?", (str(copy),))
        except sqlite3.OperationalError:
            # Another process has made the copy at the same time.
            if not copy.exists():
                raise

    def _too_new(self, found: int) -> StoreTooNewError:
        return StoreTooNewError(
            f"{self.path} has version {found}, and this bardo reads up to {len(self._steps)}. Update bardo"
        )


def checksum(*row: Any) -> bytes:
    """Returns eight bytes of BLAKE3 over the values of a row, each with its type and length."""
    parts: list[bytes] = []
    for value in row:
        part = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
        parts += (f"{type(value).__name__} {len(part)} ".encode(), part)
    return blake3.blake3(b"".join(parts)).digest(length=8)


def damage(path: Path) -> list[tuple[str, str, str]]:
    """Lists the damage in a SQLite file, as table, row, and finding.

    Also reads a file that cannot be opened as a store; nothing is changed.
    """
    found: list[tuple[str, str, str]] = []
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    with contextlib.closing(connection):
        # Text that is not valid UTF-8 any more is compared by its bytes.
        connection.text_factory = _as_text
        connection.create_function("row_checksum", -1, checksum, deterministic=True)
        connection.create_function("row_intact", -1, lambda *_: 1, deterministic=True)
        try:
            for table in _tables(connection):
                found += _damaged_rows(connection, table)
            told = connection.execute("PRAGMA integrity_check").fetchall()
            found += [("", "", what) for (what,) in told if what != "ok"]
        except sqlite3.Error as error:
            found.append(("", "", str(error)))
    return found


def _as_text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _damaged_rows(connection: sqlite3.Connection, table: str) -> list[tuple[str, str, str]]:
    columns = _columns(connection, table)
    known = {row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})")}
    if "checksum" not in known:
        return []
    rows = connection.execute(f"SELECT checksum, {', '.join(columns)} FROM {table} NOT INDEXED")
    return [
        (table, str(row[0]), "it does not match its checksum")
        for stored, *row in rows
        if stored != checksum(table, *row)
    ]


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
    return [name for (name,) in connection.execute(query)]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """Returns the columns of a table, without generated ones."""
    return [row[1] for row in connection.execute(f"PRAGMA table_xinfo({table})") if not row[6]]


def _seal(connection: sqlite3.Connection) -> None:
    """Gives every table two generated columns over all of its columns, inside the transaction of a migration.

    `checksum` is stored with every write of a row. `intact` compares it with the row: the value is 1, or the statement
    that reads it fails. A statement that changes a row has `intact` in its condition; otherwise it would write damage
    back under a matching checksum.
    """
    for table in _tables(connection):
        columns = ", ".join(_columns(connection, table))
        generated = (
            f"checksum BLOB GENERATED ALWAYS AS (row_checksum('{table}', {columns})) STORED, "
            f"intact GENERATED ALWAYS AS (row_intact('{table}', checksum, {columns})) VIRTUAL, "
        )
        query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        (sql,) = connection.execute(query, (table,)).fetchone()
        if generated in sql:
            continue
        body = sql.partition("(")[2]
        was_sealed = body.startswith("checksum BLOB GENERATED")
        body = body.partition("VIRTUAL, ")[2] if was_sealed else body
        indexes = connection.execute(
            "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type = 'index' AND sql IS NOT NULL",
            (table,),
        ).fetchall()
        counts = "AUTOINCREMENT" in body
        query = "SELECT seq FROM sqlite_sequence WHERE name = ?"
        last = connection.execute(query, (table,)).fetchall() if counts else []
        connection.execute(f"CREATE TABLE sealed_{table} ({generated}{body}")
        intact = "WHERE intact" if was_sealed else ""
        connection.execute(f"INSERT INTO sealed_{table} ({columns}) SELECT {columns} FROM {table} {intact}")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE sealed_{table} RENAME TO {table}")
        if last:
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, last[0][0]))
        for (index,) in indexes:
            connection.execute(index)


def unchanged(_connection: sqlite3.Connection) -> None:
    """Migration without a change of its own: `_seal` rewrites the tables after it."""


def statements(script: str) -> Step:
    """Makes a migration from its statements; no statement may hold a semicolon."""

    def run(connection: sqlite3.Connection) -> None:
        # `executescript` would end the transaction.
        for statement in script.split(";"):
            connection.execute(statement)

    return run


def _identity(path: Path) -> tuple[int, int, int]:
    """Device, inode and length of a file; zeros where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0, 0
    except OSError as error:
        raise unavailable("look at", path, error) from error
    return found.st_dev, found.st_ino, found.st_size


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _room(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return _LEAST_ROOM


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turns on the write-ahead log. Retries, since SQLite does not wait here for another process that does the same."""
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                raise
        time.sleep(_PAUSE)
