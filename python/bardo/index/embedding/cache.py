"""LRU cache of the vectors of recent texts, so that the model does not run twice on the same text."""

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


#: Default capacity in vectors; 2,048 of 384 dimensions take 3 MB.
CAPACITY = 2_048
_KEY_BYTES = 16


def key_of(text: str, role: str = "") -> bytes:
    """Returns the key of a text in a role (`query`, `document`, or empty for a model without roles)."""
    return blake3.blake3(f"{role}\0{text}".encode()).digest(length=_KEY_BYTES)


class VectorCache:
    """Thread-safe LRU cache of vectors by the hash of their text; it never holds the text itself.

    Args:
        capacity: Maximum number of vectors; 0 stores none.
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
        """Returns the vector of a key, or None; a read makes it the most recent."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is None:
                self.misses += 1
                return None
            self.hits += 1
            self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: Vector) -> None:
        """Stores a copy of a vector, and evicts the oldest ones over capacity."""
        kept = vector.copy()
        kept.setflags(write=False)
        with self._lock:
            self._vectors[key] = kept
            self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        """Removes all vectors, so that after a deletion not even a hash of the text remains."""
        with self._lock:
            self._vectors.clear()
