"""Vectors of texts seen lately, so that the same text does not run through the model twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import blake3

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
else:
    Vector = Any


#: Vectors kept by default; 2,048 of 384 dimensions take 3 MB.
CAPACITY = 2_048
_KEY_BYTES = 16


def key_of(text: str, role: str = "") -> bytes:
    """The key of a text under a role (`query`, `document`, or empty where the model makes no difference)."""
    return blake3.blake3(f"{role}\0{text}".encode()).digest(length=_KEY_BYTES)


class VectorCache:
    """A thread-safe LRU cache of vectors by the hash of their text; it never holds the text itself.

    Args:
        capacity: Vectors kept at most; 0 keeps none.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: bytes) -> Vector | None:
        """The vector under a key, or None; a read makes it the youngest."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is None:
                self.misses += 1
                return None
            self.hits += 1
            self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Vector) -> None:
        """Keeps a copy of a vector and evict the oldest ones over capacity."""
        kept = vector.copy()
        kept.setflags(write=False)
        with self._lock:
            self._vectors[key] = kept
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        """Forgets every vector: after a deletion, not even a hash of the text stays."""
        with self._lock:
            self._vectors.clear()
