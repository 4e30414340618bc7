"""Attributes of statements: number of values at a time, persistence, and kind of fact, read from `attributes.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, cast

from bardo.model import FactKind, Persistence

#: Persistences of sentences of a kind whose attribute is unknown; those of other kinds hold for months.
_OF_KIND: Mapping[FactKind, Persistence | None] = {"identity": "years", "goal": "weeks", "context": None}
#: Attributes that say little about what they state.
GENERIC = frozenset({"is", "has"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """Properties of one attribute.

    Args:
        name: Name in lower case, words joined by underscores.
        functional: Whether it has one value at a time.
        persistence: How long a value holds without being said again.
        kind: Kind of fact that states it.
    """

    name: str
    functional: bool
    persistence: Persistence
    kind: FactKind


class AttributeTable:
    """The attributes of `attributes.toml`, with the number of values that an owner sets for some.

    Args:
        own: Setting `curator.attributes`: `one` or `many` by name, which takes precedence.
    """

    def __init__(self, own: Mapping[str, str]) -> None:
        self._own = {_key(name): number for name, number in own.items()}

    def attribute(self, name: str) -> Attribute:
        """Returns the properties of an attribute.

        An attribute that the table does not name has one value at a time, as a key of a configuration has, and holds
        for months.

        Args:
            name: Name of the attribute.
        """
        key = _key(name)
        known = _table().get(key) or Attribute(key, functional=True, persistence="months", kind="insight")
        if (number := self._own.get(key)) is not None:
            return replace(known, functional=number == "one")
        return known

    def is_named(self, name: str) -> bool:
        """Whether the table or the owner names an attribute.

        Args:
            name: Name of the attribute.
        """
        return _key(name) in _table() or _key(name) in self._own


#: The table without settings of an owner, which change neither persistence nor kind.
BUILT_IN = AttributeTable({})


def persistence_of(kind: FactKind) -> Persistence | None:
    """How long a sentence of a kind holds whose attribute is unknown; None if it fades by its kind."""
    return _OF_KIND.get(kind, "months")


def is_lasting(name: str, *persistences: Persistence) -> bool:
    """Whether an attribute, other than the generic "is" and "has", has one of some persistences."""
    is_known = BUILT_IN.is_named(name) and _key(name) not in GENERIC
    return is_known and BUILT_IN.attribute(name).persistence in persistences


def may_change_together(one: str, other: str) -> bool:
    """Whether a new value of one attribute can end a value of another one, as a new employer ends a job."""
    return any({_key(one), _key(other)} <= group for group in _groups())


def _key(name: str) -> str:
    """Name of an attribute as the table has it: in lower case, words joined by underscores."""
    return "_".join(name.casefold().split())


@cache
def _document() -> Mapping[str, Any]:
    """The content of `attributes.toml`."""
    text = resources.files("bardo.consolidate").joinpath("attributes.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _groups() -> tuple[frozenset[str], ...]:
    """Attributes that may change together."""
    return tuple(map(frozenset, _document()["change_together"]))


@cache
def _table() -> Mapping[str, Attribute]:
    """The attributes of `attributes.toml` by name."""
    found: dict[str, Attribute] = {}
    groups = [
        (cast(Persistence, persistence), group)
        for persistence, tables in _document().items()
        if isinstance(tables, dict)
        for group in tables.values()
    ]
    for persistence, group in groups:
        for part, functional in (("functional", True), ("many", False)):
            for name in group[part]:
                found[name] = Attribute(name, functional, persistence, cast(FactKind, group["kind"]))
    return found
