"""`bardo boot`, `heartbeat` and `checkpoint`: the beginning, the beat and the state of an agent's session."""

from typing import TYPE_CHECKING, Annotated

import typer

from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.recovery import Briefing


@on_memory
def boot(
    opened: "Grimoire",
    output: Output,
    *,
    budget: Annotated[int, typer.Option(min=1, help="Maximum number of tokens.")] = 3_000,
) -> None:
    """Print the text with which a session begins: rules, rejections, tasks, decisions, lessons."""
    show(opened.boot(budget=budget), output)


@on_memory
def heartbeat(opened: "Grimoire", output: Output) -> None:
    """Print the text that resumes unfinished work, or idle."""
    show(opened.heartbeat(), output)


@on_memory
def checkpoint(
    opened: "Grimoire",
    output: Output,
    *,
    doing: Annotated[str | None, typer.Argument(help="Work that is being done, in a sentence.")] = None,
    done: Annotated[bool, typer.Option("--done", help="The work and the session ended.")] = False,
    by: Annotated[str, typer.Option(metavar="NAME", help="Author.")] = "",
) -> None:
    """Write a checkpoint: the work that is unfinished until --done."""
    entry = opened.checkpoint(doing, done=done, by=by)
    output.document({"entry": entry})
    output.text("checkpoint written" if entry is None else f"{entry.id} {entry.status}: {entry.summary}")


def show(briefing: "Briefing", output: Output) -> None:
    """Prints a briefing: its text alone, or all of it as JSON."""
    output.document(briefing)
    if briefing.text:
        output.text(briefing.text)
    output.note(*briefing.notes)
