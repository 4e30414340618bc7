"""Attributes of statements: number of values at a time, persistence, and kind of fact, read from `attributes.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import cast

from bardo.model import FactKind, Persistence

#: Attributes that say little about what they state.
_GENERIC = frozenset({"is", "has"})


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


def attribute(name: str, own: Mapping[str, str] | None = None) -> Attribute:
    """Returns the properties of an attribute.

    An attribute that no table names has one value at a time, as a key of a configuration has, and holds for months.

    Args:
        name: Name of the attribute.
        own: Setting `curator.attributes`: `one` or `many` by name, which takes precedence.
    """
    key = _key(name)
    known = _table().get(key) or Attribute(key, functional=True, persistence="months", kind="insight")
    declared = (own or {}).get(key) or (own or {}).get(name)
    if declared is None:
        return known
    return Attribute(key, declared == "one", known.persistence, known.kind)


def is_named(name: str, own: Mapping[str, str] | None = None) -> bool:
    """Whether the table or the setting `curator.attributes` names an attribute.

    Args:
        name: Name of the attribute.
        own: Setting `curator.attributes`.
    """
    key = _key(name)
    return key in _table() or key in (own or {}) or name in (own or {})


def is_lasting(name: str, *persistences: Persistence) -> bool:
    """Whether an attribute, other than the generic "is" and "has", has one of some persistences."""
    key = _key(name)
    known = _table().get(key)
    return known is not None and key not in _GENERIC and known.persistence in persistences


def _key(name: str) -> str:
    """Name of an attribute as the table has it: in lower case, words joined by underscores."""
    return "_".join(name.casefold().split())


@cache
def _table() -> Mapping[str, Attribute]:
    """The attributes of `attributes.toml` by name."""
    text = resources.files("bardo.consolidate").joinpath("attributes.toml").read_text(encoding="utf-8")
    found: dict[str, Attribute] = {}
    groups = [
        (cast(Persistence, persistence), group)
        for persistence, tables in tomllib.loads(text).items()
        for group in tables.values()
    ]
    for persistence, group in groups:
        for part, functional in (("functional", True), ("many", False)):
            for name in group[part]:
                found[name] = Attribute(name, functional, persistence, cast(FactKind, group["kind"]))
    return found
