"""`bardo forget`: deletion, everywhere and for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

#: Characters of a record that the question shows.
_SHOWN = 60


def forget(
    *,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Ids of episodes, facts or triples.")
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(
            "--about",
            metavar="NAME",
            help="Every memory that names this entity or subject, and what was told of it.",
        ),
    ] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the answer alone.")] = "asked for",
    allow_again: Annotated[
        bool, typer.Option("--allow-again", help="The same content may be captured again.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Deletes episodes and facts everywhere, and look again.

    With them go the facts that stand on those episodes alone. Nothing brings them back.
    """
    output = Output(as_json=as_json)
    given, names = ids or [], about or []
    with grimoire(at) as opened:
        if not yes:
            lines = [*_told(opened, given), *(line for name in names for line in _naming(opened, name))]
            for line in lines:
                output.note(line)
            typer.confirm(
                f"Delete {'this' if len(lines) == 1 else f'these {len(lines)}'} for good?",
                abort=True,
                err=True,
            )
        with output.progress() as step:
            report = opened.forget(given, about=names, reason=reason, allow_again=allow_again, progress=step)
    from bardo.surfaces.cli import tables

    document = plain(report)
    output.document(document)
    told = {name: len(value) if isinstance(value, list) else value for name, value in document.items()}
    output.show(tables.pairs(told.items(), title="Forgotten"))


def _told(opened: Grimoire, ids: list[str]) -> list[str]:
    from bardo.surfaces.cli.show import record_of

    triples = {triple.id: triple for triple in opened.entities.relations(limit=2**31)} if ids else {}
    lines = []
    for id_ in ids:
        triple = triples.get(id_)
        record = None if triple else record_of(opened, id_)
        told = (
            record.text
            if record
            else f"{triple.subject} {triple.predicate} {triple.object}"
            if triple
            else ""
        )
        lines.append(f"{id_}  {' '.join(told.split())[:_SHOWN]}")
    return lines


def _naming(opened: Grimoire, name: str) -> list[str]:
    mentions = sum(entity.mentions for entity in opened.entities.list(name))
    told = len(opened.entities.relations(name))
    return [f"{name}  every memory that names it ({mentions} do), and what was told of it ({told} relations)"]
