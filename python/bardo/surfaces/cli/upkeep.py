"""`bardo sleep` and `bardo rebuild`: consolidation, and derived indexes rebuilt."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import BardoWarning, InvalidInputError, JournalLostError
from bardo.surfaces.cli.exits import STORE
from bardo.surfaces.cli.opening import found, grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, moment, plain

if TYPE_CHECKING:
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.grimoire.grimoire import Grimoire
    from bardo.ports import Progress

#: Seconds between two nights of `--watch`: the slow rhythm of spec 12 (Delta, 5 to 20 minutes) at its quickest.
EVERY = 300.0


def sleep(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what consolidating would change.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Stay, take in what other processes drop, and sleep again and again."),
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two times, with --watch.")] = EVERY,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Consolidate what happened into facts.

    What is verified becomes facts; what is new is embedded and archived.
    """
    if dry_run and watch:
        raise InvalidInputError("--dry-run and --watch exclude each other. Choose one")
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        if watch:
            _watch(opened, every, output)
            return
        with output.progress() as step:
            report = opened.sleep(dry_run=dry_run, progress=step)
    from bardo.surfaces.cli import tables

    document = plain(report)
    if dry_run:
        for change, entry in zip(report.changes, document["changes"], strict=True):
            entry["action"] = change.action
    output.document(document)
    told = [(name, value) for name, value in document.items() if not isinstance(value, list)]
    output.show(tables.pairs(told, title="What one night would do" if dry_run else "One night's work"))
    if report.changes:
        output.show(tables.changes(report.changes))
    for note in report.notes:
        output.note(note)


def dream(
    *,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Replays of 32 episodes; 32 if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws.")] = 0,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Replay what was lived and propose what it may mean.

    Only episodes that come later bear a proposal out. Interrupting it ends the replays; what was replayed is dreamt of.
    """
    output = Output(as_json=as_json)
    woken = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: woken.set())
    with grimoire(at) as opened:
        with output.progress() as step:
            report = opened.curator.dream(rounds=rounds, seed=seed, until=woken.is_set, progress=step)
        facts = [(fact, opened.facts.confidence(fact)) for fact in map(opened.facts.get, report.proposed)]
    from bardo.surfaces.cli import tables

    document = plain(report)
    output.document(document)
    output.show(
        tables.pairs(
            [(name, value) for name, value in document.items() if not isinstance(value, list)],
            title="A dream",
        )
    )
    if facts:
        output.show(tables.facts(facts))
    for note in report.notes:
        output.note(note)


def _watch(opened: Grimoire, every: float, output: Output) -> None:
    """Sleeps until it is interrupted or told to end; every night is whole."""
    ended = threading.Event()

    def end(signal_number: int, frame: Any) -> None:
        ended.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, end)
    while not ended.is_set():
        report = opened.sleep()
        output.line(plain(report), f"{moment(time.time_ns() // 1_000)} {_summary(report)}")
        for note in report.notes:
            output.note(note)
        ended.wait(every)


def _summary(report: CuratorCycleComplete) -> str:
    return (
        f"tick {report.tick}: {report.episodes} episodes, {report.facts_new} new facts, {report.facts_reinforced} "
        f"renewed, {len(report.confirmed)} confirmed, {report.facts_contradicted + len(report.refuted)} contradicted, "
        f"{report.entries_pruned} pruned"
    )


def recover(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Go on without what a lost journal held.

    For a grimoire that is refused because its journal lacks episodes. What can be read is taken over, the journal's
    file is set aside, and every index is made again.
    """
    import bardo

    output = Output(as_json=as_json)
    try:
        grimoire(at).close()
    except JournalLostError as error:
        if not yes:
            output.note(str(error))
            typer.confirm("Go on without these episodes?", abort=True, err=True)
    with warnings.catch_warnings():
        # The document says it.
        warnings.simplefilter("ignore", BardoWarning)
        opened = bardo.open(at, create=False, accept_loss=True)
    with opened, output.progress() as step:
        document = _recovered(opened, step)
    output.document(document)
    if not document["lost"]:
        output.text("The journal is as it should be: there is nothing to recover")
        return
    aside = f" Its file is kept as {document['kept']}" if document["kept"] else ""
    output.text(
        f"The journal {document['what']}. {document['taken']} episodes were taken over from it, "
        f"{document['episodes']} are there.{aside}"
    )


def _recovered(opened: Grimoire, step: Progress) -> dict[str, Any]:
    if opened.lost is None:
        return {"lost": False, "episodes": opened.stats()["log"]["episodes"]}
    what, kept, taken = opened.lost
    rebuilt = opened.maintenance.rebuild(progress=step)
    episodes = rebuilt["log"]["episodes"]
    return {"lost": True, "what": what, "kept": kept and str(kept), "taken": taken, "episodes": episodes}


def rebuild(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Rebuild every index from the log."""
    output = Output(as_json=as_json)
    with grimoire(at) as opened, output.progress() as step:
        report = opened.maintenance.rebuild(progress=step)
    from bardo.surfaces.cli import tables

    document = plain(report)
    output.document(document)
    output.show(tables.pairs(document.items(), title="Rebuilt"))


def rebase_ticks(
    *,
    tick: Annotated[
        int | None, typer.Option(help="Now, as you count; the clock's second if ticks are seconds.")
    ] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Take a leap of time back: a clock that was wrong for a while, or a tick that was passed by mistake.

    Ticks go on from the last one; the leap is taken out of the age of every fact.
    """
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        done = opened.maintenance.rebase_ticks(tick=tick)
    output.document(plain(done))
    output.text(f"Tick {done.tick} is now: {done.by} ticks were taken out of the age of {done.facts} facts.")
    for act in done.acts:
        output.note(f"act {act} was inferred meanwhile; `bardo undo {act}` takes it back")


def check(
    *,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Mend what can be mended in facts.db; it is kept beside it first."),
    ] = False,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Reads every file against its checksums, its signature or the log.

    It also works where the memory cannot be opened. Damage that is left has exit code 5.
    """
    import bardo
    from bardo.surfaces.cli import tables

    output = Output(as_json=as_json)
    with found(at):
        report = bardo.check(at, repair=repair)
    output.document(plain(report) | {"sound": report.sound})
    output.show(tables.pairs([(each, "read") for each in report.files], title="Checked"))
    for each in report.damaged:
        place = f"{each.file}, {each.table} {each.row}".rstrip(", ")
        output.text(f"{place}: {each.what}" + (f" ({each.repair})" if each.repair else ""))
    for note in report.notes:
        output.note(note)
    if not report.sound:
        raise typer.Exit(STORE)
