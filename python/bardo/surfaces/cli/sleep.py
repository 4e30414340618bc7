"""`bardo sleep` and `bardo tick`: consolidation."""

import signal
import threading
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import InvalidInputError
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import moment, plain

if TYPE_CHECKING:
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.grimoire.grimoire import Grimoire

#: Default interval of `--watch` in seconds: slow consolidation runs every 5 to 20 minutes.
EVERY = 300.0
#: Work of a pass before its first stage reports.
SLOW = "loading the language models, and reading what is new; the first pass of a process takes longest"


@on_memory
def tick(
    opened: "Grimoire",
    output: Output,
    now: Annotated[
        int | None,
        typer.Argument(metavar="TICK", min=0, help="The new tick; the second of the clock if not given."),
    ] = None,
) -> None:
    """Advance logical time, and run a pass if one is due."""
    report = opened.tick(now)
    if report is None:
        output.document({"tick": opened.now_tick, "pass": None})
        output.text(f"Tick {opened.now_tick}; no pass of the Curator was due")
        return
    output.document({"tick": opened.now_tick, "pass": plain(report)})
    output.text(_summary(report))
    output.note(*report.notes)


@on_memory
def sleep(
    opened: "Grimoire",
    output: Output,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what consolidating would change.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep running; drain the inbox and sleep repeatedly."),
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two times, with --watch.")] = EVERY,
) -> None:
    """Consolidate episodes into facts.

    Consolidates verified episodes; embeds and archives new ones.
    """
    if dry_run and watch:
        raise InvalidInputError("--dry-run and --watch exclude each other. Choose one")
    if watch:
        _watch(opened, every, output)
        return
    with output.progress(slow=SLOW) as step:
        report = opened.sleep(dry_run=dry_run, progress=step)
    changes = plain(report.changes)
    if dry_run:
        for change, entry in zip(report.changes, changes, strict=True):
            entry["action"] = change.action
    output.report(report, title="What one night would do" if dry_run else "One night's work", changes=changes)
    if report.changes:
        output.show(tables.changes(report.changes))


def _watch(opened: "Grimoire", every: float, output: Output) -> None:
    """Runs `sleep` repeatedly until a signal; a running one is completed first."""
    ended = threading.Event()

    def end(signal_number: int, frame: Any) -> None:
        ended.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, end)
    while not ended.is_set():
        report = opened.sleep()
        output.line(plain(report), f"{moment(time.time_ns() // 1_000)} {_summary(report)}")
        output.note(*report.notes)
        ended.wait(every)


def _summary(report: "CuratorCycleComplete") -> str:
    return (
        f"tick {report.tick}: {report.episodes} episodes, {report.facts_new} new facts, {report.facts_reinforced} "
        f"renewed, {len(report.confirmed)} confirmed, {report.facts_contradicted + len(report.refuted)} contradicted, "
        f"{report.facts_superseded} superseded, {report.entries_pruned} pruned"
    )
