"""Fields of an action: arguments of a call and options of a command, filled or empty."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table

_VALUE = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\[[^\[\]]*\]|\{\}|[^\s,;{}\[\]\"']+"
_FIELD = lazy_pattern(
    rf"(?:(?<![\w-])--?(?P<option>[A-Za-z][\w-]*)(?:=|\s+)(?!-)|"
    rf"(?P<quote>[\"']?)(?P<name>[A-Za-z_][\w.-]*)(?P=quote)\s*(?::=|==?|:)\s*)(?P<value>{_VALUE})"
)
_EMPTY = lazy_pattern(
    r"[\"']?(?:|null|none|nil|false|no|n/a|na|missing|pending|undefined|-|\[\s*\]|\{\}|\s+)[\"']?",
    re.IGNORECASE,
)
_ITEM = lazy_pattern(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[^\s,\[\]]+")
_PART = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: Parts of names of fields in other words.
_SPELLED = {"no": "number", "num": "number", "nr": "number", "ref": "reference", "qty": "quantity"}


class Field(NamedTuple):
    """Field of an action.

    Args:
        name: Its name.
        value: Its value as written.
        stems: Stems of the name.
        is_empty: Whether it has no value, or one that denies: `null`, `false`, "".
    """

    name: str
    value: str
    stems: frozenset[str]
    is_empty: bool

    @property
    def items(self) -> tuple[str, ...]:
        """Items of a list; the value itself if it is none."""
        if not self.value.startswith("["):
            return (self.value.strip("\"'"),)
        return tuple(item.strip("\"'") for item in _ITEM.findall(self.value[1:-1]))

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return self.value.startswith("[")


@lru_cache(64)
def fields_of(text: str) -> tuple[Field, ...]:
    """Returns the fields of an action; of prose those that it writes as such."""
    return tuple(
        Field(name, match["value"], _stems(name), _EMPTY.fullmatch(match["value"]) is not None)
        for match in _FIELD.finditer(text)
        for name in [match["option"] or match["name"]]
    )


@lru_cache(4_096)
def _stems(name: str) -> frozenset[str]:
    parts = [part.lower() for part in _PART.findall(name)]
    return operation_table.canonical_stems([_SPELLED.get(part, part) for part in parts])
