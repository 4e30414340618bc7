"""A pass names the entries that the gate keeps of what was said."""

from __future__ import annotations

from pathlib import Path

import bardo
from bardo.grimoire.kept_notes import NAMED

SAID = ("Don't use pandas.", "Don't mail the clients.", "Don't push to main.", "Don't book the blue room.")


def test_a_pass_names_the_latest_entries_of_a_kind_with_their_ids(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent") as memory:
        for text in SAID:
            memory.remember(text, role="user", kind="turn", speaker="Ana")
        (note,) = [note for note in memory.sleep().notes if "in the gate: rejected" in note]
    with bardo.gate(tmp_path / "agent") as gate:
        entries = {entry.id: entry.summary for entry in gate.state("rejected")}
    named = {id_: words for id_, words in entries.items() if f"{id_}: {words}" in note}
    assert len(entries) == len(SAID) > NAMED == len(named)
    assert note.startswith(f"kept from what was said, in the gate: rejected ({len(SAID)}): ")
    assert note.endswith("; and 1 more")
