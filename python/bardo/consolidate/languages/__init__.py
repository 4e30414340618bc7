"""Rules that read texts, one package per language; `curator.language` selects one.

A package has a function `reader()` that returns a `Reader`, or None if a package that it needs is not installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from bardo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bardo.consolidate.clause import Clause, Speech


class Reader(Protocol):
    """Reads texts of one language."""

    def read(self, speech: Speech) -> Sequence[Clause]:
        """Returns the clauses of a text, in order."""


def reader(language: str) -> Reader | None:
    """Returns the reader of a language; None if a package that it needs is not installed.

    Args:
        language: Name of the language, such as `english`.

    Raises:
        ConfigError: There are no rules of this language.
    """
    if not language:
        return None
    if not language.isidentifier():
        raise ConfigError(
            f"curator.language is {language!r}. It must be the name of a language, such as english"
        )
    try:
        package = import_module(f"bardo.consolidate.languages.{language}")
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"curator.language is {language!r}, and bardo has no rules for it. Use english, or set "
            "curator.texts = false"
        ) from error
    made: Reader | None = package.reader()
    return made
