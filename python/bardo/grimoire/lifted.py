"""Reads from the gate which rejections and orders persons ended, for the marks of recalled turns."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._core import FactStore
from bardo.errors import StoreError
from bardo.recall.lifted import Lifted, plain

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore


class LiftedReader:
    """Rejections and orders of the gate that persons ended; read again once the gate has changed.

    Args:
        folder: Folder of the memory.
        facts: Fact store of the agent.
    """

    def __init__(self, folder: Path, facts: FactStore) -> None:
        self._folder = folder
        self._facts = facts
        self._lock = threading.Lock()
        self._store: ConductStore | None = None
        self._read: tuple[tuple[int, int], Sequence[Lifted]] = (0, 0), ()

    def __call__(self) -> tuple[Sequence[Lifted], str]:
        """Returns what persons ended, and a note if the gate cannot be read."""
        from bardo.conduct.storage.store import FILE_NAME, ConductStore

        if not (self._folder / FILE_NAME).exists():
            return (), ""
        try:
            with self._lock:
                store = self._store = self._store or ConductStore(self._folder, facts=self._facts)
                stamp = store.stamp()
                if stamp != self._read[0]:
                    self._read = stamp, _ended_by_persons(store, self._facts.agent)
                return self._read[1], ""
        except StoreError as error:
            return (), f"lifted rejections are not marked: {error}"

    def close(self) -> None:
        """Releases the file of the gate."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def _ended_by_persons(store: ConductStore, agent: str) -> list[Lifted]:
    from bardo.conduct.model.authors import author_of
    from bardo.conduct.required import is_person

    found = [
        Lifted(plain(entry.summary), entry.episode, entry.changed_at)
        for entry in store.state(kind="rejected", every=True)
        if entry.status != "active" and is_person(author_of(entry.closed_by)[0], agent)
    ]
    # The time of retirement is not stored. A pass that retires a rule tells a reason.
    found += [
        Lifted(plain(rule.text), rule.episode, 0)
        for rule in store.rules()
        if rule.retired_by and not rule.retired_why and is_person(author_of(rule.retired_by)[0], agent)
    ]
    return [one for one in found if one.text]
