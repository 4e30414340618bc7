"""`conduct.db`: state and rules in SQLite, opened by Python alone, by as many processes as like."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from bardo.arguments import holds_surrogate
from bardo.conduct.entries import Rule, StateEntry, StateKind
from bardo.errors import (
    InvalidInputError,
    NotFoundError,
    StoreDamagedError,
    StoreTooNewError,
    StoreUnavailableError,
)
from bardo.lazily import numpy as np
from bardo.ports import Vectors

Kept = TypeVar("Kept", StateEntry, Rule)

FILE_NAME = "conduct.db"
VERSION = 1
#: How long a write waits for another process, in seconds.
PATIENCE = 10.0
#: Between two tries to give a new file its write-ahead log, in seconds.
_PAUSE = 0.01
#: Vectors that are kept at most, but for one more call's: texts that are no longer compared leave theirs behind.
VECTORS = 4_096
#: Longest text of a field, in characters: these stand in prompts whole.
LONGEST = 2_000

_SCHEMA = """
    CREATE TABLE state (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, kind TEXT NOT NULL, summary TEXT NOT NULL,
        detail TEXT NOT NULL, domain TEXT NOT NULL, status TEXT NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL,
        at INTEGER NOT NULL, changed_at INTEGER NOT NULL, closed_by TEXT NOT NULL, closed_why TEXT NOT NULL
    );
    CREATE INDEX state_in_force ON state (agent, kind) WHERE status = 'active';
    CREATE TABLE rules (
        number INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, text TEXT NOT NULL, forbids TEXT NOT NULL,
        approval TEXT NOT NULL, score REAL NOT NULL, by TEXT NOT NULL, episode TEXT NOT NULL, at INTEGER NOT NULL,
        confirmed_at INTEGER NOT NULL, violations INTEGER NOT NULL, retired_by TEXT NOT NULL
    );
    CREATE TABLE vectors (
        agent TEXT NOT NULL, text TEXT NOT NULL, model TEXT NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (agent, text)
    ) WITHOUT ROWID;
