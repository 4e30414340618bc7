"""Rows of tables as episodes: text of their columns, the whole row as the payload, and their time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bardo.capture.sources.record import Skipped

#: Names of columns that hold the time of a row, in lower case.
TIME_COLUMNS = ("at", "timestamp", "created_at", "time", "datetime", "date")
#: Names of columns that hold the text of a row, in lower case.
TEXT_COLUMNS = ("text", "content", "message", "note")
#: Maximum number of columns in the text of a row; the payload has all of them.
DESCRIBED = 64


def described(row: Mapping[str, Any]) -> str:
    """Describes a row or an object as ``name: value; ...``, without empty values."""
    shown = [(name, value) for name, value in row.items() if value is not None and value != ""]
    return "; ".join(f"{name}: {value}" for name, value in shown[:DESCRIBED])


def item_of(row: Mapping[str, Any]) -> dict[str, Any] | Skipped:
    """Makes the fields of an episode of a row; a row without any value is skipped."""
    by_name = {name.lower(): value for name, value in row.items() if isinstance(name, str)}
    text = next((by_name[name] for name in TEXT_COLUMNS if isinstance(by_name.get(name), str)), "")
    text = text if text.strip() else described(row)
    if not text.strip():
        return Skipped("empty row")
    fields: dict[str, Any] = {"text": text, "payload": dict(row)}
    at = next((by_name[name] for name in TIME_COLUMNS if by_name.get(name) not in {None, ""}), None)
    return fields if at is None else {**fields, "at": at}
