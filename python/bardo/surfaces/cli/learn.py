"""`bardo learn`: adds a fact."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.model import FactKind, Source
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire


@on_memory
def learn(
    opened: "Grimoire",
    output: Output,
    *,
    text: Annotated[list[str], typer.Argument(metavar="TEXT...", help="Sentences; - reads one from stdin.")],
    kind: Annotated[FactKind, typer.Option(help="Kind of fact.")] = "insight",
    category: Annotated[str, typer.Option(help="A slash path.")] = "",
    subject: Annotated[
        list[str] | None, typer.Option("--subject", "-s", help="Topic of the fact; repeatable.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(help="From 0 to 1; .7 if not given, or the limit of the source if lower."),
    ] = None,
    importance: Annotated[float, typer.Option(help="From 0 to 1.")] = 0.5,
    source: Annotated[Source, typer.Option(help="Origin of the fact.")] = "self",
    pinned: Annotated[bool, typer.Option("--pinned", help="Exempt from decay and pruning.")] = False,
    tick: Annotated[int | None, typer.Option(help="The current tick if not given.")] = None,
) -> None:
    """Add a fact; a known fact is reinforced instead of stored twice."""
    learned = opened.learn(
        [read_stdin().strip() if each == "-" else each for each in text],
        kind=kind,
        category=category,
        subjects=subject or (),
        confidence=confidence,
        importance=importance,
        source=source,
        pinned=pinned,
        tick=tick,
    )
    output.document({"facts": plain(learned)})
    for fact in learned:
        output.text(f"{fact.id}  {fact.text}")
