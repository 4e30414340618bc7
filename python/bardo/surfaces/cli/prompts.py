"""`bardo prompts`: recorded prompts, and weights learned from them."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import ROWS, Limit, Yes
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("The prompts on record, and what was learned from them.")


@app.command("list")
@on_memory
def list_(opened: "Grimoire", output: Output, *, limit: Limit = ROWS) -> None:
    """List the recorded prompts, the latest first: ids and numbers, without texts."""
    found = opened.prompts.list(limit=limit)
    output.document({"prompts": plain(found)})
    output.rows(tables.prompts, found)


@app.command()
@on_memory
def acted(
    opened: "Grimoire",
    output: Output,
    *,
    prompt: Annotated[str, typer.Argument(metavar="ID", help="Id of a prompt.")],
    not_taken: Annotated[bool, typer.Option("--not", help="The action was not taken.")] = False,
) -> None:
    """Record whether the action of a prompt was taken; prompts without action do not affect weights."""
    opened.prompts.acted(prompt, taken=not not_taken)
    output.document({"id": prompt, "acted": not not_taken})
    output.text(f"{prompt} was {'not ' if not_taken else ''}acted on")


@app.command()
@on_memory
def reset_weights(opened: "Grimoire", output: Output, *, yes: Yes = False) -> None:
    """Delete the records of prompts and outcomes, and all weights learned from them."""
    if not yes:
        output.confirm("Forget all records of prompts?")
    opened.prompts.reset_weights()
    output.document({"reset": True})
    output.text("The weights are the defaults again")
