"""`bardo entities` and `bardo find`: who and what memories name, and the addresses, commands and paths in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from bardo.errors import NotFoundError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain

if TYPE_CHECKING:
    from bardo.grimoire.entities import EntityKind
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.results import Entity
    from bardo.model import Episode, Fact


def entities(
    *,
    name: Annotated[
        str | None, typer.Argument(help="Only this one, with what it hangs together with.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="name, person, subject, handle, ticker or address.")
    ] = None,
    merge: Annotated[
        list[str] | None, typer.Option(metavar="ALIAS", help="Make it another name of NAME; repeatable.")
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(metavar="ALIAS", help="Take this name away from NAME; repeatable.")
    ] = None,
    of: Annotated[
        str | None, typer.Option(metavar="ID", help="Only those that this episode or fact names.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = 20,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Lists who and what memories name, the most mentioned first."""
    output = Output(as_json=as_json)
    if (merge or part) and not name:
        raise typer.BadParameter("--merge and --part need the NAME whose other names they are")
    if of and (name or kind):
        raise typer.BadParameter("--of takes neither NAME nor --kind")
    with grimoire(at) as opened:
        if name and merge:
            opened.entities.merge(name, merge)
        if name and part:
            opened.entities.part(name, part)
        if of:
            found = opened.entities.of(_record(opened, of))[:limit]
        else:
            found = opened.entities.list(name, kind=cast("EntityKind | None", kind), limit=limit)
        if not found:
            output.document({"entities": []})
            output.note("nothing found")
            raise typer.Exit(exits.NOTHING_FOUND)
        if name:
            _one(opened, found[0], limit, output)
        else:
            _many(found, output)


def _record(opened: Grimoire, id_: str) -> Episode | Fact:
    """The episode or fact with an id."""
    try:
        return opened.episodes.get(id_)
    except NotFoundError:
        return opened.facts.get(id_)


def find(
    *,
    url: Annotated[str | None, typer.Option(help="Fragment of a web address.")] = None,
    command: Annotated[str | None, typer.Option(help="Fragment of a shell command.")] = None,
    path: Annotated[str | None, typer.Option(help="Fragment of a file path.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = 20,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Finds memories by a web address, a command or a path in them; any fragment of it will do."""
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        found = opened.episodes.find(url=url, command=command, path=path, limit=limit)
    from bardo.surfaces.cli import tables

    output.document({"found": plain(found)})
    if not found:
        output.note("nothing found")
        raise typer.Exit(exits.NOTHING_FOUND)
    table = tables.grid("found", "text", "id")
    for finding in found:
        table.add_row(finding.value, tables.short(finding.record.text), finding.record.id)
    output.show(table)


def _one(opened: Grimoire, entity: Entity, limit: int, output: Output) -> None:
    from bardo.surfaces.cli import tables

    related = opened.entities.related(entity.name, limit=limit)
    triples = opened.entities.relations(entity.name, limit=limit)
    output.document({"entity": plain(entity), "related": plain(related), "relations": plain(triples)})
    shown = [(field, value) for field, value in plain(entity).items() if value not in (None, [])]
    output.show(tables.pairs((field, _cell(value)) for field, value in shown))
    if related:
        table = tables.grid("named with", "kind", "together")
        for other in related:
            table.add_row(other.name, other.kind, str(other.together))
        output.show(table)
    if triples:
        table = tables.grid("subject", "predicate", "object", "sure", "from", "to")
        for triple in triples:
            end = "" if triple.valid_to is None else str(triple.valid_to)
            sure = tables.sure(triple.confidence)
            table.add_row(triple.subject, triple.predicate, triple.object, sure, str(triple.valid_from), end)
        output.show(table)


def _many(found: list[Entity], output: Output) -> None:
    from bardo.surfaces.cli import tables

    output.document({"entities": plain(found)})
    table = tables.grid("entity", "kind", "mentions", "first", "last", "aliases")
    for entity in found:
        first, last = (
            str(tick) if tick is not None else "" for tick in (entity.first_tick, entity.last_tick)
        )
        aliases = ", ".join(entity.aliases)
        table.add_row(entity.name, entity.kind, str(entity.mentions), first, last, aliases)
    output.show(table)


def _cell(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
