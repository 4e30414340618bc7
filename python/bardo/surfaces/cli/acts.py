"""`bardo acts` and `bardo undo`: what was inferred, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, moment, plain
from bardo.surfaces.cli.show import ROWS

if TYPE_CHECKING:
    from bardo.grimoire.results import Act


def acts(
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Acts at most.")] = ROWS,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Lists what was inferred about facts, act by act, the last first."""
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        found = opened.journal.list(limit=limit)
    output.document({"acts": plain(found)})
    table = tables.grid("act", "by", "tick", "when", "facts", "undone by")
    for act in found:
        undone = "" if act.undone_by is None else str(act.undone_by)
        table.add_row(str(act.number), act.name, str(act.tick), moment(act.at), _told(act), undone)
    output.show(table)


def undo(
    act: Annotated[
        int, typer.Argument(metavar="ACT", min=1, help="Number of an act, as `bardo acts` lists it.")
    ],
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Take an act back.

    Facts are as they were before, where nothing changed them since.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        undone = opened.journal.undo(act)
    output.document(plain(undone))
    output.text(
        f"Act {undone.act} took it back: {len(undone.restored)} facts are as they were, "
        f"{len(undone.withdrawn)} new ones are archived."
    )
    for fact, fields in undone.kept.items():
        output.note(f"{fact} had changed again and keeps its {', '.join(fields)}")


def _told(act: Act) -> str:
    born = sum(change.before is None for change in act.changes)
    return f"{born} new, {len(act.changes) - born} changed"
