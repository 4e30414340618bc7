"""`bardo curator`: the Curator on demand."""

import signal
import threading
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.consolidate.replay import Policy
    from bardo.grimoire.grimoire import Grimoire

app = noun("What the Curator does on demand.")


@app.command()
@on_memory
def replay(
    opened: "Grimoire",
    output: Output,
    *,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Maximum number of episodes.")] = 32,
    policy: Annotated[str, typer.Option(help="prioritised, utility or uniform.")] = "prioritised",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 0,
) -> None:
    """Sample verified episodes for replay; their priority falls with each replay."""
    found = opened.curator.replay(count, policy=cast("Policy", policy), seed=seed)
    output.document({"replayed": plain(found)})
    output.rows(tables.episodes, [each.episode for each in found])


@app.command()
@on_memory
def dream(
    opened: "Grimoire",
    output: Output,
    *,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Replays of 32 episodes; 32 if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
) -> None:
    """Replay episodes and propose facts from them.

    Only later episodes can confirm a proposal. An interrupt ends the replays; the dream uses those made so far.
    """
    woken = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: woken.set())
    with output.progress() as step:
        report = opened.curator.dream(rounds=rounds, seed=seed, until=woken.is_set, progress=step)
    facts = [(fact, opened.facts.confidence(fact)) for fact in map(opened.facts.get, report.proposed)]
    output.report(report, title="A dream")
    if facts:
        output.show(tables.facts(facts))


@app.command()
@on_memory
def lint(
    opened: "Grimoire",
    output: Output,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Lint the latest facts.

    Merges duplicates, moves unused facts to the cold tier, and flags contradictions. `bardo journal undo` reverts it
    as one act.
    """
    with output.progress() as step:
        report = opened.curator.lint(dry_run=dry_run, progress=step)
    document = plain(report)
    for change, entry in zip(report.changes, document["changes"], strict=True):
        entry["action"] = report.action(change)
    output.document(document)
    counts = [(name, len(value) if isinstance(value, list) else value) for name, value in document.items()]
    output.pairs(counts[:-1], title="What a lint would do" if dry_run else "Put in order")
    for change in report.changes:
        output.text(f"{report.action(change)}\t{change.after.id}\t{change.after.text}")


@app.command()
@on_memory
def gaps(opened: "Grimoire", output: Output) -> None:
    """List the agent's open questions."""
    found = opened.curator.gaps()
    output.document({"gaps": plain(found)})
    for gap in found:
        output.text(f"{'confirmed' if gap.confirmed else 'new'}\t{gap.kind}\t{gap.question}")
    if not found:
        output.note("No question is open. `bardo curator lint` looks for them")


@app.command()
@on_memory
def calibration(opened: "Grimoire", output: Output) -> None:
    """Compare confidences with the frequency at which facts of such confidence held."""
    found = opened.curator.calibration()
    output.document(
        {
            "outcomes": found.outcomes,
            "brier": found.brier,
            "error": found.error,
            "reliability": plain(list(found.reliability)),
        }
    )
    if not found.outcomes:
        output.text("There is no outcome so far: `bardo outcome` tells what came of acting on memories.")
        return
    output.show(tables.reliability(found))
    output.text(f"Brier score {found.brier:.4f} (always .5 has .25), calibration error {found.error:.3f}")
