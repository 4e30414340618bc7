"""Values as JSON has them, and as a person reads them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bardo.ports import FIRST_AT, LAST_AT

if TYPE_CHECKING:
    from bardo.recall.recollection import Memory, Recollection

#: Characters of a text in a table; the whole is in `bardo show ID` and in the JSON.
TEXT_CHARACTERS = 280


def short(text: str, limit: int = TEXT_CHARACTERS) -> str:
    """A text on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def plain(value: Any) -> Any:
    """A value as JSON knows it: dataclasses as objects, not-a-number as null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def moment(microseconds: int) -> str:
    """A time for a person: `2026-03-04 18:05`, UTC; the number itself where that is no date."""
    if not microseconds:
        return ""
    if not FIRST_AT <= microseconds <= LAST_AT:
        return str(microseconds)
    return datetime.fromtimestamp(microseconds / 1_000_000, tz=UTC).strftime("%Y-%m-%d %H:%M")


def sure(confidence: float | None) -> str:
    """A confidence as a person reads it; episodes that happened have none."""
    return "" if confidence is None else f"{confidence:.2f}"


def memory_document(memory: Memory) -> dict[str, Any]:
    """One recalled memory as JSON."""
    document = {
        name: plain(getattr(memory, name))
        for name in ("id", "layer", "text", "score", "confidence", "tick", "at", "source", "inherited")
    }
    record = memory.record
    return {
        **document,
        "kind": record.kind,
        "subjects": list(record.subjects),
        "reason": str(memory.why),
        "why": plain(memory.why),
    }


def recollection_document(recollection: Recollection) -> dict[str, Any]:
    """A recollection as JSON."""
    return {
        "id": recollection.id,
        "query": recollection.query,
        "memories": [memory_document(memory) for memory in recollection],
        "notes": list(recollection.notes),
    }
