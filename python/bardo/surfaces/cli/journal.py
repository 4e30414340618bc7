"""`bardo journal`: acts of inference about facts, and undo of an act."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import ROWS, Limit
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("What was inferred about facts, act by act.")


@app.command("list")
@on_memory
def list_(opened: "Grimoire", output: Output, *, limit: Limit = ROWS) -> None:
    """List the acts of inference about facts with what happened to each fact, the last first."""
    found = opened.journal.list(limit=limit)
    output.document({"acts": plain(found)})
    output.show(tables.acts(found))


@app.command()
@on_memory
def undo(
    opened: "Grimoire",
    output: Output,
    act: Annotated[
        int, typer.Argument(metavar="ACT", min=1, help="Number of an act, from `bardo journal list`.")
    ],
    *,
    fact: Annotated[
        list[str] | None,
        typer.Option("--fact", metavar="ID", help="Undo only what the act did to this fact; repeatable."),
    ] = None,
) -> None:
    """Undo an act.

    Restores the facts that it changed, except later changes.
    """
    undone = opened.journal.undo(act, facts=list(fact) if fact else None)
    output.document(undone)
    output.text(
        f"Act {undone.act} took it back: {len(undone.restored)} facts are as they were, "
        f"{len(undone.withdrawn)} new ones are archived."
    )
    for id_, fields in undone.kept.items():
        output.note(f"{id_} had changed again and keeps its {', '.join(fields)}")
