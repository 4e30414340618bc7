"""`bardo death`: the end of a life, step by step."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import NotFoundError
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import on_memory
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.inheritance import describe
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_text
from bardo.surfaces.cli.values import moment, plain

if TYPE_CHECKING:
    from bardo.bequeath.content.left_behind import LeftBehind
    from bardo.grimoire.grimoire import Grimoire

app = noun("End the agent's life step by step; `bardo bequeath` takes all steps at once.")

Reflection = Annotated[
    Path | None,
    typer.Option(
        exists=True, dir_okay=False, help="A markdown file; written from the evidence if not given."
    ),
]


@app.command("begin")
@on_memory
def begin(
    opened: "Grimoire",
    output: Output,
    *,
    cause: Annotated[str, typer.Option(help="Cause of death, in a word or a sentence.")] = "unspecified",
    obligation: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="An open position or promise to settle; repeatable."),
    ] = None,
    deadline: Annotated[
        int | None,
        typer.Option(min=0, metavar="TICKS", help="Ticks after which open tasks do not hold it up."),
    ] = None,
    testament: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The testament file to write at the end.")
    ] = None,
) -> None:
    """Begin the agent's death: it takes on no new tasks and decisions, and settles the open ones."""
    opened.death.begin(cause=cause, obligations=obligation or (), deadline=deadline, path=testament)
    _show(opened, output)


@app.command("show")
@on_memory
def show(opened: "Grimoire", output: Output) -> None:
    """Show the phase of the death, and its checklist."""
    _show(opened, output)


@app.command("settle")
@on_memory
def settle(
    opened: "Grimoire",
    output: Output,
    id_: Annotated[str, typer.Argument(metavar="ID", help="Id from `bardo death show`.")],
    *,
    note: Annotated[str, typer.Option(help="How it was settled.")] = "",
    by: Annotated[str, typer.Option(help="Person who settled it; the agent if not given.")] = "",
) -> None:
    """Mark a task of the checklist as settled."""
    task = opened.death.settle(id_, note, by=by)
    output.document(plain(task))
    output.text(f"{task.id}  {task.summary}: settled")


@app.command("complete")
@on_memory
def complete(
    opened: "Grimoire",
    output: Output,
    *,
    testament: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The testament file to write, if `begin` named none."),
    ] = None,
    reflection: Reflection = None,
    abandon: Annotated[
        bool, typer.Option("--abandon", help="Leave open tasks to the heir before the deadline.")
    ] = False,
) -> None:
    """Consolidate for the last time, write the testament, and make the memory read-only."""
    text = read_text(reflection) if reflection else None
    with output.progress() as step:
        written = opened.death.complete(testament, reflection=text, abandon=abandon, progress=step)
    describe(written, output)


@app.command("left-behind")
@on_memory
def left_behind(
    opened: "Grimoire",
    output: Output,
    id_: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id of an episode or fact; a summary if not given.")
    ] = None,
    *,
    reason: Annotated[
        str, typer.Option(metavar="REASON", help="List every record of one reason of the summary.")
    ] = "",
) -> None:
    """Tell which records of a dead agent did not cross to the heir, and why."""
    from bardo.bequeath.content.left_behind import counts_of

    found = opened.death.left_behind(id_)
    if id_ is not None:
        output.document({"id": id_, "crossed": not found, "left_behind": plain(found)})
        told = [f"{one.kind} {one.id} stayed behind ({one.reason}): {one.why}" for one in found]
        output.text("\n".join(told) or f"{id_} crossed to the heir")
        return
    counts = counts_of(found)
    if reason and reason not in counts:
        raise NotFoundError(
            f"no record stayed behind for the reason {reason!r}. The reasons are: {', '.join(counts) or 'none'}"
        )
    listed = [one for one in found if reason in ("", one.reason)]
    output.document({"left_behind": dict(counts), "records": plain(listed)})
    if not found:
        output.text("Every record crossed to the heir")
    elif reason and not output.as_json:
        table = tables.grid("id", "kind", "text", title=f"{reason}: {listed[0].why}")
        for one in listed:
            table.add_row(one.id, one.kind, _text_of(opened, one))
        output.show(table)
    elif not output.as_json:
        examples = {one.reason: one for one in reversed(found)}
        table = tables.grid("reason", "records", "why", "such as", title="Left behind")
        for name, count in counts.most_common():
            example = examples[name]
            table.add_row(name, f"{count:,}", example.why, _text_of(opened, example) or example.id)
        output.show(table)
        output.note("List the records of a reason with --reason")


def _text_of(opened: "Grimoire", one: "LeftBehind") -> str:
    """Returns the text of an episode or a fact; empty for others, which have no record of their own."""
    nouns: Any = {"episode": opened.episodes, "fact": opened.facts}.get(one.kind)
    with suppress(NotFoundError):
        return "" if nouns is None else str(nouns.get(one.id).text)
    return ""


def _show(opened: "Grimoire", output: Output) -> None:
    status = opened.death.status()
    checklist = opened.death.checklist() if status else []
    document: dict[str, Any] = {
        "death": plain(status),
        "dead": opened.lineage.is_dead,
        "checklist": plain(checklist),
    }
    output.document(document)
    if status is None:
        dead = "The agent has died; `bardo death left-behind` tells what did not cross"
        output.text(dead if opened.lineage.is_dead else "No death has begun")
        return
    left = sum(task.status == "active" for task in checklist)
    rows: list[tuple[str, Any]] = [
        ("phase", status.phase),
        ("cause", status.cause),
        ("begun", f"tick {status.tick}, {moment(status.at)}"),
        ("deadline", "none" if status.deadline is None else f"tick {status.deadline}, now {opened.now_tick}"),
        ("testament", status.path or "no place yet"),
        ("tasks", f"{left} open, {len(checklist) - left} settled"),
    ]
    output.pairs(rows, title=f"Death of {opened.agent}")
    if checklist and not output.as_json:
        tasks = tables.grid("id", "task", "status", "by", "note", title="Checklist")
        for task in checklist:
            tasks.add_row(task.id, task.summary, task.status, task.closed_by, task.closed_why)
        output.show(tasks)
