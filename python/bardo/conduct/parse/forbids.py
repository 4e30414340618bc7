"""Data of what a rejection forbids, and their check."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from bardo.errors import InvalidInputError

#: Longest list, and longest item in characters.
LISTED, LONG = 256, 200


@dataclass(frozen=True, slots=True)
class Forbids:
    """Data of what a rejection or a rule forbids. An action must fit one pattern and meet all conditions.

    A pattern is a command, package, flag, host, path or phrase; or one of the things, done by one of the verbs.

    Args:
        things: Objects in words; the words of one of them must be in the action.
        verbs: Operations (`operations.toml`), one of which must be done to a thing; any if empty.
        phrases: Words that are enough alone, all of those of one phrase.
        commands: Command lines as globs ("git push *--force*"), `sql ...` for SQL.
        packages: Names of packages that must not be installed, added or run.
        flags: Options of commands.
        hosts: Names of hosts.
        paths: Paths as globs, which must not be written to.
        conditions: Conditions, all of which must hold: "on fridays", "in production", "above 5 %".
        allowed: Cases that a person allowed, in words: an action of one is not forbidden.
        by: Person or agent who corrected the data; empty for a proposal.
    """

    things: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    by: str = ""

    @classmethod
    def from_json(cls, text: str) -> Forbids:
        """Reads a correction.

        Raises:
            InvalidInputError: The text is not such data.
        """
        try:
            given = json.loads(text)
        except ValueError as error:
            raise InvalidInputError(f"what is forbidden is no JSON: {error}") from None
        return cls.of(given)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Forbids:
        """Checks lists of texts by field, and returns them as data.

        Raises:
            InvalidInputError: A field does not exist, is no list of texts, or is too long.
        """
        if not isinstance(given, Mapping):
            raise InvalidInputError("what is forbidden is a mapping, such as {'packages': ['moment']}")
        if unknown := set(given) - set(LISTS) - _OTHERS - _BESIDE:
            raise InvalidInputError(f"there is no {', '.join(sorted(unknown))}. Use {', '.join(LISTS)}")
        lists: dict[str, Any] = {}
        for name in LISTS:
            items = given.get(name, ())
            if isinstance(items, str):
                items = (items,)
            if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
                raise InvalidInputError(f"{name} is a list of texts")
            if len(items) > LISTED or any(len(item) > LONG for item in items):
                raise InvalidInputError(f"{name} has at most {LISTED} texts of {LONG} characters")
            lists[name] = tuple(dict.fromkeys(filter(None, (item.strip() for item in items))))
        by = given.get("by", "")
        return cls(**lists, by=by if isinstance(by, str) else "")

    def lists(self) -> dict[str, tuple[str, ...]]:
        """Returns the lists by field, without empty ones."""
        return {name: items for name in LISTS if (items := getattr(self, name))}


_OTHERS = {"by"}
#: Fields of a correction beside what is forbidden: doubt (`conduct.model.doubt`), and the messages that added items.
_BESIDE = {"is_read", "doubt", "heard"}
#: Fields of lists.
LISTS = tuple(field.name for field in fields(Forbids) if field.name not in _OTHERS)
