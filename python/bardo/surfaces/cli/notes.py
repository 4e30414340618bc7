"""`bardo notes`: checks notes in Markdown or text files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bardo.consolidate.pages.wording import counted
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import Debug, Json
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

app = noun("Check notes for what a later reader will miss.")


@app.callback()
def root() -> None:
    """Check notes for what a later reader will miss."""


@app.command()
def check(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of notes.")],
    *,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="Also print the addresses, commands and paths.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Warn of tools without a link, installs without a command, decisions without a next step; exits with 9 then."""
    from bardo.converse.notes import check_notes

    report = check_notes(path)
    output = Output(as_json=as_json)
    output.document(plain(report))
    for warning in report.warnings:
        kind = warning.kind.replace("_", " ")
        output.text(f"{warning.path}:{warning.line}: {kind}: {warning.text}\n    {warning.suggestion}")
    if metadata:
        for values in (report.urls, report.commands, report.paths):
            for value in values:
                output.text(value)
    output.text(f"{counted(len(report.files), 'file')}, {counted(len(report.warnings), 'warning')}")
    output.note(*report.notes)
    if report.warnings:
        raise typer.Exit(exits.WARNED)
