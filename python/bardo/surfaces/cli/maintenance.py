"""`bardo maintenance`: rebuild, integrity check, inbox, rebase of ticks, and cost of language models."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo.config import MONTH_DAYS
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory, standalone
from bardo.surfaces.cli.exits import STORE
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.opening import found, grimoire
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("Upkeep: indexes, files, inbox, ticks, and costs of language models.")


@app.command()
@on_memory
def rebuild(opened: "Grimoire", output: Output) -> None:
    """Rebuild every index from the log."""
    with output.progress() as step:
        report = opened.maintenance.rebuild(progress=step)
    output.document(report)
    output.pairs(plain(report).items(), title="Rebuilt")


@app.command()
@standalone
def check(
    output: Output,
    folder: Path,
    *,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Repair facts.db where possible; a copy is kept first."),
    ] = False,
) -> None:
    """Check every file against its checksums, its signature or the log.

    Also works where the memory cannot be opened. Exits with 5 if damage remains.
    """
    import bardo

    with found(folder):
        report = bardo.check(folder, repair=repair)
    output.document(plain(report) | {"sound": report.sound})
    output.pairs([(each, "read") for each in report.files], title="Checked")
    for each in report.damaged:
        place = f"{each.file}, {each.table} {each.row}".rstrip(", ")
        output.text(f"{place}: {each.what}" + (f" ({each.repair})" if each.repair else ""))
    output.note(*report.notes)
    if not report.sound:
        raise typer.Exit(STORE)


@app.command()
@on_memory
def costs(
    opened: "Grimoire",
    output: Output,
    *,
    days: Annotated[int, typer.Option(min=1, help="Period up to now, in days.")] = MONTH_DAYS,
) -> None:
    """Show the cost of language models.

    Calls, tokens, money by the prices in bardo.toml, latency, and results of calls.
    """
    spent = opened.maintenance.costs(days=days)
    output.document({**plain(spent), "calls": spent.calls, "tokens": spent.tokens, "cost": spent.cost})
    told = [
        ("tokens today", f"{spent.tokens_today} of {spent.daily_tokens}"),
        ("calls", spent.calls),
        ("tokens", spent.tokens),
        ("cost", f"{spent.cost:.4f}"),
    ]
    output.pairs(told, title=f"Language models, {days} days")
    if spent.spent:
        output.show(tables.spent(spent.spent))


@app.command()
@standalone
def drain_inbox(output: Output, folder: Path) -> None:
    """Record the episodes that other processes dropped, as does every command that opens the grimoire."""
    from bardo.capture import inbox

    # Opening drains the inbox, and reports a folder that cannot be read.
    waiting: set[Path] = set()
    with suppress(OSError, ValueError):
        waiting.update(inbox.waiting(folder))
    with grimoire(folder) as opened:
        opened.maintenance.drain_inbox()
        taken = len(waiting - set(inbox.waiting(folder)))
    output.document({"files": taken})
    output.text(f"{taken} {'file' if taken == 1 else 'files'} of the inbox taken over")


@app.command()
@on_memory
def rebase_ticks(
    opened: "Grimoire",
    output: Output,
    *,
    tick: Annotated[
        int | None, typer.Option(help="Now, as you count; the clock's second if ticks are seconds.")
    ] = None,
) -> None:
    """Undo a leap of time, from a clock that was wrong for a while or a tick passed by mistake.

    Ticks continue from the last one; the leap is subtracted from the age of every fact.
    """
    done = opened.maintenance.rebase_ticks(tick=tick)
    output.document(done)
    output.text(f"Tick {done.tick} is now: {done.by} ticks were taken out of the age of {done.facts} facts.")
    for act in done.acts:
        output.note(f"act {act} was inferred meanwhile; `bardo journal undo {act}` takes it back")
