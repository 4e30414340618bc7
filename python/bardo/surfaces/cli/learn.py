"""`bardo learn`: adds a fact."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.errors import InvalidInputError
from bardo.model import FactKind, Source
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.options import time_given
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
    text: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT...", help="Sentences; - reads one from stdin. A statement needs none."),
    ] = None,
    attribute: Annotated[
        str, typer.Option(help="Attribute of the subject that the value belongs to, such as port.")
    ] = "",
    value: Annotated[str, typer.Option(help="Its value; a new one ends the old one.")] = "",
    denied: Annotated[bool, typer.Option("--denied", help="The subject does not have this value.")] = False,
    condition: Annotated[str, typer.Option(help="Case in which it holds, such as staging.")] = "",
    since: Annotated[str, typer.Option(help="First day or time at which it holds (ISO 8601, UTC).")] = "",
    until: Annotated[str, typer.Option(help="First day or time at which it no longer holds.")] = "",
    kind: Annotated[
        FactKind | None, typer.Option(help="Kind of fact; insight, or that of the attribute.")
    ] = None,
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
    sentences = [read_stdin().strip() if each == "-" else each for each in text or [""]]
    is_statement = bool(attribute or value or denied)
    if is_statement and len(subject or ()) != 1:
        raise InvalidInputError("a statement is about one subject. Pass --subject once")
    if is_statement and len(sentences) != 1:
        raise InvalidInputError("a statement has one sentence at most. Call `bardo learn` once per statement")
    learned = opened.learn(
        sentences,
        subject=subject[0] if subject and is_statement else "",
        attribute=attribute,
        value=value,
        denied=denied,
        condition=condition,
        since=time_given(since, "--since") if since else None,
        until=time_given(until, "--until") if until else None,
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
