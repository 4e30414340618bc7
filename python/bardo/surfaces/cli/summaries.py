"""`bardo summaries`: summaries of conversations."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import ROWS, Limit
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.converse.summary_store import Summary
    from bardo.grimoire.grimoire import Grimoire

app = noun("Summaries of conversations, which the Curator makes.")


@app.command("list")
@on_memory
def list_(
    opened: "Grimoire",
    output: Output,
    *,
    level: Annotated[str | None, typer.Option(help="messages, day, week or month.")] = None,
    thread: Annotated[str | None, typer.Option(help="Thread of the messages.")] = None,
    limit: Limit = ROWS,
) -> None:
    """List summaries of conversations, the latest first."""
    found = opened.summaries.list(level=level, thread=thread, limit=limit)  # type: ignore[arg-type]
    output.document({"summaries": plain(found)})
    for each in found:
        output.text(_shown(each))


@app.command()
@on_memory
def show(
    opened: "Grimoire",
    output: Output,
    *,
    summary: Annotated[str, typer.Argument(metavar="ID", help="Id of a summary.")],
) -> None:
    """Show a summary, and the messages or summaries that it was made of."""
    found = opened.summaries.get(summary)
    inputs = opened.summaries.of(found)
    output.document({**plain(found), "inputs": plain(inputs)})
    output.text(_shown(found))
    for each in inputs:
        output.text(f"  {each.id}: {each.text}")


def _shown(summary: "Summary") -> str:
    where = f", thread {summary.thread}" if summary.thread else ""
    lines = summary.text.replace("\n", "\n  ") or "(nothing was stated)"
    return f"{summary.period} {summary.level}{where}, {summary.messages} messages ({summary.id})\n  {lines}"
