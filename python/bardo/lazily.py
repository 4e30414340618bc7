"""Modules that take long to load and that not every process needs: loaded when something of them is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["difflib", "logging", "metadata", "numpy", "sqlite3", "subprocess"]

if TYPE_CHECKING:
    import difflib
    import logging
    import sqlite3
    import subprocess
    from importlib import metadata

    import numpy
else:

    class _Lazily:
        """Stands for a module until the first look into it."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            # Names found once are found without coming here again.
            module = importlib.import_module(self._name)
            self.__dict__[name] = value = getattr(module, name)
            return value

    difflib, logging, metadata, numpy, sqlite3, subprocess = (
        _Lazily(name)
        for name in ("difflib", "logging", "importlib.metadata", "numpy", "sqlite3", "subprocess")
    )
