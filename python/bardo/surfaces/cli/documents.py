"""`bardo documents`: texts in chunks that recall finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import Yes
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_text
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.documents import Document
    from bardo.grimoire.grimoire import Grimoire

app = noun("Documents, in chunks that recall finds.")


@app.command()
@on_memory
def add(
    opened: "Grimoire",
    output: Output,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Text file, UTF-8.")],
    name: Annotated[str | None, typer.Option(help="Name of the document; the file's if not given.")] = None,
    source: Annotated[str | None, typer.Option(help="Origin; the path if not given.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Remove a document of this name first.")] = False,
) -> None:
    """Add a text file in chunks."""
    added = opened.documents.add(
        read_text(file), name=name or file.name, source=source or str(file), replace=replace
    )
    output.document(plain(added))
    output.text(_shown(added))


@app.command("list")
@on_memory
def list_(opened: "Grimoire", output: Output) -> None:
    """List the documents."""
    found = opened.documents.list()
    output.document({"documents": plain(found)})
    for each in found:
        output.text(_shown(each))


@app.command()
@on_memory
def remove(
    opened: "Grimoire",
    output: Output,
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a document.")],
    allow_again: Annotated[
        bool, typer.Option("--allow-again", help="The same chunks may be recorded again.")
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete a document from every file, with the facts that rest on it alone."""
    if not yes:
        output.confirm(f"Delete the document {name}?")
    report = opened.documents.remove(name, allow_again=allow_again)
    output.document(plain(report))
    output.text(f"{len(report.episodes)} chunks and {len(report.facts)} facts were deleted")


def _shown(document: "Document") -> str:
    origin = f", from {document.source}" if document.source else ""
    return f"{document.name}: {document.chunks} chunks, {document.characters} characters{origin}"
