"""`bardo episodes`: listing, lookup, verification and search of episodes."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import ROWS, Limit, tick_or_time
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.show import show_record
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("What happened, verbatim.")


@app.command("list")
@on_memory
def list_(
    opened: "Grimoire",
    output: Output,
    *,
    limit: Limit = ROWS,
    subject: Annotated[str | None, typer.Option("--subject", "-s", help="Only about this.")] = None,
    thread: Annotated[str | None, typer.Option(help="Only of this thread.")] = None,
    from_tick: Annotated[
        str | None,
        typer.Option(metavar="TICK|DATE", help="Only from this tick; a date where ticks are seconds."),
    ] = None,
    to_tick: Annotated[
        str | None, typer.Option(metavar="TICK|DATE", help="Only up to this tick; as --from-tick.")
    ] = None,
) -> None:
    """List episodes: the latest, or the first that meet the conditions."""
    narrowed = any(value is not None for value in (subject, thread, from_tick, to_tick))
    found = opened.episodes.list(
        from_tick=0 if from_tick is None else tick_or_time(from_tick, "--from-tick"),
        to_tick=None if to_tick is None else tick_or_time(to_tick, "--to-tick"),
        subject=subject,
        thread=thread,
        last=None if narrowed else limit,
        limit=limit,
    )
    output.document({"episodes": plain(found)})
    output.rows(tables.episodes, found)


@app.command()
@on_memory
def get(
    opened: "Grimoire",
    output: Output,
    episode: Annotated[str, typer.Argument(metavar="ID", help="Id of an episode.")],
) -> None:
    """Show an episode."""
    show_record(opened, opened.episodes.get(episode), output)


@app.command()
@on_memory
def verify(
    opened: "Grimoire",
    output: Output,
    *,
    episodes: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of episodes.")],
    importance: Annotated[float | None, typer.Option(help="From 0 to 1; as it was if not given.")] = None,
) -> None:
    """Mark episodes as verified: their outcome is known, and the Curator may learn from them."""
    verified = opened.episodes.verify(episodes, importance=importance)
    output.document({"verified": verified, "before": len(set(episodes)) - verified})
    output.text(
        f"{verified} verified"
        + (f", {len(set(episodes)) - verified} were so before" * (verified < len(set(episodes))))
    )


@app.command()
@on_memory
def find(
    opened: "Grimoire",
    output: Output,
    *,
    url: Annotated[str | None, typer.Option(help="Fragment of a web address.")] = None,
    command: Annotated[str | None, typer.Option(help="Fragment of a shell command.")] = None,
    path: Annotated[str | None, typer.Option(help="Fragment of a file path.")] = None,
    limit: Limit = ROWS,
) -> None:
    """Find memories by a fragment of a web address, a command or a path in them."""
    found = opened.episodes.find(url=url, command=command, path=path, limit=limit)
    output.document({"found": plain(found)})
    output.rows(tables.findings, found)