"""
_STATE, _RULES = StateEntry.__slots__[1:], Rule.__slots__[1:]


class ConductStore:
    """State and rules of one agent; safe to share among threads and processes.

    Args:
        folder: Of the grimoire.
        agent: Whose; part of every key (law 14).
    """

    def __init__(self, folder: Path, *, agent: str) -> None:
        self.path = folder / FILE_NAME
        self._agent = agent
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction for all that is read and written inside: other processes wait. May be nested."""
        with self._lock, self._told():
            connection = self._open()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite ends it by itself where the disk is full, for one
                    connection.execute("ROLLBACK")
                raise

    def state(
        self,
        *,
        kind: StateKind | None = None,
        besides: StateKind | None = None,
        every: bool = False,
        limit: int = -1,
    ) -> list[StateEntry]:
        """Entries of one kind, of all but one, or of all, the latest first; in force alone unless `every` is wanted."""
        asked = {"agent = ?": self._agent, "kind = ?": kind, "kind != ?": besides}
        asked |= {} if every else {"status = ?": "active"}
        conditions = " AND ".join(condition for condition, value in asked.items() if value)
        rows = self._read(
            f"SELECT number, {', '.join(_STATE)} FROM state WHERE {conditions} "
            "ORDER BY changed_at DESC, number DESC LIMIT ?",
            (*filter(None, asked.values()), limit),
        )
        return [StateEntry(f"s{number}", *fields) for number, *fields in rows]

    def rules(self) -> list[Rule]:
        """Every rule, retired ones included, the highest stored score first."""
        query = f"SELECT number, {', '.join(_RULES)} FROM rules WHERE agent = ? ORDER BY score DESC, number"
        return [Rule(f"r{number}", *fields) for number, *fields in self._read(query, (self._agent,))]

    def get(self, id_: str) -> StateEntry | Rule:
        """An entry or a rule by its id.

        Raises:
            NotFoundError: There is none.
        """
        known: list[StateEntry | Rule] = [*self.state(every=True), *self.rules()]
        for found in known:
            if found.id == id_:
                return found
        raise NotFoundError(
            f"there is no entry or rule {id_!r} in {self.path.name}. List them with `bardo gate show`"
        )

    def put(self, what: Kept) -> Kept:
        """Keeps an entry or a rule: a new one if it has no id, else in the place of the one with that id.

        Raises:
            InvalidInputError: A text is empty or too long, or the kind is none.
            StoreUnavailableError: The file cannot be written.
        """
        check(what)
        table, names = ("state", _STATE) if isinstance(what, StateEntry) else ("rules", _RULES)
        values: tuple[Any, ...] = tuple(getattr(what, name) for name in names)
        with self.writing() as connection:
            if what.id:
                changes = ", ".join(f"{name} = ?" for name in names)
                connection.execute(
                    f"UPDATE {table} SET {changes} WHERE number = ? AND agent = ?",
                    (*values, int(what.id[1:]), self._agent),
                )
                return what
            marks = ", ".join("?" * (len(names) + 1))
            done = connection.execute(
                f"INSERT INTO {table} (agent, {', '.join(names)}) VALUES ({marks})", (self._agent, *values)
            )
            return type(what)(f"{table[0]}{done.lastrowid}", *values)

    def vectors(self, texts: Sequence[str], model: str) -> dict[str, Vectors]:
        """The vectors that a model gave these texts, as far as they are kept."""
        found: dict[str, Vectors] = {}
        wanted = set(texts)
        for text, vector in self._read(
            "SELECT text, vector FROM vectors WHERE agent = ? AND model = ?", (self._agent, model)
        ):
            if text in wanted:
                found[text] = np.frombuffer(vector, np.float32)
        return found

    def put_vectors(self, vectors: Mapping[str, Vectors], model: str) -> None:
        """Keeps vectors of texts; those of another model go, and all that are there where they are many."""
        rows = [(self._agent, text, model, vector.tobytes()) for text, vector in vectors.items()]
        with self.writing() as connection:
            query = "SELECT COUNT(*) FROM vectors WHERE agent = ?"
            many = connection.execute(query, (self._agent,)).fetchone()[0] > VECTORS
            stale = "" if many else "AND model != :model"
            connection.execute(
                f"DELETE FROM vectors WHERE agent = :agent {stale}", {"agent": self._agent, "model": model}
            )
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    def forget(self, *, ids: Iterable[str] = (), episodes: Iterable[str] = ()) -> list[str]:
        """Deletes entries and rules by id, and any agent's that were taken from episodes; returns their ids.

        May be made twice: what a crash left in the write-ahead log goes then.
        """
        if not self.path.exists():
            return []
        named, sources, gone = set(ids), set(episodes), []
        with self.writing() as connection:
            for table in ("state", "rules"):
                for number, agent, episode in connection.execute(
                    f"SELECT number, agent, episode FROM {table}"
                ).fetchall():
                    id_ = f"{table[0]}{number}"
                    if (id_ in named and agent == self._agent) or (episode and episode in sources):
                        connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
                        gone.append(id_)
            # They may be of texts that have changed since.
            connection.execute("DELETE FROM vectors")
        with self._lock, self._told():
            # Deleted rows would stay in free pages and in the write-ahead log.
            self._open().execute("VACUUM")
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def texts(self) -> list[str]:
        """Every text that is kept, of any agent, for whoever looks whether a piece of one is."""
        state = self._read(f"SELECT number, {', '.join(_STATE)} FROM state", ())
        rules = self._read(f"SELECT number, {', '.join(_RULES)} FROM rules", ())
        every: list[StateEntry | Rule] = [
            *(StateEntry(*row) for row in state),
            *(Rule(*row) for row in rules),
        ]
        return [text for each in every for text in _texts(each) if text]

    def close(self) -> None:
        """Gives the file free. Idempotent."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, query: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if not self.path.exists():
            return []
        with self._lock, self._told():
            return self._open().execute(query, given).fetchall()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turns what SQLite raises into errors that say what to do."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            # `SQLITE_ERROR` is a statement that does not fit the tables: they are not ours.
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise StoreUnavailableError(
                    f"cannot use {self.path}: {error}. Check that the disk has room and the folder is writable, "
                    "or try again when the other process is done"
                ) from error
            raise StoreDamagedError(
                f"{self.path} is damaged: {error}. Restore it from a copy, or move it away: what was decided and "
                "rejected is lost with it, nothing else"
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(
                self.path, timeout=PATIENCE, check_same_thread=False, isolation_level=None
            )
            try:
                _write_ahead(connection)
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if connection.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            return
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            connection.execute("ROLLBACK")
            raise StoreTooNewError(
                f"{self.path} has version {version}, and this bardo reads up to {VERSION}. Update bardo"
            )
        if version == 0:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Gives the file a write-ahead log. SQLite does not wait here for another process that is about the same."""
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > patience:
                raise
        time.sleep(_PAUSE)


def _texts(what: StateEntry | Rule) -> tuple[str, ...]:
    if isinstance(what, StateEntry):
        return what.summary, what.detail, what.domain, what.by, what.closed_by, what.closed_why
    return what.text, what.forbids, what.approval, what.by, what.retired_by


def check_kind(kind: str) -> None:
    """Refuses a kind of entry that there is not."""
    if kind not in get_args(StateKind):
        raise InvalidInputError(f"there is no kind {kind!r}. Use one of {', '.join(get_args(StateKind))}")


def check(what: StateEntry | Rule) -> None:
    """Refuses what cannot be kept.

    Raises:
        InvalidInputError: A text is empty or too long, or the kind is none.
    """
    texts = _texts(what)
    if not texts[0].strip():
        raise InvalidInputError("there is nothing to keep. Say it in a sentence")
    for text in texts:
        if len(text) > LONGEST:
            raise InvalidInputError(
                f"a text of {len(text)} characters is too long. Say it in {LONGEST} at most"
            )
        if holds_surrogate(text):
            raise InvalidInputError("a lone surrogate is no text. Decode it properly first")
    if isinstance(what, StateEntry):
        check_kind(what.kind)
