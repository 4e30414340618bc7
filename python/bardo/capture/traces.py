"""Search for traces of deleted texts and vectors in files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo import _core
from bardo.errors import StoreUnavailableError

#: Minimum length of a searched text, in characters: shorter ones also occur in other memories by chance. Their records
#: are searched by id alone.
SHORTEST_CHARACTERS = 12
#: Length of the searched pieces of a longer text (beginning, middle and end), in characters.
PIECE_CHARACTERS = 40
#: Length of the searched piece from the middle of a vector, in bytes.
VECTOR_BYTES = 32
#: Part of the names of SQLite files and of their write-ahead logs.
_SQLITE = ".db"
_CHILD = """
import json, sys
from bardo._core import traces
asked = json.load(sys.stdin)
print(json.dumps(traces(asked["path"], [bytes.fromhex(needle) for needle in asked["needles"]])))
"""


@dataclass(frozen=True, slots=True)
class Needles:
    """Byte strings to search for, with the pieces of text that they encode.

    Args:
        raw: Byte strings.
        pieces: Piece of text of each byte string; empty for a vector.
    """

    raw: tuple[bytes, ...]
    pieces: tuple[str, ...]


def texts_in(payload: Any) -> list[str]:
    """Lists every string in a JSON-like value, except names of fields."""
    if isinstance(payload, str):
        return [payload]
    if isinstance(payload, dict):
        return [text for value in payload.values() for text in texts_in(value)]
    if isinstance(payload, (list, tuple)):
        return [text for value in payload for text in texts_in(value)]
    return []


def needles(texts: Iterable[str], vectors: Sequence[bytes] = ()) -> Needles:
    """Makes the needles of texts, in UTF-8 and in JSON with and without escapes, and of vectors.

    Args:
        texts: Texts of deleted records.
        vectors: Deleted vectors in the log's form.
    """
    found: dict[bytes, str] = {}
    for text in texts:
        for piece in _pieces(text):
            plain = (piece, json.dumps(piece, ensure_ascii=False)[1:-1], json.dumps(piece)[1:-1])
            found |= {form.encode("utf-8", "replace"): piece for form in plain}
    for vector in vectors:
        start = max(len(vector) - VECTOR_BYTES, 0) // 2
        middle = vector[start : start + VECTOR_BYTES]
        # A piece of few distinct bytes also occurs by chance.
        if len(middle) == VECTOR_BYTES and len(set(middle)) > VECTOR_BYTES // 4:
            found[middle] = ""
    return Needles(tuple(found), tuple(found.values()))


def find(path: Path, wanted: Needles) -> tuple[list[int], int]:
    """Returns the positions of the needles that occur in a file, and the number of bytes read; none if it is gone."""
    if not wanted.raw or not path.is_file():
        return [], 0
    if _SQLITE in path.name:
        return _find_in_child(path, wanted)
    try:
        return _core.traces(str(path), wanted.raw)
    except StoreUnavailableError:
        # Another thread may have renamed the file meanwhile.
        if path.is_file():
            raise
        return [], 0


def _find_in_child(path: Path, wanted: Needles) -> tuple[list[int], int]:
    """Reads a SQLite file that this process may have open: closing a second handle would break its locks."""
    import subprocess

    question = json.dumps({"path": str(path), "needles": [needle.hex() for needle in wanted.raw]})
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD],
            input=question,
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise StoreUnavailableError(
            f"cannot read {path} in a process of its own: {error}. Forget again to look once more"
        ) from error
    places, size = json.loads(done.stdout)
    return places, size


def _pieces(text: str) -> list[str]:
    if len(text) < SHORTEST_CHARACTERS:
        return []
    if len(text) <= PIECE_CHARACTERS:
        return [text]
    middle = (len(text) - PIECE_CHARACTERS) // 2
    return [text[:PIECE_CHARACTERS], text[middle : middle + PIECE_CHARACTERS], text[-PIECE_CHARACTERS:]]
