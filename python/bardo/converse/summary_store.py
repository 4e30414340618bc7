"""Store of summaries (`summaries.db`): messages that wait for one, summaries of several levels, and their inputs.

A summary rests on its inputs, which are messages or summaries of lower levels; one summary may be an input of several.
The file is derived from the log: without it, the Curator makes all summaries again.
"""

from __future__ import annotations

import builtins
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from bardo._database import Database, statements
from bardo._printed import printed
from bardo.model import Fingerprint
from bardo.ports import Vectors

FILE_NAME = "summaries.db"
#: Level of a summary: a range of messages, or all of a thread in a day, an ISO week or a month (UTC).
Level = Literal["messages", "day", "week", "month"]
#: Maker of a text: a language model, sentences of the inputs, or the text of the only input.
Maker = Literal["model", "sentences", "copy"]
#: Levels, lowest first.
LEVELS: tuple[Level, ...] = ("messages", "day", "week", "month")
#: Number of summaries that a search compares: the latest.
SEARCHED = 2_048
#: Number of values in one statement.
_VALUES = 500

_SCHEMA = """
    CREATE TABLE waiting (
        id TEXT PRIMARY KEY, thread TEXT NOT NULL, mode TEXT NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL
    );
    CREATE INDEX waiting_by_thread ON waiting (thread, mode, at, seq);
    CREATE TABLE summaries (
        id TEXT PRIMARY KEY, level TEXT NOT NULL, thread TEXT NOT NULL, mode TEXT NOT NULL, period TEXT NOT NULL,
        text TEXT NOT NULL, made_by TEXT NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, messages INTEGER NOT NULL,
        first_tick INTEGER NOT NULL, last_tick INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
        made_at INTEGER NOT NULL, due INTEGER NOT NULL, model TEXT NOT NULL, vector BLOB
    );
    CREATE INDEX summaries_by_time ON summaries (last_at);
    CREATE TABLE inputs (
        summary TEXT NOT NULL, input TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (summary, input)
    );
    CREATE INDEX inputs_by_input ON inputs (input)
"""
_COLUMNS = (
    "id", "level", "thread", "mode", "period", "text", "made_by", "first", "last", "messages", "first_tick",
    "last_tick", "first_at", "last_at", "made_at",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM summaries WHERE intact"
#: Summaries that rest on these inputs, directly or through others.
_ABOVE = """
    WITH RECURSIVE above(id) AS (
        SELECT summary FROM inputs WHERE intact AND input IN ({})
        UNION SELECT inputs.summary FROM inputs JOIN above ON inputs.input = above.id WHERE inputs.intact
    ) SELECT id FROM above
"""


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of a range of messages, in one thread and mode.

    Args:
        id: Id of the summary.
        level: `messages`, `day`, `week` or `month`.
        thread: Thread of the messages; None for those without one.
        mode: Mode of the messages; None for those without one.
        period: Day (`2026-03-14`), ISO week (`2026-W11`) or month (`2026-03`), in UTC; of a range of messages, the day
            of the last one.
        text: Sentences, one per line; empty if the messages state nothing.
        made_by: `model` (a language model), `sentences` (sentences of the inputs, verbatim), or `copy` (text of its
            only input).
        first: Id of the first message.
        last: Id of the last message.
        messages: Number of messages.
        first_tick: Tick of the first message.
        last_tick: Tick of the last message.
        first_at: Time of the first message, microseconds UTC.
        last_at: Time of the last message, microseconds UTC.
        made_at: Time at which it was made, microseconds UTC.
        inputs: Ids of the messages, or of the summaries of lower levels, oldest first.
    """

    id: str
    level: Level
    thread: str | None
    mode: str | None
    period: str
    text: str
    made_by: Maker
    first: str
    last: str
    messages: int
    first_tick: int
    last_tick: int
    first_at: int
    last_at: int
    made_at: int
    inputs: tuple[str, ...] = ()

    __str__ = printed

    # Fields of a memory of a prompt. It is no fact, so that no outcome changes a confidence by it.

    @property
    def layer(self) -> str:
        """`summary`."""
        return "summary"

    @property
    def tick(self) -> int:
        """Tick of the last message."""
        return self.last_tick

    @property
    def at(self) -> int:
        """Time of the last message, microseconds UTC."""
        return self.last_at

    @property
    def source(self) -> str:
        """Source in a prompt."""
        return f"summary of {self.messages} messages"

    @property
    def confidence(self) -> None:
        """None: a summary has no confidence."""
        return

    @property
    def inherited(self) -> bool:
        """False: summaries are not inherited."""
        return False

    @property
    def record(self) -> None:
        """None: there is no single record."""
        return


class WaitingMessage(NamedTuple):
    """Message in no summary yet."""

    id: str
    thread: str
    mode: str
    at: int
    seq: int


class _Latest(NamedTuple):
    """Latest summaries in memory, and the state of the file that they were read from."""

    key: tuple[int, int]
    summaries: list[Summary]
    vectors: dict[str, tuple[str, Vectors]]


class SummaryStore:
    """Summaries of one agent; safe to share among threads and processes.

    Args:
        folder: Folder of the memory.
    """

    def __init__(self, folder: Path) -> None:
        self._database = Database(
            folder / FILE_NAME,
            steps=(statements(_SCHEMA),),
            loss="the next pass of the Curator makes all summaries again from the log",
        )
        self._latest = _Latest((-1, -1), [], {})

    def exists(self) -> bool:
        """Whether there is a file; it is made with the first message of a conversation."""
        return self._database.has_content()

    def wait(self, messages: Iterable[WaitingMessage]) -> None:
        """Adds messages that need a summary; those that have one, or wait already, are left out."""
        rows = [(*each, each.id) for each in messages]
        if rows:
            with self._database.writing() as connection:
                connection.executemany(
                    "INSERT OR IGNORE INTO waiting (id, thread, mode, at, seq) SELECT ?, ?, ?, ?, ? "
                    "WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE input = ?)",
                    rows,
                )

    def waiting(self, least: int) -> Iterator[builtins.list[WaitingMessage]]:
        """Yields the waiting messages of each thread and mode with at least so many, oldest first."""
        groups = self._database.read(
            "SELECT thread, mode FROM waiting WHERE intact GROUP BY thread, mode HAVING count(*) >= ? "
            "ORDER BY thread, mode",
            (least,),
        )
        for group in groups:
            rows = self._database.read(
                "SELECT id, thread, mode, at, seq FROM waiting WHERE intact AND thread = ? AND mode = ? "
                "ORDER BY at, seq",
                group,
            )
            yield [WaitingMessage(*row) for row in rows]

    def put(self, summary: Summary) -> bool:
        """Stores a summary, or replaces the one with its id; its messages no longer wait.

        Returns:
            Whether it was stored: not if an input was deleted in the meantime.
        """
        row = [getattr(summary, name) for name in _COLUMNS]
        row[2:4] = summary.thread or "", summary.mode or ""
        with self._database.writing() as connection:
            held = sum(
                connection.execute(
                    f"SELECT (SELECT count(*) FROM waiting WHERE intact AND id IN ({marks})) + (SELECT count(*) "
                    f"FROM summaries WHERE intact AND NOT due AND id IN ({marks})) + (SELECT count(*) FROM inputs "
                    f"WHERE intact AND summary = ? AND input IN ({marks}) AND input NOT IN (SELECT id FROM summaries))",
                    (*part, *part, summary.id, *part),
                ).fetchone()[0]
                for part, marks in _parts(summary.inputs)
            )
            if held < len(summary.inputs):
                return False
            connection.execute("DELETE FROM inputs WHERE summary = ?", (summary.id,))
            places = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT OR REPLACE INTO summaries ({', '.join(_COLUMNS)}, due, model) VALUES ({places}, 0, '')",
                row,
            )
            connection.executemany(
                "INSERT INTO inputs (summary, input, place) VALUES (?, ?, ?)",
                [(summary.id, input_, place) for place, input_ in enumerate(summary.inputs)],
            )
            connection.executemany("DELETE FROM waiting WHERE id = ?", [(each,) for each in summary.inputs])
        return True

    def list(
        self,
        *,
        level: str | None = None,
        thread: str | None = None,
        limit: int = SEARCHED,
    ) -> builtins.list[Summary]:
        """Returns summaries, the latest first; those that wait to be made again are left out.

        Args:
            level: Level of the summaries.
            thread: Thread of the summaries.
            limit: Maximum number of summaries.
        """
        return self._read(
            f"{_SELECT} AND NOT due AND (?1 IS NULL OR level = ?1) AND (?2 IS NULL OR thread = ?2) "
            "ORDER BY last_at DESC, id LIMIT ?3",
            (level, thread, limit),
        )

    def latest(self) -> tuple[builtins.list[Summary], dict[str, tuple[str, Vectors]]]:
        """Returns the latest summaries with a text, without their inputs, and their vectors with the model's name.

        They are read again after a change by any connection.
        """
        if not self.exists():
            return [], {}
        with self._database.reading() as connection:
            (others,) = connection.execute("PRAGMA data_version").fetchone()
            key = (others, connection.total_changes)
            if self._latest.key != key:
                rows = connection.execute(
                    f"SELECT {', '.join(_COLUMNS)}, model, vector FROM summaries WHERE intact AND NOT due "
                    f"AND text != '' ORDER BY last_at DESC, id LIMIT {SEARCHED}"
                ).fetchall()
                vectors = {
                    row[0]: (row[-2], np.frombuffer(row[-1], np.float16).astype(np.float32))
                    for row in rows
                    if row[-1] is not None
                }
                self._latest = _Latest(key, [_summary(row[:-2], ()) for row in rows], vectors)
        return self._latest.summaries, self._latest.vectors

    def get(self, ids: Sequence[str]) -> builtins.list[Summary | None]:
        """Returns summaries by their ids; None for one that does not exist or waits to be made again."""
        found = {
            each.id: each
            for part, marks in _parts(ids)
            for each in self._read(f"{_SELECT} AND NOT due AND id IN ({marks})", part)
        }
        return [found.get(id_) for id_ in ids]

    def due(self) -> builtins.list[Summary]:
        """Returns the summaries to make again since an input was deleted, lowest level first; they have no text."""
        found = self._read(f"{_SELECT} AND due ORDER BY id", ())
        return sorted(found, key=lambda each: LEVELS.index(each.level))

    def drop(self, episodes: Iterable[str]) -> None:
        """Drops waiting messages that are no longer in the log."""
        with self._database.writing() as connection:
            connection.executemany("DELETE FROM waiting WHERE id = ?", [(each,) for each in episodes])

    def without_vectors(self, model: Fingerprint | None) -> builtins.list[Summary]:
        """Returns the latest summaries with a text and no vector, or one of another model."""
        name = "" if model is None else model.key
        return self._read(
            # The checksums of rows last: only of those that lack a vector.
            f"SELECT {', '.join(_COLUMNS)} FROM summaries WHERE NOT due AND text != '' AND (model = '' OR "
            "(?1 != '' AND model != ?1)) AND intact ORDER BY last_at DESC LIMIT ?2",
            (name, SEARCHED),
        )

    def put_vectors(self, summaries: Sequence[Summary], vectors: Vectors, model: Fingerprint) -> None:
        """Stores the vectors of summaries in half precision.

        Args:
            summaries: Summaries, as they were embedded.
            vectors: Shape (len(summaries), dims).
            model: Model of the vectors.
        """
        rows = [
            (model.key, np.asarray(vector, np.float16).tobytes(), each.id, each.text)
            for each, vector in zip(summaries, vectors, strict=True)
        ]
        with self._database.writing() as connection:
            connection.executemany(
                "UPDATE summaries SET model = ?, vector = ? WHERE id = ? AND text = ? AND intact", rows
            )

    def erase(self, episodes: Iterable[str]) -> builtins.list[str]:
        """Deletes the text and vector of every summary that rests on these messages, and the messages from all.

        A summary with other inputs is due to be made again from them. May be repeated, which also removes what a crash
        left in the write-ahead log.

        Returns:
            Ids of these summaries.
        """
        gone = list(episodes)
        if not self.exists():
            return []
        with self._database.writing() as connection:
            above = _resting_on(connection, gone)
            for part, marks in _parts(gone):
                connection.execute(f"DELETE FROM waiting WHERE id IN ({marks})", part)
                connection.execute(f"DELETE FROM inputs WHERE input IN ({marks})", part)
            connection.executemany(
                "UPDATE summaries SET text = '', vector = NULL, model = '', first = '', last = '', due = 1 "
                "WHERE id = ? AND intact",
                [(each,) for each in above],
            )
            while connection.execute(
                "DELETE FROM summaries WHERE due AND id NOT IN (SELECT summary FROM inputs)"
            ).rowcount:
                connection.execute(
                    "DELETE FROM inputs WHERE input NOT IN (SELECT id FROM summaries) AND summary IN "
                    "(SELECT id FROM summaries WHERE level != 'messages')"
                )
        self._database.scrub()
        return above

    def texts(self) -> builtins.list[str]:
        """Returns the texts of all summaries."""
        return [
            text for (text,) in self._database.read("SELECT text FROM summaries WHERE intact AND text != ''")
        ]

    def resting_on(self, episodes: Sequence[str]) -> builtins.list[str]:
        """Returns the ids of the summaries that rest on these messages."""
        if not self.exists():
            return []
        with self._database.reading() as connection:
            return _resting_on(connection, episodes)

    def counts(self) -> dict[str, int]:
        """Returns the number of waiting messages, and of summaries by level."""
        levels = self._database.read("SELECT level, count(*) FROM summaries GROUP BY level")
        waiting = self._database.read("SELECT count(*) FROM waiting")
        return {"waiting": sum(count for (count,) in waiting), **dict.fromkeys(LEVELS, 0), **dict(levels)}

    def close(self) -> None:
        """Releases the file, which is reopened on demand."""
        self._database.close()

    def _read(self, query: str, given: Sequence[Any]) -> builtins.list[Summary]:
        rows = self._database.read(query, given)
        inputs: dict[str, builtins.list[str]] = {row[0]: [] for row in rows}
        for part, marks in _parts(list(inputs)):
            for summary, input_ in self._database.read(
                f"SELECT summary, input FROM inputs WHERE intact AND summary IN ({marks}) ORDER BY place",
                part,
            ):
                inputs[summary].append(input_)
        return [_summary(row, inputs[row[0]]) for row in rows]


def _summary(row: Sequence[Any], inputs: Sequence[str]) -> Summary:
    fields: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
    fields |= {"thread": fields["thread"] or None, "mode": fields["mode"] or None, "inputs": tuple(inputs)}
    return Summary(**fields)


def _resting_on(connection: sqlite3.Connection, ids: Sequence[str]) -> list[str]:
    found: dict[str, None] = {}
    for part, marks in _parts(ids):
        found |= dict.fromkeys(id_ for (id_,) in connection.execute(_ABOVE.format(marks), part))
    return list(found)


def _parts(values: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """Yields parts of a list that fit into a statement, each with its placeholders."""
    for start in range(0, len(values), _VALUES):
        part = values[start : start + _VALUES]
        yield part, ", ".join("?" * len(part))
