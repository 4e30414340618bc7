"""Reads from the gate which entries were ended, for the marks of recalled memories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bardo._core import FactStore
from bardo.errors import StoreError
from bardo.folder import TESTAMENTS_FOLDER
from bardo.grimoire.gate_reading import GateReading
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
        self._agent = facts.agent
        self._ended = GateReading[Sequence[Lifted]](folder, facts, self._read, ())

    def __call__(self) -> tuple[Sequence[Lifted], str]:
        """Returns what was ended, and a note if the gate cannot be read."""
        try:
            return self._ended(), ""
        except StoreError as error:
            return (), f"what the gate ended is not marked: {error}"

    def _read(self, store: ConductStore) -> list[Lifted]:
        # Reading every entry takes long in a large gate, and only an heir has episodes that tell of them.
        is_heir = (self._folder / TESTAMENTS_FOLDER).exists()
        of_ancestors = _ended_of_ancestors(store, self._agent) if is_heir else []
        return [*_ended_by_persons(store, self._agent), *of_ancestors]

    def close(self) -> None:
        """Releases the file of the gate."""
        self._ended.close()


def _ended_by_persons(store: ConductStore, agent: str) -> list[Lifted]:
    """Rejections and rules that persons ended, with which the turns end that they were heard from."""
    from bardo.conduct.lifted import lifted_at, lifted_rows, text_of
    from bardo.conduct.state.prohibition import forbidden_act

    found = (
        Lifted(
            plain(text_of(row)),
            row.episode,
            lifted_at(row),
            act=plain(forbidden_act(text_of(row)) or ""),
        )
        for row in lifted_rows(store, agent)
    )
    return [one for one in found if one.text]


def _ended_of_ancestors(store: ConductStore, agent: str) -> list[Lifted]:
    """Ended entries of every kind, by the texts of the episodes in which an heir has those of its ancestors."""
    from bardo.bequeath.content.directive_kinds import KINDS
    from bardo.conduct.lifted import is_lifted, lifted_at
    from bardo.conduct.model.procedures import Flow, Mission

    found, held = [], set()

    def note(kind: str, text: str, at: int, word: str) -> None:
        """Keeps an entry that ended, or that is in force if there is no word for its end."""
        told = plain(f"{KINDS[kind]}: {text}")
        if not word:
            held.add(told)
        elif plain(text):
            found.append(Lifted(plain(text), "", at, told, word, by_person=False))

    for entry in store.state(every=True):
        if entry.kind in KINDS:
            over = "lifted" if entry.kind == "rejected" else "ended"
            word = {"active": "", "done": "done"}.get(entry.status, over)
            note(entry.kind, entry.summary, entry.changed_at, word)
    for rule in store.rules():
        if not rule.retired_by:
            note("rule", rule.text, 0, "")
        elif is_lifted(rule, agent):
            note("rule", rule.text, lifted_at(rule), "lifted")
    for flow in store.rows(Flow):
        if flow.retired_by:
            note("flow", flow.name, flow.changed_at, "ended")
    for mission in store.rows(Mission):
        if mission.ended_at:
            note("mission", mission.text, mission.ended_at, "ended")
    return [one for one in found if one.told not in held]
