"""Record of a source, which its reader has not parsed yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bardo.model import Episode


@dataclass(frozen=True, slots=True)
class Skipped:
    """Part of a record that is no memory, such as a tool's progress in a transcript.

    Args:
        kind: Its type, as the source names it.
    """

    kind: str


#: Part of a record: input of `remember`, or what is skipped.
Item = str | Episode | Mapping[str, Any] | Skipped


class UnreadableRecordError(ValueError):
    """A record is complete and cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """Part of a source: a line, a paragraph or a row.

    Args:
        raw: Content, by which the record is recognised in a source that was rewritten.
        end: Position behind it: bytes of a text file, rows of a Parquet file.
        number: Number of the record in the source, from 1.
        is_complete: Whether its writer has ended it; the last record of a text file may be in the making.
        parse: Function that returns its items; raises `UnreadableRecordError`.
    """

    raw: bytes
    end: int
    number: int
    is_complete: bool
    parse: Callable[[], list[Item]]


class Reader(Protocol):
    """Reader of the records of a file, from its beginning.

    Attributes:
        is_edited: Whether a person edits the file in any place, so that a change before the end is expected.
    """

    is_edited: bool

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields the records of a file."""
        ...
