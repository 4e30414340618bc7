"""A reading of the gate beside a memory, which is made again once the gate has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from bardo._core import FactStore

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore

Value = TypeVar("Value")


class GateReading(Generic[Value]):
    """A value that is read from the gate; reading thousands of entries takes longer than a whole prompt.

    Args:
        folder: Folder of the memory.
        facts: Fact store of the agent.
        read: Reads the value.
        absent: Value without a gate.
    """

    def __init__(
        self, folder: Path, facts: FactStore, read: Callable[[ConductStore], Value], absent: Value
    ) -> None:
        self._folder = folder
        self._facts = facts
        self._read = read
        self._absent = absent
        self._lock = threading.Lock()
        self._store: ConductStore | None = None
        self._latest: tuple[tuple[int, int], Value] = (0, 0), absent

    def __call__(self) -> Value:
        """Returns the value.

        Raises:
            StoreError: The gate cannot be read.
        """
        from bardo.conduct.storage.store import FILE_NAME, ConductStore

        if not (self._folder / FILE_NAME).exists():
            return self._absent
        with self._lock:
            store = self._store = self._store or ConductStore(self._folder, facts=self._facts)
            stamp = store.stamp()
            if stamp != self._latest[0]:
                self._latest = stamp, self._read(store)
            return self._latest[1]

    def close(self) -> None:
        """Releases the file of the gate."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
