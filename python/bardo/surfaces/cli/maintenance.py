"""`bardo maintenance`: the derived parts, the files, the inbox, the ticks, and what language models cost."""

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
        typer.Option("--repair", help="Mend what can be mended in facts.db; it is kept beside it first."),
    ] = False,
) -> None:
    """Read every file against its checksums, its signature or the log.

    It also works where the memory cannot be opened. Damage that is left has exit code 5.
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
    days: Annotated[int, typer.Option(min=1, help="How far to look back.")] = MONTH_DAYS,
) -> None:
    """Show what language models have cost.

    Calls, tokens, money by the prices in bardo.toml, latency, and how calls ended.
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
    """Take over the episodes that other processes dropped; so does every command that opens the grimoire."""
    from bardo.capture import inbox

    # Opening drains the inbox, and says what is wrong with a folder that cannot be read.
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
    """Take a leap of time back: a clock that was wrong for a while, or a tick that was passed by mistake.

    Ticks go on from the last one; the leap is taken out of the age of every fact.
    """
    done = opened.maintenance.rebase_ticks(tick=tick)
    output.document(done)
    output.text(f"Tick {done.tick} is now: {done.by} ticks were taken out of the age of {done.facts} facts.")
    for act in done.acts:
        output.note(f"act {act} was inferred meanwhile; `bardo journal undo {act}` takes it back")
