"""Rules that read texts, one package per language; `curator.language` selects one.

A package has a function `reader(attributes)` that returns a `Reader`, or None if a package that it needs is not
installed, and the functions `named_days(text, at)` and `is_unmade(record)`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from bardo.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bardo.consolidate.attributes import AttributeTable
    from bardo.consolidate.clause import Clause, Speech


class Reader(Protocol):
    """Reads texts of one language."""

    def read(self, speech: Speech) -> Sequence[Clause]:
        """Returns the clauses of a text, in order."""

    def stands_alone(self, text: str, who: str) -> bool:
        """Returns whether the text of a fact can be understood without the texts around it.

        Args:
            text: Text of the fact, with or without its speaker before a colon.
            who: Name of the speaker; empty for a record.
        """

    def prepare(self, texts: Sequence[str]) -> None:
        """Prepares texts that are read next, together in less time than one by one."""


def reader(language: str, attributes: AttributeTable) -> Reader | None:
    """Returns the reader of a language; None if a package that it needs is not installed.

    Args:
        language: Name of the language, such as `english`.
        attributes: Table of attributes.

    Raises:
        ConfigError: There are no rules of this language.
    """
    made: Reader | None = _package(language).reader(attributes) if language else None
    return made


def named_days(language: str, text: str, at: int) -> list[int]:
    """Returns the days that a text names, as their first instants in microseconds UTC.

    Args:
        language: Name of the language; empty for none.
        text: Text with days such as "14 June".
        at: Instant of the text, microseconds UTC; a day without a year is the next such day.

    Raises:
        ConfigError: There are no rules of this language.
    """
    days: list[int] = _package(language).named_days(text, at) if language else []
    return days


def is_unmade(language: str, record: str) -> bool:
    """Returns whether a record names changes, and tells of none that was made.

    Args:
        language: Name of the language; empty for none.
        record: Output of a tool, line of a log, or message of a commit.
    """
    return bool(language) and bool(_package(language).is_unmade(record))


def _package(language: str) -> Any:
    """Imports the rules of a language."""
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
    return package
