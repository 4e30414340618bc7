"""Notes of a pass on the entries that the gate keeps of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bardo.conduct.model.entries import Rule, StateEntry

#: Number of entries of a kind that a note names, and of the characters of each.
NAMED, CHARACTERS = 3, 80


def kept_notes(rows: Sequence[StateEntry | Rule]) -> tuple[str, ...]:
    """A note for each kind of entry, with the ids and words of the latest ones.

    Args:
        rows: Entries and rules that were kept, oldest first.
    """
    by_kind: dict[str, list[StateEntry | Rule]] = {}
    for row in rows:
        by_kind.setdefault(getattr(row, "kind", "rule"), []).append(row)
    return tuple(_note(kind, found) for kind, found in sorted(by_kind.items()))


def _note(kind: str, rows: Sequence[StateEntry | Rule]) -> str:
    """A note on entries of a kind."""
    named = "; ".join(f"{row.id}: {_words(row)}" for row in rows[-NAMED:])
    beside = f"; and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return f"kept from what was said, in the gate: {kind} ({len(rows)}): {named}{beside}"


def _words(row: StateEntry | Rule) -> str:
    """The words of an entry on one line, cut to a length."""
    words = " ".join((getattr(row, "summary", "") or getattr(row, "text", "")).split())
    return words if len(words) <= CHARACTERS else f"{words[: CHARACTERS - 1].rstrip()}…"
