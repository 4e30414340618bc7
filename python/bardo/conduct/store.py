"""`conduct.db`: state and rules in SQLite, opened by Python alone, by as many processes as like."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from bardo._core import FactStore
from bardo.arguments import holds_surrogate
from bardo.conduct import mark
from bardo.conduct.entries import Rule, StateEntry, StateKind
from bardo.conduct.mark import Mark
from bardo.errors import (
    BardoWarning,
    ConductLostError,
    InvalidInputError,
    NotFoundError,
    StoreDamagedError,
    StoreForeignError,
    StoreTooNewError,
    StoreUnavailableError,
)
from bardo.files import unavailable
from bardo.lazily import numpy as np
from bardo.ports import Vectors

Kept = TypeVar("Kept", StateEntry, Rule)

FILE_NAME = "conduct.db"
VERSION = 2
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
        facts: The agent's facts: they say whose folder it is, and whether the file is the one that was made.
    """

    def __init__(self, folder: Path, *, facts: FactStore) -> None:
        self.path = folder / FILE_NAME
        self._agent = facts.agent
        self._mark = Mark(self.path, facts)
        self._connection: sqlite3.Connection | None = None
        #: Which file the connection is to: device and number.
        self._opened: tuple[int, int] | None = None
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction for all that is read and written inside: other processes wait. May be nested."""
        with self._lock, self._told():
            if self._connection is not None and self._connection.in_transaction:
                yield self._connection
                return
            self._mark.require_file()
            connection = self._open()
            with _transaction(connection):
                self._mark.require_same(connection, writing=True)
                yield connection
            self._written(connection)

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
                _count(connection)
                return what
            marks = ", ".join("?" * (len(names) + 1))
            done = connection.execute(
                f"INSERT INTO {table} (agent, {', '.join(names)}) VALUES ({marks})", (self._agent, *values)
            )
            _count(connection)
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

    def forget(self, ids: Iterable[str]) -> list[str]:
        """Deletes entries and rules by id; returns the ids of those that were there.

        Raises:
            ConductLostError: The file is lost.
        """
        with self._lock, self._told():
            if not self._mark.require_file():
                return []
        named = set(ids)
        with self.writing() as connection:
            gone = _delete(connection, lambda id_, agent, _: id_ in named and agent == self._agent)
        self._empty_pages()
        return gone

    def erase(self, episodes: Iterable[str]) -> list[str]:
        """Deletes entries and rules, any agent's, that were taken from episodes; returns their ids.

        A file that gates refuse as lost is erased all the same. May be made twice: what a crash left in the write-ahead
        log goes then.
        """
        sources = set(episodes)
        with self._lock, self._told():
            connection = self._unchecked()
            if connection is None:
                return []
            with _transaction(connection):
                gone = _delete(connection, lambda _id, _agent, episode: bool(episode) and episode in sources)
            with contextlib.suppress(ConductLostError, StoreForeignError):  # gates say so
                self._written(connection)
        self._empty_pages()
        return gone

    def texts(self) -> list[str]:
        """Every text that is kept, of any agent and also in a file that gates refuse, to look for pieces of one."""
        with self._lock, self._told():
            connection = self._unchecked()
            if connection is None:
                return []
            state = connection.execute(f"SELECT number, {', '.join(_STATE)} FROM state").fetchall()
            rules = connection.execute(f"SELECT number, {', '.join(_RULES)} FROM rules").fetchall()
        every: list[StateEntry | Rule] = [
            *(StateEntry(*row) for row in state),
            *(Rule(*row) for row in rules),
        ]
        return [text for each in every for text in _texts(each) if text]

    def accept_loss(self, entry: Callable[[str], StateEntry]) -> StateEntry:
        """Takes the file that is there, or a new one if none is, for the agent's, with an entry that says so.

        Args:
            entry: Makes the entry of what is wrong with the file.

        Raises:
            InvalidInputError: Nothing is lost.
            StoreForeignError: The file is another agent's.
        """
        with self._lock, self._told():
            try:
                if self._mark.require_file():
                    self._mark.require_same(self._open())
            except ConductLostError as error:
                given = entry(error.what)
            else:
                raise InvalidInputError(f"nothing is lost: {self.path} is the file that was made")
            check(given)
            connection = self._open(anew=True)
            with _transaction(connection):
                kept = self.put(given)
            self._mark.accept(connection)
        return kept

    def close(self) -> None:
        """Gives the file free. Idempotent."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _read(self, query: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock, self._told():
            if self._connection is None or not self._connection.in_transaction:
                if not self._mark.require_file():
                    return []
                self._mark.require_same(self._open())
            return self._open().execute(query, given).fetchall()

    def _written(self, connection: sqlite3.Connection) -> None:
        """Counts what was committed, which must have reached the file that has the name."""
        if not self._is_current():
            self._mark.require_file()
            self._mark.require_same(self._open())
            raise StoreUnavailableError(
                f"{self.path} was replaced while it was written to, and the new file does not have what was written. "
                "Write it again"
            )
        self._mark.require_same(connection)

    def _empty_pages(self) -> None:
        """Rewrites the file: deleted rows would stay in free pages and in the write-ahead log."""
        with self._lock, self._told():
            self._open().execute("VACUUM")
            self._open().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _unchecked(self) -> sqlite3.Connection | None:
        """The connection to the file that is there, whatever the mark says of it; None if nothing is in it."""
        if self._has_content():
            with contextlib.suppress(ConductLostError):
                return self._open()
        return None

    def _has_content(self) -> bool:
        return self.path.exists() and bool(self.path.stat().st_size)

    def _is_current(self) -> bool:
        """Whether the connection is to the file that has the name."""
        return self._has_content() and _identity(self.path) == self._opened

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

    def _open(self, *, anew: bool = False) -> sqlite3.Connection:
        """The connection to the file that has the name.

        Args:
            anew: Whether a new file may take the place of one that was lost.
        """
        if self._connection is not None and not self._connection.in_transaction and not self._is_current():
            self.close()
        if self._connection is None:
            connection = sqlite3.connect(
                self.path, timeout=PATIENCE, check_same_thread=False, isolation_level=None
            )
            try:
                _write_ahead(connection)
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA secure_delete = ON")
                self._prepare(connection, anew=anew)
                self._opened = _identity(self.path)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection, *, anew: bool) -> None:
        if _version(connection) == VERSION:
            return
        with _transaction(connection):
            version = _version(connection)
            if version > VERSION:
                raise StoreTooNewError(
                    f"{self.path} has version {version}, and this bardo reads up to {VERSION}. Update bardo"
                )
            if version == 0:
                if not anew:
                    self._mark.require_none()
                for statement in _SCHEMA.split(";"):
                    connection.execute(statement)
            if version <= 1:
                mark.begin(connection, self._agent)
                self._take_over(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _take_over(self, connection: sqlite3.Connection) -> None:
        """Gives the agent what an earlier bardo kept under a name that is not the folder's, which no gate looks at."""
        others = connection.execute(
            "SELECT agent, COUNT(*) FROM (SELECT agent FROM state UNION ALL SELECT agent FROM rules) "
            "WHERE agent != ? GROUP BY agent",
            (self._agent,),
        ).fetchall()
        for table in ("state", "rules"):
            connection.execute(f"UPDATE {table} SET agent = ?", (self._agent,))
        connection.execute("DELETE FROM vectors WHERE agent != ?", (self._agent,))
        for agent, count in others:
            warnings.warn(
                f"{count} entries and rules in {self.path} were kept under the name {agent!r}, which is not the "
                f"folder's agent. They are {self._agent}'s from now on: look at them with `bardo gate show --all`",
                BardoWarning,
                stacklevel=2,
            )


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself where the disk is full, for one
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise unavailable("look at", path, error) from error
    return found.st_dev, found.st_ino


def _count(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE made SET writes = writes + 1")


def _delete(connection: sqlite3.Connection, wanted: Callable[[str, str, str], bool]) -> list[str]:
    """Deletes the rows that are wanted by id, agent and episode; returns their ids."""
    gone = []
    for table in ("state", "rules"):
        for number, agent, episode in connection.execute(
            f"SELECT number, agent, episode FROM {table}"
        ).fetchall():
            id_ = f"{table[0]}{number}"
            if wanted(id_, agent, episode):
                connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
                gone.append(id_)
    # They may be of texts that have changed since.
    connection.execute("DELETE FROM vectors")
    if gone:
        _count(connection)
    return gone


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
