"""Options of several commands, and parsers of their values."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from bardo.errors import InvalidInputError

HOME: Final = "BARDO_HOME"
DEBUG: Final = "bardo.debug"
#: Maximum length of a value in an error, in characters.
SHOWN: Final = 60
#: Number of digits of the largest tick.
LONGEST_TICK: Final = 19
#: Minimum number of digits of a time in microseconds.
SHORTEST_MICROSECONDS: Final = 12
#: Default number of rows of a list.
ROWS: Final = 20

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


Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of rows.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


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
    """Whether a file exists; False for an invalid name."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def time_given(given: str, option: str) -> int | datetime:
    """Parses a time of an option: microseconds since 1970 as in the JSON, or a date, in UTC without a time zone.

    Raises:
        InvalidInputError: It is neither.
    """
    # A date of digits alone has at most eight.
    if given.isdecimal() and SHORTEST_MICROSECONDS <= len(given) <= LONGEST_TICK:
        return int(given)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError as error:
        raise InvalidInputError(
            f"{option} is {given[:SHOWN]!r}. Write a date such as 2026-03-04 or 2026-03-04T18:05Z"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def tick_or_time(given: str, option: str) -> int | datetime:
    """Parses a tick of an option, or a date.

    Raises:
        InvalidInputError: It is neither.
    """
    if not given.isdecimal():
        return time_given(given, option)
    if len(given) > LONGEST_TICK:
        raise InvalidInputError(
            f"{option} is {given[:SHOWN]!r}. A tick is a whole number from 0 to 2**63 - 1"
        )
    return int(given)
