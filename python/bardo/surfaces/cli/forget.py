"""`bardo forget`: deletion, everywhere and for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain

if TYPE_CHECKING:
    from bardo.grimoire import Grimoire

#: Characters of a record that the question shows.
_SHOWN = 60


def forget(
    *,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of episodes or facts.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the answer alone.")] = "asked for",
    allow_again: Annotated[
        bool, typer.Option("--allow-again", help="The same content may be captured again.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Delete episodes and facts everywhere, and look again.

    With them go the facts that stand on those episodes alone. Nothing brings them back.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        if not yes:
            for line in _told(opened, ids):
                output.note(line)
            typer.confirm(
                f"Delete {'this' if len(ids) == 1 else f'these {len(ids)}'} for good?", abort=True, err=True
            )
        with output.progress() as step:
            report = opened.forget(ids, reason=reason, allow_again=allow_again, progress=step)
    from bardo.surfaces.cli import tables  # noqa: PLC0415

    document = plain(report)
    output.document(document)
    told = {name: len(value) if isinstance(value, list) else value for name, value in document.items()}
    output.show(tables.pairs(told.items(), title="Forgotten"))


def _told(opened: Grimoire, ids: list[str]) -> list[str]:
    records = [opened.get(id_) for id_ in ids]
    return [f"{record.id}  {' '.join(record.text.split())[:_SHOWN]}" for record in records]
