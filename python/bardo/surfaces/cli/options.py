"""Options that every verb takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

HOME: Final = "BARDO_HOME"
DEBUG: Final = "bardo.debug"

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
