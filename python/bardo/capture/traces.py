"""Search for traces of deleted texts: the bytes to look for, and the search."""

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

#: Shorter texts are no proof: other memories hold the same few letters by chance. They are looked for by id alone.
SHORTEST_CHARACTERS = 12
#: Characters of each piece of a longer text that is looked for: its beginning, its middle and its end.
PIECE_CHARACTERS = 40
#: Bytes of a vector that are looked for, from its middle.
VECTOR_BYTES = 32
#: In the names of SQLite files of other stages, and of their write-ahead logs.
_SQLITE = ".db"
_CHILD = """
import json, sys
from bardo._core import traces
asked = json.load(sys.stdin)
print(json.dumps(traces(asked["path"], [bytes.fromhex(needle) for needle in asked["needles"]])))
"""


@dataclass(frozen=True, slots=True)
class Needles:
    """Bytes to look for, and the piece of text that each stands for; empty for a vector.

    Args:
        raw: The bytes.
        pieces: As many.
    """

    raw: tuple[bytes, ...]
    pieces: tuple[str, ...]


def texts_in(payload: Any) -> list[str]:
    """Every string in a JSON-like value, names of fields excepted."""
    if isinstance(payload, str):
        return [payload]
    if isinstance(payload, dict):
        return [text for value in payload.values() for text in texts_in(value)]
    if isinstance(payload, (list, tuple)):
        return [text for value in payload for text in texts_in(value)]
    return []


def needles(texts: Iterable[str], vectors: Sequence[bytes] = ()) -> Needles:
    """The bytes that texts leave in a file, in UTF-8 and in both ways of writing JSON, and those of vectors.

    Args:
        texts: Of what is deleted.
        vectors: As the log stores them.
    """
    found: dict[bytes, str] = {}
    for text in texts:
        for piece in _pieces(text):
            plain = (piece, json.dumps(piece, ensure_ascii=False)[1:-1], json.dumps(piece)[1:-1])
            found |= {form.encode("utf-8", "replace"): piece for form in plain}
    for vector in vectors:
        start = max(len(vector) - VECTOR_BYTES, 0) // 2
        middle = vector[start : start + VECTOR_BYTES]
        # A run of one byte is no proof either.
        if len(middle) == VECTOR_BYTES and len(set(middle)) > VECTOR_BYTES // 4:
            found[middle] = ""
    return Needles(tuple(found), tuple(found.values()))


def find(path: Path, wanted: Needles) -> tuple[list[int], int]:
    """Which needles occur in a file, by their place, and how many bytes were read; nothing for a file that is gone."""
    if not wanted.raw or not path.is_file():
        return [], 0
    if _SQLITE in path.name:
        return _find_in_child(path, wanted)
    try:
        return _core.traces(str(path), wanted.raw)
    except StoreUnavailableError:
        # Another thread may have given it another name meanwhile.
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
