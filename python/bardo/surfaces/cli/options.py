"""Options that every verb takes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from bardo.errors import InvalidInputError

HOME: Final = "BARDO_HOME"
DEBUG: Final = "bardo.debug"
#: Characters of a value that an error shows, and digits of the longest tick.
SHOWN: Final = 60
LONGEST_TICK: Final = 19

At = Annotated[
    Path,
    typer.Option(
        "--at", envvar=HOME, metavar="DIR", help="Folder of the grimoire; the current folder if not given."
    ),
]
HERE: Final = Path()

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout; times are microseconds UTC.")
]


def _note_debug(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        context.meta[DEBUG] = True
    return wanted


Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        envvar="BARDO_DEBUG",
        callback=_note_debug,
        is_eager=True,
        help="Show tracebacks of errors.",
    ),
]


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def moment_given(given: str | None, option: str) -> datetime | None:
    """A date or time of an option; UTC where it names no time zone.

    Raises:
        InvalidInputError: It is none.
    """
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise InvalidInputError(
            f"{option} is {given[:SHOWN]!r}. Write a date such as 2026-03-04 or 2026-03-04T18:05Z"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def tick_or_moment(given: str | None, option: str) -> int | datetime | None:
    """A tick of an option, or a date.

    Raises:
        InvalidInputError: It is neither.
    """
    if given is None or not given.isdecimal():
        return moment_given(given, option)
    if len(given) > LONGEST_TICK:
        raise InvalidInputError(
            f"{option} is {given[:SHOWN]!r}. A tick is a whole number from 0 to 2**63 - 1"
        )
    return int(given)
