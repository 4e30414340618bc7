"""`bardo triage`: what a message needs before it is answered."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire


@on_memory
def triage(
    opened: "Grimoire",
    output: Output,
    *,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Message; - reads it from stdin.")],
    previous: Annotated[
        list[str] | None,
        typer.Option("--previous", metavar="TEXT", help="Message before it; repeatable, the latest last."),
    ] = None,
) -> None:
    """Print the intent of a message, whether its answer needs memories, and whether it is worth saving."""
    found = opened.triage(read_stdin().strip() if text == "-" else text, previous or ())
    output.document(plain(found))
    output.text(
        f"{found.intent or 'unknown'}: {'needs' if found.memory else 'needs no'} memory, "
        f"{'worth' if found.save else 'not worth'} saving (by {found.by})"
    )
    if found.note:
        output.note(found.note)
