"""`bardo outcome`: the outcome of acting on a prompt."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.errors import NotFoundError
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire


@on_memory
def outcome(
    opened: "Grimoire",
    output: Output,
    *,
    value: Annotated[
        float,
        typer.Argument(metavar="VALUE", help="Outcome, from -1 to 1."),
    ],
    prompt: Annotated[
        str | None, typer.Option("--prompt", metavar="ID", help="Id of a prompt; the latest if not given.")
    ] = None,
    note: Annotated[str | None, typer.Option("--note", help="Description of the outcome.")] = None,
    action: Annotated[str | None, typer.Option("--action", help="Action that was taken.")] = None,
) -> None:
    """Record the outcome of acting on a prompt; only outcomes raise or lower the confidence of facts."""
    if prompt is None:
        latest = opened.prompts.list(limit=1)
        if not latest:
            raise NotFoundError("no prompt is on record. Make one with `bardo context TASK`")
        prompt = latest[0].id
    report = opened.outcome(prompt, value=value, note=note, action=action)
    output.document({"prompt": prompt, **plain(report)})
    output.text(f"{prompt}: {report.reinforced} facts rose, {report.weakened} fell")
    output.note(*report.notes)
