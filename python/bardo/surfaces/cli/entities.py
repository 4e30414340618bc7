"""`bardo entities`: entities that memories name, and the relations between them."""

from typing import TYPE_CHECKING, Annotated, cast

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import ROWS, Limit, tick_or_time
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.show import record_of
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.entities import EntityKind
    from bardo.grimoire.grimoire import Grimoire

app = noun("Who and what memories name, and what holds between them.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of an entity, or another name of it.")]
Others = Annotated[list[str], typer.Argument(metavar="ALIAS...", help="Other names.")]


@app.command("list")
@on_memory
def list_(
    opened: "Grimoire",
    output: Output,
    *,
    name: Annotated[str | None, typer.Argument(help="Only the one of this name.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="name, person, subject, handle, ticker or address.")
    ] = None,
    limit: Limit = ROWS,
) -> None:
    """List the entities that memories name, the most mentioned first."""
    found = opened.entities.list(name, kind=cast("EntityKind | None", kind), limit=limit)
    output.document({"entities": plain(found)})
    output.rows(tables.entities, found)


@app.command()
@on_memory
def of(
    opened: "Grimoire",
    output: Output,
    record: Annotated[str, typer.Argument(metavar="ID", help="Id of an episode or fact.")],
) -> None:
    """List the entities that an episode or fact names."""
    found = opened.entities.of(record_of(opened, record))
    output.document({"entities": plain(found)})
    output.rows(tables.entities, found)


@app.command()
@on_memory
def related(opened: "Grimoire", output: Output, name: Name, *, limit: Limit = ROWS) -> None:
    """List the entities named in the same memories as one, the most frequent first."""
    found = opened.entities.related(name, limit=limit)
    output.document({"related": plain(found)})
    output.rows(tables.related, found)


@app.command()
@on_memory
def merge(opened: "Grimoire", output: Output, name: Name, others: Others) -> None:
    """Merge several names into one entity; new names become aliases."""
    merged = opened.entities.merge(name, others)
    _changed(opened, output, name, f"{merged} entities became part of it", merged=merged)


@app.command()
@on_memory
def part(opened: "Grimoire", output: Output, name: Name, others: Others) -> None:
    """Remove aliases from an entity."""
    parted = opened.entities.part(name, others)
    _changed(opened, output, name, f"{parted} names were taken away", parted=parted)


@app.command()
@on_memory
def relate(
    opened: "Grimoire",
    output: Output,
    *,
    subject: Annotated[str, typer.Argument(help="Name of an entity; a new one is made.")],
    predicate: Annotated[str, typer.Argument(help="Relation, such as 'works for'.")],
    object_: Annotated[str, typer.Argument(metavar="OBJECT", help="Name of an entity; a new one is made.")],
    confidence: Annotated[float, typer.Option(help="From 0 to 1.")] = 0.7,
    source: Annotated[
        str | None, typer.Option(metavar="ID", help="Episode or fact that states it; deletes it too.")
    ] = None,
    valid_from: Annotated[
        int | None, typer.Option(metavar="TICK", help="First tick at which it holds; now if not given.")
    ] = None,
    valid_to: Annotated[int | None, typer.Option(metavar="TICK", help="Tick from which it does not.")] = None,
    replaces: Annotated[
        bool, typer.Option("--replaces", help="End the subject's current relations of this predicate.")
    ] = False,
) -> None:
    """Store a relation between two entities."""
    triple = opened.entities.relate(
        subject, predicate, object_, confidence=confidence, source=source, valid_from=valid_from,
        valid_to=valid_to, replaces=replaces,
    )  # fmt: skip
    output.document(triple)
    output.text(f"{triple.id}  {triple.subject} {triple.predicate} {triple.object}")


@app.command()
@on_memory
def relations(
    opened: "Grimoire",
    output: Output,
    *,
    name: Annotated[str | None, typer.Argument(help="Only with this entity at either end.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Only by this predicate.")] = None,
    as_of: Annotated[str | None, typer.Option(metavar="TICK|DATE", help="Only those valid then.")] = None,
    every: Annotated[bool, typer.Option("--every", help="Also ended and future ones.")] = False,
    limit: Limit = ROWS,
) -> None:
    """List relations between entities that hold, the latest first."""
    tick = None if as_of is None else tick_or_time(as_of, "--as-of")
    found = opened.entities.relations(name, predicate=predicate, as_of=tick, every=every, limit=limit)
    output.document({"relations": plain(found)})
    output.rows(tables.triples, found)


def _changed(opened: "Grimoire", output: Output, name: str, done: str, **counts: int) -> None:
    (entity,) = opened.entities.list(name)
    output.document({**counts, "entity": plain(entity)})
    output.text(f"{entity.name} ({', '.join(entity.aliases)}): {done}")
