"""Rows of an index by id, which a snapshot holds packed; each is made when it is read first."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from pathlib import Path

import blake3

from bardo import _core
from bardo.conduct.storage.rows import TABLES, Row, table_of


class PackedRows(MutableMapping[str, Row]):
    """Rows by id.

    Args:
        packed: Values of the columns of each row, packed by `pack`.
    """

    def __init__(self, packed: Mapping[str, bytes] | None = None) -> None:
        self._packed = dict(packed or {})
        self._made: dict[str, Row] = {}

    def __getitem__(self, id_: str) -> Row:
        if id_ not in self._made:
            self._made[id_] = TABLES[id_[0]].row(id_, marshal.loads(self._packed[id_]))
        return self._made[id_]

    def __setitem__(self, id_: str, row: Row) -> None:
        self._packed.pop(id_, None)
        self._made[id_] = row

    def __delitem__(self, id_: str) -> None:
        if self._packed.pop(id_, None) is None:
            del self._made[id_]
        else:
            self._made.pop(id_, None)

    def __iter__(self) -> Iterator[str]:
        yield from self._packed
        yield from (id_ for id_ in self._made if id_ not in self._packed)

    def __len__(self) -> int:
        return len(self._packed.keys() | self._made.keys())

    def pack(self) -> dict[str, bytes]:
        """Returns all rows packed."""
        made = {id_: row for id_, row in self._made.items() if id_ not in self._packed}
        return self._packed | {id_: marshal.dumps(table_of(row).values(row)) for id_, row in made.items()}


@cache
def build() -> str:
    """Returns the name of this build: of all that decides about the words and keys of a text."""
    folder = Path(__file__).parents[1]
    files = [Path(_core.__file__), *sorted(folder.glob("match/*.*")), *sorted(folder.glob("parse/*.*"))]
    states = [(file.name, state.st_size, state.st_mtime_ns) for file in files for state in (file.stat(),)]
    # Python's own version, as `marshal` may change with it.
    return blake3.blake3(repr((_core.__version__, sys.version, states)).encode()).hexdigest()
