"""`bardo show` and `bardo stats`: looking without changing anything."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import NotFoundError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.opening import grimoire, to_read
from bardo.surfaces.cli.options import HERE, At, Debug, Json, is_file, tick_or_moment
from bardo.surfaces.cli.output import Output, plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.model import Episode, Fact

#: Rows of a list when no number is given.
ROWS = 20


def show(
    *,
    record: Annotated[
        str | None,
        typer.Argument(metavar="ID|TESTAMENT", help="Id of an episode or fact, or a testament file."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = ROWS,
    subject: Annotated[str | None, typer.Option("--subject", "-s", help="Only about this.")] = None,
    thread: Annotated[str | None, typer.Option(help="Only of this thread.")] = None,
    from_tick: Annotated[
        str | None,
        typer.Option(metavar="TICK|DATE", help="Only from this tick; a date where ticks are seconds."),
    ] = None,
    to_tick: Annotated[
        str | None, typer.Option(metavar="TICK|DATE", help="Only up to this tick; as --from-tick.")
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a record, a testament, or a list.

    Without an argument, the latest episodes; `bardo facts` lists facts.
    """
    output = Output(as_json=as_json)
    if record is not None and is_file(Path(record)):
        from bardo.surfaces.cli.legacy import show_testament

        show_testament(Path(record), output)
        return
    with grimoire(at) as opened:
        if record is not None:
            _one(opened, record, output)
        else:
            narrowed = any(value is not None for value in (subject, thread, from_tick, to_tick))
            episodes = opened.episodes.list(
                from_tick=tick_or_moment(from_tick, "--from-tick") or 0,
                to_tick=tick_or_moment(to_tick, "--to-tick"),
                subject=subject,
                thread=thread,
                last=None if narrowed else limit,
            )
            _episodes(list(islice(episodes, limit)), output)


def stats(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Counts what is there, and what it costs on disk."""
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    opened, notes = to_read(at)
    with opened:
        document = plain({**opened.stats(), "notes": notes} if notes else opened.stats())
    output.document(document)
    for note in notes:
        output.note(note)
    output.show(tables.pairs(_flat(document)))


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in values.items():
        rows += _flat(value, f"{prefix}{name} ") if isinstance(value, dict) else [(f"{prefix}{name}", value)]
    return rows


def _one(opened: Grimoire, record_id: str, output: Output) -> None:
    from bardo.model import Fact
    from bardo.surfaces.cli import tables

    record = record_of(opened, record_id)
    document = {"layer": "fact" if isinstance(record, Fact) else "episode", **plain(record)}
    document["entities"] = [entity.name for entity in opened.entities.of(record)]
    if isinstance(record, Fact):
        document["confidence_now"] = opened.facts.confidence(record)
        document["links"] = plain(opened.facts.links(record))
        document["history"] = plain(opened.facts.history(record))
    output.document(document)
    if isinstance(record, Fact):
        document["links"] = [tables.link(link, record.id) for link in opened.facts.links(record)]
        document["history"] = [tables.state(state) for state in opened.facts.history(record)]
    shown = ((name, _cell(value)) for name, value in document.items() if value not in (None, "", [], {}))
    output.show(tables.pairs(shown))


def record_of(opened: Grimoire, record_id: str) -> Episode | Fact:
    """The episode or fact with an id.

    Raises:
        NotFoundError: There is neither.
    """
    for kind in (opened.episodes, opened.facts):
        with suppress(NotFoundError):
            return kind.get(record_id)
    raise NotFoundError(f"no episode or fact with id {record_id}. List what is there with `bardo show`")


def _cell(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)


def _episodes(found: list[Episode], output: Output) -> None:
    from bardo.surfaces.cli import tables

    output.document({"episodes": plain(found)})
    rows(tables.episodes(found), len(found), len(found), output)


def rows(table: Any, shown: int, total: int, output: Output) -> None:
    """A list, and whether it is all of it.

    Raises:
        typer.Exit: It is empty.
    """
    if not shown:
        output.note("nothing found")
        raise typer.Exit(exits.NOTHING_FOUND)
    output.show(table)
    if shown < total:
        output.note(f"{shown} of {total}; more with --limit")
