"""What takes long to load or make and not every process needs: loaded or made when it is first used."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

__all__ = [
    "blake3",
    "dataclasses",
    "difflib",
    "json",
    "logging",
    "metadata",
    "modules",
    "numpy",
    "once",
    "platform",
    "sqlite3",
    "subprocess",
]

Owner = TypeVar("Owner")
Made = TypeVar("Made")

#: Held while something is made: making one thing may ask for another.
_MAKING = threading.RLock()


class _Lazily:
    """Stands for a module until the first look into it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        # Names found once are found without coming here again.
        module = importlib.import_module(self._name)
        self.__dict__[name] = value = getattr(module, name)
        return value


def modules(*names: str) -> list[Any]:
    """Stand-ins for modules of bardo that load at the first look into them.

    Type checkers are shown the import itself: `if TYPE_CHECKING: from bardo import x` `else: (x,) = modules(...)`.
    """
    return [_Lazily(f"bardo.{name}") for name in names]


class once(Generic[Owner, Made]):  # noqa: N801 - reads as the decorator that it is
    """A part of an object that is made at the first look at it, once, whichever threads look."""

    def __init__(self, make: Callable[[Owner], Made]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Keeps the name under which the object holds what was made."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Owner]) -> Self: ...
    @overload
    def __get__(self, instance: Owner, owner: type[Owner]) -> Made: ...
    def __get__(self, instance: Owner | None, owner: type[Owner]) -> Self | Made:
        """What was made; found in the object itself from then on."""
        if instance is None:
            return self
        made = vars(instance)
        with _MAKING:
            if self._name not in made:
                made[self._name] = self._make(instance)
            return made[self._name]  # type: ignore[no-any-return]  # what was just put there

    def made(self, instance: Owner) -> Made | None:
        """What was made of an object, if somebody looked."""
        return vars(instance).get(self._name)


if TYPE_CHECKING:
    import dataclasses
    import difflib
    import json
    import logging
    import platform
    import sqlite3
    import subprocess
    from importlib import metadata

    import blake3
    import numpy
else:
    metadata = _Lazily("importlib.metadata")
    blake3, dataclasses, difflib, json, logging, numpy, platform, sqlite3, subprocess = map(
        _Lazily,
        ["blake3", "dataclasses", "difflib", "json", "logging", "numpy", "platform", "sqlite3", "subprocess"],
    )
