"""Reads from the gate which entries were ended, for the marks of recalled memories."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._core import FactStore
from bardo.errors import StoreError
from bardo.recall.lifted import Lifted, plain

if TYPE_CHECKING:
    from bardo.conduct.storage.store import ConductStore


class LiftedReader:
    """Entries of the gate that were ended; read again once the gate has changed.

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
        """Returns what was ended, and a note if the gate cannot be read."""
        from bardo.conduct.storage.store import FILE_NAME, ConductStore

        if not (self._folder / FILE_NAME).exists():
            return (), ""
        try:
            with self._lock:
                store = self._store = self._store or ConductStore(self._folder, facts=self._facts)
                stamp = store.stamp()
                if stamp != self._read[0]:
                    self._read = stamp, _ended(store, self._facts.agent)
                return self._read[1], ""
        except StoreError as error:
            return (), f"what the gate ended is not marked: {error}"

    def close(self) -> None:
        """Releases the file of the gate."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


def _ended(store: ConductStore, agent: str) -> list[Lifted]:
    from bardo.bequeath.content.directives import KINDS
    from bardo.conduct.model.authors import author_of
    from bardo.conduct.model.procedures import Flow, Mission
    from bardo.conduct.required import is_person

    def told(kind: str, text: str) -> str:
        return plain(f"{KINDS[kind]}: {text}")

    found, held = [], set()
    for entry in store.state(every=True):
        if entry.kind not in KINDS:
            continue
        if entry.status == "active":
            held.add(told(entry.kind, entry.summary))
            continue
        is_rejection = entry.kind == "rejected"
        word = "done" if entry.status == "done" else "lifted" if is_rejection else "ended"
        by_person = is_rejection and is_person(author_of(entry.closed_by)[0], agent)
        mark = told(entry.kind, entry.summary)
        found.append(Lifted(plain(entry.summary), entry.episode, entry.changed_at, mark, word, by_person))
    for rule in store.rules():
        if not rule.retired_by:
            held.add(told("rule", rule.text))
        elif not rule.retired_why and is_person(author_of(rule.retired_by)[0], agent):
            # The time of retirement is not stored. A pass that retires a rule tells a reason.
            found.append(Lifted(plain(rule.text), rule.episode, 0, told("rule", rule.text)))
    for flow in store.rows(Flow):
        if flow.retired_by:
            mark = told("flow", flow.name)
            found.append(Lifted(plain(flow.name), "", flow.changed_at, mark, "ended", by_person=False))
    for mission in store.rows(Mission):
        if mission.ended_at:
            mark = told("mission", mission.text)
            found.append(Lifted(plain(mission.text), "", mission.ended_at, mark, "ended", by_person=False))
    return [replace(one, told="" if one.told in held else one.told) for one in found if one.text]
