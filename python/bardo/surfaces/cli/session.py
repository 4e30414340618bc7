"""`bardo boot`, `heartbeat` and `checkpoint`: the beginning, the beat and the state of an agent's session."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bardo.errors import StoreLockedError
from bardo.surfaces.cli.command import on_memory, standalone
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.output import Output

if TYPE_CHECKING:
    from collections.abc import Callable

    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.recovery import Briefing


@standalone
def boot(
    output: Output,
    folder: Path,
    *,
    budget: Annotated[int, typer.Option(min=1, help="Maximum number of tokens.")] = 3_000,
) -> None:
    """Print the text with which a session begins: rules, rejections, tasks, decisions, lessons.

    While another process has the grimoire open, the text says nothing of an interrupted session.
    """
    brief(output, folder, lambda opened: opened.boot(budget=budget), boot=True)


@standalone
def heartbeat(output: Output, folder: Path) -> None:
    """Print the text that resumes unfinished work, or idle.

    While another process has the grimoire open, the text is the state and the rejections, or idle without an
    `agent_state` in force.
    """
    brief(output, folder, lambda opened: opened.heartbeat(), beat=True)


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


def brief(
    output: Output,
    folder: Path,
    make: "Callable[[Grimoire], Briefing]",
    *,
    boot: bool = False,
    beat: bool = False,
) -> None:
    """Prints a briefing of the memory; what is in force alone while another process has it open.

    Args:
        output: Output of the command.
        folder: Folder of the memory.
        make: Makes the briefing of the open memory.
        boot: Whether a session begins.
        beat: Whether the text is "idle" if no work is unfinished.
    """
    import bardo

    try:
        opened = grimoire(folder)
    except StoreLockedError as error:
        with bardo.gate(folder, words_only=True) as gate:
            text = "idle" if beat and not gate.state("agent_state") else gate.briefing(boot=boot)
        notes = [f"no messages and no note on the last session are shown: {error}"]
        output.document({"text": text, "notes": notes})
        if text:
            output.text(text)
        output.note(*notes)
        return
    with opened:
        show(make(opened), output)


def show(briefing: "Briefing", output: Output) -> None:
    """Prints a briefing: its text alone, or all of it as JSON."""
    output.document(briefing)
    if briefing.text:
        output.text(briefing.text)
    output.note(*briefing.notes)
