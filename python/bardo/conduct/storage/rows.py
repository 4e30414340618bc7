"""Rows of `conduct.db`: the table of each value type, and the limits of its texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, NamedTuple, get_args

from bardo._validation import holds_surrogate
from bardo.conduct.model.entries import Answer, Outcome, Rule, StateEntry, StateKind
from bardo.conduct.model.procedures import Capability, Flow, Grant, Mission, Output
from bardo.errors import InvalidInputError

Row = StateEntry | Rule | Outcome | Flow | Capability | Mission | Output | Grant

#: Maximum length of a text field in characters: these are put into prompts whole.
LONGEST = 2_000
#: Maximum length of the text of an output in characters.
LONGEST_OUTPUT = 20_000


class Table(NamedTuple):
    """Table of a value type.

    Args:
        name: Name of the table.
        kind: Value type.
        in_force: Condition of the rows in force; rules also leave by time.
        texts: Fields of stored text, the required one first.
        compared: Fields with which actions are compared.
    """

    name: str
    kind: type[Row]
    in_force: str
    texts: tuple[str, ...]
    compared: tuple[str, ...] = ()

    @property
    def types(self) -> Mapping[str, Any]:
        """Returns the types of the columns: of the fields without the id."""
        return _types(self.name)

    @property
    def columns(self) -> tuple[str, ...]:
        """Returns the columns."""
        return tuple(self.types)

    def row(self, id_: str, values: Sequence[Any]) -> Row:
        """Makes a row from the values of its columns."""
        return self.earlier(id_, dict(zip(self.columns, values, strict=True)))

    def earlier(self, id_: str, values: Mapping[str, Any]) -> Row:
        """Makes a row from values by column; an earlier version may lack some."""
        types = self.types
        return self.kind(id_, **{name: _of_column(types[name], value) for name, value in values.items()})

    def values(self, row: Row) -> tuple[Any, ...]:
        """Returns the values of the columns of a row."""
        return tuple(_to_column(getattr(row, name)) for name in self.columns)

    def texts_of(self, row: Row) -> tuple[str, ...]:
        """Returns the texts of a row, the required one first."""
        return tuple(_as_text(getattr(row, name)) for name in self.texts)


#: Table of each value type, by the letter of its ids.
TABLES: Mapping[str, Table] = {
    "s": Table(
        "state", StateEntry, "status = 'active'",
        ("summary", "detail", "domain", "by", "closed_by", "closed_why", "corrections"), ("summary",),
    ),
    "r": Table(
        "rules", Rule, "retired_by = ''",
        ("text", "forbids", "approval", "by", "retired_by", "retired_why", "corrections"),
        ("text", "forbids", "approval"),
    ),
    "o": Table("outcomes", Outcome, "1", ("action", "note", "by"), ("action",)),
    "f": Table(
        "flows", Flow, "retired_by = ''",
        ("name", "steps", "triggers", "domain", "by", "retired_by", "retired_why"), ("name", "triggers"),
    ),
    "c": Table("capabilities", Capability, "1", ("name", "what", "usage", "probe", "note", "by"), ("name", "what")),
    "m": Table("missions", Mission, "ended_at = 0", ("text", "by", "ended_by", "ended_why")),
    "u": Table("outputs", Output, "1", ("title", "text", "domain", "by")),
    "g": Table("grants", Grant, "revoked_at = 0", ("reader", "domain", "by", "revoked_by")),
}  # fmt: skip
#: Letters of the rows with which actions are compared.
INDEXED = tuple(letter for letter, table in TABLES.items() if table.compared)


def letter_of(what: Row) -> str:
    """Returns the letter of the ids of a value type."""
    return next(letter for letter, table in TABLES.items() if isinstance(what, table.kind))


def table_of(what: Row) -> Table:
    """Returns the table of a row."""
    return TABLES[letter_of(what)]


def compared_texts() -> str:
    """Returns the query of all texts with which actions are compared."""
    parts = []
    for table in (TABLES[letter] for letter in INDEXED):
        for name in table.compared:
            if name == "triggers":
                parts.append(f"SELECT value FROM {table.name}, json_each(triggers) WHERE {table.in_force}")
            else:
                parts.append(f"SELECT {name} FROM {table.name} WHERE {table.in_force}")
    return " UNION ".join(parts)


def check_kind(kind: str) -> None:
    """Refuses a kind of entry that does not exist."""
    if kind not in get_args(StateKind):
        raise InvalidInputError(f"there is no kind {kind!r}. Use one of {', '.join(get_args(StateKind))}")


def check(what: Row) -> None:
    """Refuses a row that is not valid.

    Raises:
        InvalidInputError: A text is empty or too long, or the kind does not exist.
    """
    texts = table_of(what).texts_of(what)
    longest = LONGEST_OUTPUT if isinstance(what, Output) else LONGEST
    if not texts[0].strip():
        raise InvalidInputError("there is nothing to keep. Say it in a sentence")
    for text in texts:
        if len(text) > longest:
            raise InvalidInputError(
                f"a text of {len(text)} characters is too long. Say it in {longest} at most"
            )
        if holds_surrogate(text):
            raise InvalidInputError("a lone surrogate is no text. Decode it properly first")
    if isinstance(what, StateEntry):
        check_kind(what.kind)
    if isinstance(what, Outcome) and what.answer and what.answer not in get_args(Answer):
        raise InvalidInputError(
            f"there is no answer {what.answer!r}. Use one of {', '.join(get_args(Answer))}"
        )


@cache
def _types(table: str) -> Mapping[str, Any]:
    kind = next(each.kind for each in TABLES.values() if each.name == table)
    return {field.name: field.type for field in fields(kind)[1:]}


def _of_column(type_: Any, value: Any) -> Any:
    if type_ == "tuple[str, ...]":
        return tuple(json.loads(value) if isinstance(value, str) else value)
    return bool(value) if type_ == "bool" else value


def _to_column(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value


def _as_text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else "\n".join(value)
