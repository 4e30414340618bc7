"""Stores state and rules in `conduct.db` (SQLite), opened from Python only, by any number of processes."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

import numpy as np

from bardo._core import FactStore
from bardo._database import Database, statements, unchanged
from bardo._validation import holds_surrogate
from bardo.conduct import mark
from bardo.conduct.entries import Rule, StateEntry, StateKind
from bardo.conduct.mark import Mark
from bardo.errors import (
    BardoWarning,
    ConductLostError,
    InvalidInputError,
    NotFoundError,
    StoreForeignError,
    StoreUnavailableError,
)
from bardo.ports import Vectors

Kept = TypeVar("Kept", StateEntry, Rule)

FILE_NAME = "conduct.db"
#: Maximum number of stored vectors, plus one call's, since vectors of texts no longer compared accumulate.
VECTORS = 4_096
#: Maximum length of a text field in characters: these are put into prompts whole.
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
#: Table of earlier versions of entries and rules: their fields as JSON, and the episode of the change.
_VERSIONS = """
    CREATE TABLE versions (
        number INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL, episode TEXT NOT NULL, fields TEXT NOT NULL
    )
"""
_STATE, _RULES = StateEntry.__slots__[1:], Rule.__slots__[1:]


class ConductStore:
    """State and rules of one agent; safe to share among threads and processes.

    Args:
        folder: Folder of the grimoire.
        facts: Fact store of the agent, which names the owner of the folder and holds the mark of the file.
    """

    def __init__(self, folder: Path, *, facts: FactStore) -> None:
        self.path = folder / FILE_NAME
        self._agent = facts.agent
        self._mark = Mark(self.path, facts)
        #: Whether a new file may replace a lost one.
        self._anew = False
        self._database = Database(
            self.path,
            steps=(self._make, self._begin, statements(_VERSIONS), unchanged),
            loss="what was decided and rejected is lost with it, nothing else",
        )

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Runs reads and writes in one transaction, for which other processes wait. May be nested."""
        with self._database.translate_errors("write to"):
            is_nested = self._database.in_transaction
            if not is_nested:
                self._mark.require_file()
            with self._database.writing() as connection:
                if not is_nested:
                    self._mark.require_same(connection, writing=True)
                yield connection
            if not is_nested:
                self._written(connection)

    def require(self) -> None:
        """Refuses a file that does not match the mark in the fact store.

        Raises:
            ConductLostError: The file is lost, emptied, replaced or an older copy.
        """
        self._read("SELECT 1", ())

    def state(
        self,
        *,
        kind: StateKind | None = None,
        besides: StateKind | None = None,
        every: bool = False,
        limit: int = -1,
    ) -> list[StateEntry]:
        """Lists entries of one kind, all but one, or all, the latest first; only those in force unless `every`."""
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
        """Lists all rules, retired ones included, the highest stored score first."""
        query = f"SELECT number, {', '.join(_RULES)} FROM rules WHERE agent = ? ORDER BY score DESC, number"
        return [Rule(f"r{number}", *fields) for number, *fields in self._read(query, (self._agent,))]

    def get(self, id_: str) -> StateEntry | Rule:
        """Returns an entry or a rule by its id.

        Raises:
            NotFoundError: There is no such entry or rule.
        """
        known: list[StateEntry | Rule] = [*self.state(every=True), *self.rules()]
        for found in known:
            if found.id == id_:
                return found
        raise NotFoundError(
            f"there is no entry or rule {id_!r} in {self.path.name}. List them with `bardo gate show`"
        )

    def put(self, what: Kept) -> Kept:
        """Stores an entry or a rule: a new one if it has no id, else as replacement of the one with that id.

        Raises:
            InvalidInputError: A text is empty or too long, or the kind does not exist.
            StoreUnavailableError: The file cannot be written.
        """
        check(what)
        table, names = ("state", _STATE) if isinstance(what, StateEntry) else ("rules", _RULES)
        values: tuple[Any, ...] = tuple(getattr(what, name) for name in names)
        with self.writing() as connection:
            if what.id:
                self._keep_version(connection, what)
                changes = ", ".join(f"{name} = ?" for name in names)
                connection.execute(
                    f"UPDATE {table} SET {changes} WHERE number = ? AND agent = ? AND intact",
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

    def versions(self, id_: str) -> list[StateEntry | Rule]:
        """Lists the versions of an entry or a rule, the earliest first, including the present one.

        Raises:
            NotFoundError: There is no such entry or rule.
        """
        now = self.get(id_)
        rows = self._read("SELECT fields FROM versions WHERE entry = ? ORDER BY number", (id_,))
        return [*(type(now)(id_, **json.loads(fields)) for (fields,) in rows), now]

    def _keep_version(self, connection: sqlite3.Connection, what: StateEntry | Rule) -> None:
        """Stores the present version of an entry or a rule if one of its texts is about to change."""
        table, names = ("state", _STATE) if isinstance(what, StateEntry) else ("rules", _RULES)
        row = connection.execute(
            f"SELECT {', '.join(names)} FROM {table} WHERE number = ? AND agent = ? AND intact",
            (int(what.id[1:]), self._agent),
        ).fetchone()
        if row is None:
            return
        before = type(what)(what.id, *row)
        if any(old and old != new for old, new in zip(_texts(before), _texts(what), strict=True)):
            fields = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            connection.execute(
                "INSERT INTO versions (entry, episode, fields) VALUES (?, ?, ?)",
                (what.id, before.episode, fields),
            )

    def vectors(self, texts: Sequence[str], model: str) -> dict[str, Vectors]:
        """Returns the stored vectors of texts by a model."""
        found: dict[str, Vectors] = {}
        wanted = set(texts)
        for text, vector in self._read(
            "SELECT text, vector FROM vectors WHERE agent = ? AND model = ? AND intact", (self._agent, model)
        ):
            if text in wanted:
                found[text] = np.frombuffer(vector, np.float32)
        return found

    def put_vectors(self, vectors: Mapping[str, Vectors], model: str) -> None:
        """Stores vectors of texts; deletes those of another model, and all present ones above the limit."""
        rows = [(self._agent, text, model, vector.tobytes()) for text, vector in vectors.items()]
        with self.writing() as connection:
            query = "SELECT COUNT(*) FROM vectors WHERE agent = ?"
            many = connection.execute(query, (self._agent,)).fetchone()[0] > VECTORS
            stale = "" if many else "AND model != :model"
            connection.execute(
                f"DELETE FROM vectors WHERE agent = :agent {stale}", {"agent": self._agent, "model": model}
            )
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (agent, text, model, vector) VALUES (?, ?, ?, ?)", rows
            )

    def forget(self, ids: Iterable[str]) -> list[str]:
        """Deletes entries and rules by id; returns the deleted ids.

        Raises:
            ConductLostError: The file is lost.
        """
        if not self._mark.require_file():
            return []
        named = set(ids)
        with self.writing() as connection:
            gone = _delete(connection, lambda id_, agent, _: id_ in named and agent == self._agent)
        self._database.scrub()
        return gone

    def erase(self, episodes: Iterable[str]) -> list[str]:
        """Deletes entries and rules, of any agent, that come from given episodes; returns their ids.

        A file that gates refuse as lost is processed, too. May be repeated, which also removes what a crash left in
        the write-ahead log.
        """
        sources = set(episodes)
        with self._database.translate_errors("write to"):
            if not self._database.has_content():
                return []
            try:
                with self._database.writing() as connection:
                    gone = _delete(
                        connection, lambda _id, _agent, episode: bool(episode) and episode in sources
                    )
            except ConductLostError:
                return []
            with contextlib.suppress(ConductLostError, StoreForeignError):  # gates say so
                self._written(connection)
        self._database.scrub()
        return gone

    def texts(self) -> list[str]:
        """Returns all stored texts, of any agent and also in a file that gates refuse, to search them for fragments."""
        if not self._database.has_content():
            return []
        try:
            state = self._database.read(f"SELECT number, {', '.join(_STATE)} FROM state")
            rules = self._database.read(f"SELECT number, {', '.join(_RULES)} FROM rules")
            versions = self._database.read("SELECT entry, fields FROM versions")
        except ConductLostError:
            return []
        every: list[StateEntry | Rule] = [
            *(StateEntry(*row) for row in state),
            *(Rule(*row) for row in rules),
            *(
                (StateEntry if entry.startswith("s") else Rule)(entry, **json.loads(fields))
                for entry, fields in versions
            ),
        ]
        return [text for each in every for text in _texts(each) if text]

    def accept_loss(self, entry: Callable[[str], StateEntry]) -> StateEntry:
        """Accepts the existing file, or a new one if there is none, as the agent's, with an entry that records it.

        Args:
            entry: Makes the entry of what is wrong with the file.

        Raises:
            InvalidInputError: Nothing is lost.
            StoreForeignError: The file is another agent's.
        """
        with self._database.translate_errors("write to"):
            try:
                if self._mark.require_file():
                    with self._database.reading() as connection:
                        self._mark.require_same(connection)
            except ConductLostError as error:
                given = entry(error.what)
            else:
                raise InvalidInputError(f"nothing is lost: {self.path} is the file that was made")
            check(given)
            self._anew = True
            try:
                with self._database.writing() as connection:
                    kept = self.put(given)
            finally:
                self._anew = False
            self._mark.accept(connection)
        return kept

    def close(self) -> None:
        """Releases the file. Idempotent."""
        self._database.close()

    def _read(self, query: str, given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._database.translate_errors("read"):
            if self._database.in_transaction:
                return self._database.read(query, given)
            if not self._mark.require_file():
                return []
            with self._database.reading() as connection:
                self._database.verify(connection, "made", "state", "rules", "versions")
                self._mark.require_same(connection)
                return connection.execute(query, given).fetchall()

    def _written(self, connection: sqlite3.Connection) -> None:
        """Counts what was committed, which must have reached the file that has the name."""
        if not self._database.is_current():
            self._mark.require_file()
            with self._database.reading() as other:
                self._mark.require_same(other)
            raise StoreUnavailableError(
                f"{self.path} was replaced while it was written to, and the new file does not have what was written. "
                "Write it again"
            )
        self._mark.require_same(connection)

    def _make(self, connection: sqlite3.Connection) -> None:
        if not self._anew:
            self._mark.require_none()
        statements(_SCHEMA)(connection)

    def _begin(self, connection: sqlite3.Connection) -> None:
        mark.begin(connection, self._agent)
        self._take_over(connection)

    def _take_over(self, connection: sqlite3.Connection) -> None:
        """Assigns to the agent the rows of an earlier bardo under another name, which gates ignore."""
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


def _count(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE made SET writes = writes + 1 WHERE intact")


def _delete(connection: sqlite3.Connection, wanted: Callable[[str, str, str], bool]) -> list[str]:
    """Deletes the rows selected by id, agent and episode; returns their ids."""
    gone = []
    for table in ("state", "rules"):
        for number, agent, episode in connection.execute(
            f"SELECT number, agent, episode FROM {table}"
        ).fetchall():
            id_ = f"{table[0]}{number}"
            if wanted(id_, agent, episode):
                connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
                gone.append(id_)
    there = len(gone)
    for number, entry, episode in connection.execute(
        "SELECT number, entry, episode FROM versions"
    ).fetchall():
        if entry in gone or wanted(entry, "", episode):
            connection.execute("DELETE FROM versions WHERE number = ?", (number,))
            there += 1
    # Vectors can be of earlier texts of the deleted rows.
    connection.execute("DELETE FROM vectors")
    if there:
        _count(connection)
    return gone


def _texts(what: StateEntry | Rule) -> tuple[str, ...]:
    if isinstance(what, StateEntry):
        return what.summary, what.detail, what.domain, what.by, what.closed_by, what.closed_why
    return what.text, what.forbids, what.approval, what.by, what.retired_by


def check_kind(kind: str) -> None:
    """Refuses a kind of entry that does not exist."""
    if kind not in get_args(StateKind):
        raise InvalidInputError(f"there is no kind {kind!r}. Use one of {', '.join(get_args(StateKind))}")


def check(what: StateEntry | Rule) -> None:
    """Refuses an entry or a rule that is not valid.

    Raises:
        InvalidInputError: A text is empty or too long, or the kind does not exist.
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
