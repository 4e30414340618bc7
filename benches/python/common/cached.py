"""An embedder that remembers its vectors on disk, so that a second run measures retrieval and not the model."""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bardo.model import Fingerprint
from bardo.ports import LateEmbedder, Tokens, Vectors

#: Texts embedded between two commits of the cache.
CHUNK = 512


class CachedEmbedder:
    """Wraps an embedder with a SQLite file of vectors by text.

    Args:
        embedder: The model.
        path: The cache file; one per model.
    """

    def __init__(self, embedder: LateEmbedder, path: Path) -> None:
        self._embedder = embedder
        path.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path, check_same_thread=False)
        self._database.execute(
            "create table if not exists vectors (key blob primary key, vector blob) without rowid"
        )

    @property
    def fingerprint(self) -> Fingerprint:
        return self._embedder.fingerprint

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self._through(texts, b"d", self._embedder.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._through(texts, b"q", self._embedder.embed_queries)

    @property
    def gives_tokens(self) -> bool:
        return self._embedder.gives_tokens

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        return self._embedder.passages(text, beside=beside)

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        return self._late(texts, b"D", self._embedder.embed_late_documents)

    def embed_late_queries(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        return self._late(texts, b"Q", self._embedder.embed_late_queries)

    def _late(
        self,
        texts: Sequence[str],
        kind: bytes,
        embed: Callable[[Sequence[str]], tuple[Vectors, list[Tokens]]],
    ) -> tuple[Vectors, list[Tokens]]:
        name = self.fingerprint.version.encode()
        keys = [hashlib.blake2b(name + kind + text.encode(), digest_size=16).digest() for text in texts]
        found: dict[bytes, tuple[npt.NDArray[np.float32], Tokens]] = {}
        for key in keys:
            row = self._database.execute("select vector from vectors where key = ?", (key,)).fetchone()
            if row:
                words, counts, vector, tokens = pickle.loads(zlib.decompress(row[0]))
                found[key] = vector, Tokens(words, counts, tokens.astype(np.float32))
        missing = sorted(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items(),
            key=lambda item: len(item[1]),
        )
        for start in range(0, len(missing), CHUNK):
            part = missing[start : start + CHUNK]
            vectors, tokens = embed([text for _, text in part])
            with self._database:
                for (key, _), vector, own in zip(part, vectors, tokens, strict=True):
                    found[key] = vector, own
                    value = (list(own.words), list(own.counts), vector, own.vectors.astype(np.float16))
                    self._database.execute(
                        "insert or replace into vectors values (?, ?)",
                        (key, zlib.compress(pickle.dumps(value), 1)),
                    )
            if len(missing) > CHUNK:
                print(f"\r  embedded {start + len(part)} of {len(missing)}", end="", file=sys.stderr)
        vectors = (
            np.stack([found[key][0] for key in keys])
            if texts
            else np.empty((0, self.fingerprint.dims), np.float32)
        )
        return vectors, [found[key][1] for key in keys]

    def _through(
        self, texts: Sequence[str], kind: bytes, embed: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        name = self.fingerprint.version.encode()
        keys = [hashlib.blake2b(name + kind + text.encode(), digest_size=16).digest() for text in texts]
        found: dict[bytes, bytes] = {}
        for key in keys:
            row = self._database.execute("select vector from vectors where key = ?", (key,)).fetchone()
            if row:
                found[key] = row[0]
        missing = sorted(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items(),
            key=lambda item: len(item[1]),
        )
        for start in range(0, len(missing), CHUNK):
            part = missing[start : start + CHUNK]
            vectors = embed([text for _, text in part])
            rows = [
                (key, vector.astype(np.float32).tobytes())
                for (key, _), vector in zip(part, vectors, strict=True)
            ]
            with self._database:
                self._database.executemany("insert or replace into vectors values (?, ?)", rows)
            found.update(rows)
            if len(missing) > CHUNK:
                print(f"\r  embedded {start + len(part)} of {len(missing)}", end="", file=sys.stderr)
        if not texts:
            return np.empty((0, self.fingerprint.dims), np.float32)
        return np.stack([np.frombuffer(found[key], np.float32) for key in keys])
