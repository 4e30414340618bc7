"""Stores state and rules in `conduct.db` (SQLite), opened from Python only, by any number of processes."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from bardo._core import FactStore
from bardo._database import Database, statements, unchanged
from bardo._patterns import lazy_pattern
from bardo.conduct.model.entries import Outcome, Rule, StateEntry, StateKind
from bardo.conduct.storage import mark, schema, words
from bardo.conduct.storage.changes import changed_rows
from bardo.conduct.storage.mark import Mark
from bardo.conduct.storage.rows import TABLES, Row, check, compared_texts, letter_of, table_of
from bardo.errors import (
    BardoWarning,
    ConductLostError,
    InvalidInputError,
    NotFoundError,
    StoreForeignError,
    StoreUnavailableError,
)
from bardo.ports import Vectors

Kept = TypeVar("Kept", bound=Row)

FILE_NAME = "conduct.db"
#: Number of stored vectors above which those of texts no longer compared are deleted.
VECTORS = 4_096
#: Tables whose rows are verified by their checksums before they are read.
_VERIFIED = ("made", *(table.name for table in TABLES.values()), "versions")


class ConductStore:
    """State and rules of one agent; safe to share among threads and processes.

    Args:
        folder: Folder of the grimoire.
        facts: Fact store of the agent, which names the owner of the folder and holds the mark of the file.
    """

    def __init__(self, folder: Path, *, facts: FactStore) -> None:
        self.path = folder / FILE_NAME
        self.agent = facts.agent
        self._mark = Mark(self.path, facts)
        #: Whether a new file may replace a lost one.
        self._anew = False
        self._database = Database(
            self.path,
            steps=(
                self._make,
                self._begin,
                statements(schema.VERSIONS),
                unchanged,
                statements(schema.OUTCOMES),
                statements(schema.CORRECTIONS),
                statements(schema.PROCEDURES),
                _rename_corrections,
                statements(schema.SNAPSHOT),
            ),
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
        asked = {"agent = ?": self.agent, "kind = ?": kind, "kind != ?": besides}
        asked |= {} if every else {"status = ?": "active"}
        conditions = " AND ".join(condition for condition, value in asked.items() if value)
        rows = self._read(
            f"SELECT number, {', '.join(TABLES['s'].columns)} FROM state WHERE {conditions} "
            "ORDER BY changed_at DESC, number DESC LIMIT ?",
            (*filter(None, asked.values()), limit),
        )
        return [StateEntry(f"s{number}", *fields) for number, *fields in rows]

    def count(self, kind: StateKind) -> int:
        """Returns the number of entries of a kind in force."""
        query = "SELECT COUNT(*) FROM state WHERE agent = ? AND kind = ? AND status = 'active'"
        return next((int(count) for (count,) in self._read(query, (self.agent, kind))), 0)

    def rules(self, *, every: bool = True) -> list[Rule]:
        """Lists rules, retired ones only with `every`, the highest stored score first."""
        found = self.rows(Rule, every=every)
        return sorted(found, key=lambda rule: (-rule.score, int(rule.id[1:])))

    def outcomes(self, *, limit: int = -1) -> list[Outcome]:
        """Lists outcomes of actions, the latest first."""
        rows = self._read(
            f"SELECT number, {', '.join(TABLES['o'].columns)} FROM outcomes WHERE agent = ? "
            "ORDER BY changed_at DESC, number DESC LIMIT ?",
            (self.agent, limit),
        )
        return [Outcome(f"o{number}", *fields) for number, *fields in rows]

    def rows(self, kind: type[Kept], *, every: bool = True) -> list[Kept]:
        """Lists the rows of a value type, the earliest first; only those in force unless `every`."""
        letter, table = next((letter, table) for letter, table in TABLES.items() if table.kind is kind)
        rows = self._read(
            f"SELECT number, {', '.join(table.columns)} FROM {table.name} WHERE agent = ? "
            f"AND {'1' if every else table.in_force} ORDER BY number",
            (self.agent,),
        )
        return [table.row(f"{letter}{number}", values) for number, *values in rows]  # type: ignore[misc] # of `kind`

    def changes(
        self, stamp: tuple[int, int] | None, seen: Mapping[str, bytes]
    ) -> tuple[tuple[int, int], list[tuple[bytes, Row]], list[str]]:
        """Returns the compared rows in force that differ from the seen ones, with checksums, and the ids of others.

        Args:
            stamp: Stamp of the seen rows; None if none were seen.
            seen: Checksums of the seen rows, by id.

        Returns:
            Stamp of the file, changed rows, and ids that are gone or no longer in force.
        """
        with self._database.translate_errors("read"):
            is_nested = self._database.in_transaction
            if not is_nested and not self._mark.require_file():
                return (0, 0), [], list(seen)
            with self._database.reading() as connection:
                # Without seen rows, every row is compared with its checksum once, not again by each query.
                self._database.verify(connection, *(("made",) if seen else _VERIFIED))
                if not is_nested:
                    self._mark.require_same(connection)
                found = connection.execute("SELECT id, writes FROM made").fetchone()
                if found == stamp:
                    return found, [], []
                return found, *changed_rows(connection, self.agent, seen)

    def snapshot(self, build: str) -> tuple[tuple[int, int], bytes] | None:
        """Returns the stored index by a build, with the stamp of its rows; None if there is none."""
        query = "SELECT file, writes, content FROM snapshot WHERE agent = ? AND build = ? AND intact"
        for file, writes, content in self._read(query, (self.agent, build), verified=("snapshot",)):
            return (file, writes), content
        return None

    def put_snapshot(self, build: str, stamp: tuple[int, int], content: bytes) -> None:
        """Stores the index of the rows with a stamp, unless the rows have changed since."""
        with self.writing() as connection:
            if connection.execute("SELECT id, writes FROM made WHERE intact").fetchone() == stamp:
                connection.execute(
                    "INSERT OR REPLACE INTO snapshot (agent, build, file, writes, content) VALUES (?, ?, ?, ?, ?)",
                    (self.agent, build, *stamp, content),
                )

    def stamp(self) -> tuple[int, int]:
        """Returns the id of the file and its number of writes, which every write changes; zeros without a file."""
        return next(iter(self._read("SELECT id, writes FROM made WHERE intact", ())), (0, 0))

    def get(self, id_: str) -> Row:
        """Returns an entry, a rule or an outcome by its id.

        Raises:
            NotFoundError: There is no such entry, rule or outcome.
        """
        if id_[:1] in TABLES and id_[1:].isdecimal():
            table = TABLES[id_[0]]
            query = f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE number = ? AND agent = ? AND intact"
            for fields in self._read(query, (int(id_[1:]), self.agent)):
                return table.row(id_, fields)
        raise NotFoundError(
            f"there is no entry, rule or outcome {id_!r} in {self.path.name}. List them with `bardo gate show`"
        )

    def put(self, what: Kept) -> Kept:
        """Stores an entry, a rule or an outcome: a new one if it has no id, else in the place of that with its id.

        Raises:
            InvalidInputError: A text is empty or too long, or the kind does not exist.
            StoreUnavailableError: The file cannot be written.
        """
        check(what)
        letter = letter_of(what)
        table = TABLES[letter]
        names, values = table.columns, table.values(what)
        with self.writing() as connection:
            if what.id:
                self._keep_version(connection, what)
                changes = ", ".join(f"{name} = ?" for name in names)
                connection.execute(
                    f"UPDATE {table.name} SET {changes} WHERE number = ? AND agent = ? AND intact",
                    (*values, int(what.id[1:]), self.agent),
                )
                _count(connection)
                return what
            marks = ", ".join("?" * (len(names) + 1))
            done = connection.execute(
                f"INSERT INTO {table.name} (agent, {', '.join(names)}) VALUES ({marks})",
                (self.agent, *values),
            )
            _count(connection)
            return replace(what, id=f"{letter}{done.lastrowid}")

    def versions(self, id_: str) -> list[Row]:
        """Lists the versions of an entry, a rule or an outcome, the earliest first, including the present one.

        Raises:
            NotFoundError: There is no such entry, rule or outcome.
        """
        now = self.get(id_)
        rows = self._read("SELECT fields FROM versions WHERE entry = ? ORDER BY number", (id_,))
        return [*(_earlier(id_, fields) for (fields,) in rows), now]

    def _keep_version(self, connection: sqlite3.Connection, what: Row) -> None:
        """Stores the present version of a row if one of its texts is about to change."""
        table = table_of(what)
        row = connection.execute(
            f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE number = ? AND agent = ? AND intact",
            (int(what.id[1:]), self.agent),
        ).fetchone()
        if row is None:
            return
        before = table.row(what.id, row)
        if any(
            old and old != new for old, new in zip(table.texts_of(before), table.texts_of(what), strict=True)
        ):
            fields = json.dumps(dict(zip(table.columns, row, strict=True)), ensure_ascii=False)
            connection.execute(
                "INSERT INTO versions (entry, episode, fields) VALUES (?, ?, ?)",
                (what.id, before.episode, fields),
            )

    def vectors(self, texts: Sequence[str], model: str) -> dict[str, Vectors]:
        """Returns the stored vectors of texts by a model."""
        import numpy as np

        found: dict[str, Vectors] = {}
        wanted = set(texts)
        for text, vector in self._read(
            "SELECT text, vector FROM vectors WHERE agent = ? AND model = ? AND intact", (self.agent, model)
        ):
            if text in wanted:
                found[text] = np.frombuffer(vector, np.float32)
        return found

    def put_vectors(self, vectors: Mapping[str, Vectors], model: str) -> None:
        """Stores vectors of texts; deletes those of another model, and above the limit those of texts that are gone."""
        rows = [(self.agent, text, model, vector.tobytes()) for text, vector in vectors.items()]
        with self.writing() as connection:
            query = "SELECT COUNT(*) FROM vectors WHERE agent = ?"
            many = connection.execute(query, (self.agent,)).fetchone()[0] > VECTORS
            stale = f"(model != :model OR text NOT IN ({compared_texts()}))" if many else "model != :model"
            connection.execute(
                f"DELETE FROM vectors WHERE agent = :agent AND {stale}",
                {"agent": self.agent, "model": model},
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
            gone = _delete(connection, lambda id_, agent, _: id_ in named and agent == self.agent)
        self._database.scrub()
        return gone

    def erase(
        self, episodes: Iterable[str], names: Sequence[str] = (), *, texts: Sequence[str] = ()
    ) -> list[str]:
        """Deletes rows, of any agent, that come from given episodes or have one of some names; returns their ids.

        Their words leave the other rows, too. A file that gates refuse as lost is processed like any. May be repeated,
        which also removes what a crash left in the write-ahead log.

        Args:
            episodes: Ids of the episodes.
            names: Names of persons.
            texts: Texts of the episodes.
        """
        sources = set(episodes)
        with self._database.translate_errors("write to"):
            if not self._database.has_content():
                return []
            try:
                with self._database.writing() as connection:
                    gone = _delete(
                        connection, lambda _id, _agent, episode: bool(episode) and episode in sources, names
                    )
                    if words.remove(connection, sources, texts):
                        _note_removal(connection)
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
        every: list[Row] = []
        try:
            for table in TABLES.values():
                rows = self._database.read(f"SELECT {', '.join(table.columns)} FROM {table.name}")
                every += [table.row("", row) for row in rows]
            versions = self._database.read("SELECT entry, fields FROM versions")
        except ConductLostError:
            return []
        every += [_earlier(entry, fields) for entry, fields in versions]
        return [text for each in every for text in table_of(each).texts_of(each) if text]

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

    def _read(
        self, query: str, given: tuple[Any, ...], *, verified: Sequence[str] = _VERIFIED
    ) -> list[tuple[Any, ...]]:
        with self._database.translate_errors("read"):
            if self._database.in_transaction:
                return self._database.read(query, given)
            if not self._mark.require_file():
                return []
            with self._database.reading() as connection:
                self._database.verify(connection, *verified)
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
        statements(schema.SCHEMA)(connection)

    def _begin(self, connection: sqlite3.Connection) -> None:
        mark.begin(connection, self.agent)
        self._take_over(connection)

    def _take_over(self, connection: sqlite3.Connection) -> None:
        """Assigns to the agent the rows of an earlier bardo under another name, which gates ignore."""
        others = connection.execute(
            "SELECT agent, COUNT(*) FROM (SELECT agent FROM state UNION ALL SELECT agent FROM rules) "
            "WHERE agent != ? GROUP BY agent",
            (self.agent,),
        ).fetchall()
        for table in ("state", "rules"):
            connection.execute(f"UPDATE {table} SET agent = ?", (self.agent,))
        connection.execute("DELETE FROM vectors WHERE agent != ?", (self.agent,))
        for agent, count in others:
            warnings.warn(
                f"{count} entries and rules in {self.path} were kept under the name {agent!r}, which is not the "
                f"folder's agent. They are {self.agent}'s from now on: look at them with `bardo gate show --all`",
                BardoWarning,
                stacklevel=2,
            )


def _rename_corrections(connection: sqlite3.Connection) -> None:
    """Names the corrections of a rejection as those of a rule."""
    connection.execute(schema.STATE_CORRECTIONS)
    is_sealed = any(row[1] == "intact" for row in connection.execute("PRAGMA table_xinfo(versions)"))
    connection.execute(f"{schema.EARLIER_CORRECTIONS} {'AND intact' if is_sealed else ''}")


def _count(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE made SET writes = writes + 1 WHERE intact")


def _delete(
    connection: sqlite3.Connection, wanted: Callable[[str, str, str], bool], names: Sequence[str] = ()
) -> list[str]:
    """Deletes the rows selected by id, agent and episode, and those whose texts have a name; returns their ids."""
    gone = []
    named = lazy_pattern(rf"(?i)(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)") if names else None
    for letter, table in TABLES.items():
        for number, agent, episode, *texts in connection.execute(
            f"SELECT number, agent, episode, {', '.join(table.texts)} FROM {table.name}"
        ).fetchall():
            id_ = f"{letter}{number}"
            is_named = named is not None and any(named.search(str(text)) for text in texts)
            if is_named or wanted(id_, agent, episode):
                connection.execute(f"DELETE FROM {table.name} WHERE number = ?", (number,))
                gone.append(id_)
    there = len(gone)
    for number, entry, episode, fields in connection.execute(
        "SELECT number, entry, episode, fields FROM versions"
    ).fetchall():
        told = json.dumps(json.loads(fields), ensure_ascii=False)
        is_named = named is not None and named.search(told) is not None
        if is_named or entry in gone or wanted(entry, "", episode):
            connection.execute("DELETE FROM versions WHERE number = ?", (number,))
            there += 1
    # Vectors can be of earlier texts of the deleted rows.
    connection.execute(f"DELETE FROM vectors WHERE text NOT IN ({compared_texts()})")
    if there:
        _note_removal(connection)
    return gone


def _note_removal(connection: sqlite3.Connection) -> None:
    """Deletes the snapshot, which may hold the removed words; the next gate makes it again."""
    connection.execute("DELETE FROM snapshot")
    _count(connection)


def _earlier(id_: str, stored: str) -> Row:
    """Makes a row of the stored fields of an earlier version."""
    return TABLES[id_[0]].earlier(id_, json.loads(stored))
