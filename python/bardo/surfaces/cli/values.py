"""Conversion of values to JSON and to text for people."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bardo.ports import FIRST_AT, LAST_AT

if TYPE_CHECKING:
    from bardo.assemble.prompt_memory import MemoryLike
    from bardo.recall.recollection import Recollection

#: Maximum length of a text in a table, in characters; `bardo show ID` and the JSON have all of it.
TEXT_CHARACTERS = 280

#: Fields of a recalled memory in its JSON, beside those of its record.
_OF_MEMORY = (
    "id", "layer", "text", "score", "confidence", "retention", "tick", "at", "source", "inherited", "corrected_by",
    "disputed_by", "outdated", "standing",
)  # fmt: skip


def short(text: str, limit: int = TEXT_CHARACTERS) -> str:
    """Puts a text on one line, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def plain(value: Any) -> Any:
    """Converts a value to JSON types: dataclasses to objects of their public fields, NaN to null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name: plain(getattr(value, name)) for name in names if not name.startswith("_")}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def moment(microseconds: int) -> str:
    """Formats a time as `2026-03-04 18:05`, UTC; as the number itself if it is not a valid date."""
    if not microseconds:
        return ""
    if not FIRST_AT <= microseconds <= LAST_AT:
        return str(microseconds)
    return datetime.fromtimestamp(microseconds / 1_000_000, tz=UTC).strftime("%Y-%m-%d %H:%M")


def sure(confidence: float | None) -> str:
    """Formats a confidence; episodes have none."""
    return "" if confidence is None else f"{confidence:.2f}"


def memory_document(memory: MemoryLike) -> dict[str, Any]:
    """Converts a memory to JSON types; a section of the dossier or a summary has no record and no explanation."""
    document = {name: plain(getattr(memory, name)) for name in _OF_MEMORY if hasattr(memory, name)}
    if (record := memory.record) is not None:
        document |= {"kind": record.kind, "subjects": list(record.subjects)}
    if (why := getattr(memory, "why", None)) is not None:
        document |= {"reason": str(why), "why": plain(why)}
    return document


def recollection_document(recollection: Recollection) -> dict[str, Any]:
    """Converts a recollection to JSON types."""
    return {
        "id": recollection.id,
        "query": recollection.query,
        "memories": [memory_document(memory) for memory in recollection],
        "notes": list(recollection.notes),
    }
