"""Text of returned values for people: a class shows its fields in a few lines with `__str__ = printed`.

The first line is what the value is about: its text, its name, or the words of its class. Then follow the fields that
are neither empty nor as by default, and lists with their first items. `repr` stays exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Fields that may say what a value is about, the first one of them that it has.
_HEADS = ("text", "summary", "question", "query", "action", "agent", "name")
#: Fields that are shown of no class but one that names them: ids and hashes of others, whole records, vectors.
_HIDDEN = frozenset({
    "fingerprint", "hash", "measure", "metadata", "pad", "path", "payload", "quality", "record", "signer", "testament",
    "touch", "vectors", "why",
})  # fmt: skip
#: Maximum number of items of a list that are shown, and maximum number of characters of a line and of an item.
_ITEMS, _LINE, _LONGEST = 3, 110, 96
#: Items of a list of notes that are shown: each tells of another thing.
_NOTES = 8
#: Fields of an object within another one that are shown.
_FEW = 3
#: Names, or ends of names, of instants.
_INSTANTS = frozenset({"at", "tick", "since", "until"})
#: First second and first microsecond that are dates, and not counts: 9 September 2001.
_SECOND, _MICROSECOND = 10**9, 10**15
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{16,}")
#: A value in words, or the lines of a list; empty if there is nothing to show.
_Shown = str | list[str]


def printed(value: Any) -> str:
    """Returns a value in a few lines of plain words.

    A class may name the fields to show, in their order, as `_printed`.

    Args:
        value: Object of a class with fields.
    """
    head, fields = _parts(value)
    lines, row, below = [head], "", list[str]()
    for name, shown in fields:
        if isinstance(shown, list):
            below += shown
            continue
        told = f"{name}: {shown}"
        if row and len(row) + len(told) > _LINE:
            lines.append(row)
            row = ""
        row = f"{row}; {told}" if row else f"  {told}"
    return "\n".join([*lines, *([row] if row else []), *below])


def _parts(value: Any) -> tuple[str, Iterator[tuple[str, _Shown]]]:
    """Returns what a value is about, and its other fields in words."""
    chosen: Sequence[str] | None = getattr(type(value), "_printed", None)
    fields = _set(value) if chosen is None else {name: getattr(value, name) for name in chosen}
    about = next((name for name in _HEADS if isinstance(fields.get(name), str) and fields[name]), "")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(value).__name__).capitalize()
    head = _line(fields.pop(about)) if about else words
    # Of a field that is chosen, zero says something.
    shown = ((name, _shown(name, each)) for name, each in fields.items() if each or (chosen and each == 0))
    return head, ((name.replace("_", " "), each) for name, each in shown if each)


def _set(value: Any) -> dict[str, Any]:
    """Returns the public fields of a dataclass that are not as by default."""
    return {
        name: found
        for name, field in type(value).__dataclass_fields__.items()
        if not name.startswith("_")
        and name not in _HIDDEN
        and (found := getattr(value, name)) != field.default
    }


def _shown(name: str, value: Any) -> _Shown:
    """Returns the value of a field in words, or the lines of a list."""
    if value is False:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_inline(str(key), each)}" for key, each in list(value.items())[:_NOTES])
    if isinstance(value, list | tuple | set | frozenset):
        return _listed(name, list(value))
    return _inline(name, value)


def _listed(name: str, items: list[Any]) -> _Shown:
    """Returns a short list in a line, ids by their number, and other items on lines of their own."""
    if all(isinstance(each, str) and _ID.fullmatch(each) for each in items):
        return f"{len(items):,}"
    is_short = all(isinstance(each, str | int | float) and " " not in str(each) for each in items)
    line = ", ".join(_inline(name, each) for each in items) if is_short else ""
    if line and len(line) <= _LINE // 2:
        return line
    most = _NOTES if name == "notes" else _ITEMS
    lines = [
        f"  {name.replace('_', ' ')} ({len(items):,}):",
        *(f"  - {_inline(name, each)}" for each in items[:most]),
    ]
    return [*lines, f"  - and {len(items) - most:,} more"] if len(items) > most else lines


def _inline(name: str, value: Any) -> str:
    """Returns a value in one line; of an object what it is about, and its first short fields in brackets."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return _number(name, value)
        case float():
            return f"{value:.3g}"
    as_text: Any = type(value).__str__
    if as_text is not printed:
        return _line(str(value))
    head, fields = _parts(value)
    short = [
        f"{field}: {each}" for field, each in fields if isinstance(each, str) and not _ID.fullmatch(each)
    ]
    return f"{head} ({'; '.join(short[:_FEW])})" if short else head


def _number(name: str, value: int) -> str:
    """Returns a whole number, or the date of an instant in microseconds or in ticks that are seconds."""
    if name.rpartition("_")[2] in _INSTANTS and value >= _SECOND:
        from datetime import UTC, datetime

        seconds = value / 1_000_000 if value >= _MICROSECOND else value
        try:
            return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
        except (ValueError, OverflowError, OSError):
            return str(value)
    return f"{value:,}"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
