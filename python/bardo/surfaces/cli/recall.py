"""`bardo recall` and `bardo context`: memories for a query, and a prompt for a task."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

import typer

from bardo.errors import InvalidInputError
from bardo.recall.options import CONSIDERED, OwnerRecallOptions, RecallOptions
from bardo.surfaces.cli import tables
from bardo.surfaces.cli.command import reading
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin, read_text
from bardo.surfaces.cli.values import memory_document, plain, recollection_document

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.grimoire.reader import Visitor


@reading
def recall(
    opened: "Grimoire | Visitor",
    output: Output,
    notes: tuple[str, ...],
    *,
    query: Annotated[str, typer.Argument(help="Query in words; - reads it from stdin.")],
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="Maximum number of memories.")
    ] = None,
    **options: Unpack[OwnerRecallOptions],
) -> None:
    """Recall the most relevant memories, with explanations."""
    left, set_aside = _visible(opened, options)
    found = opened.recall(_query(query), limit=limit, **left)
    found = dataclasses.replace(found, notes=(*notes, *set_aside, *found.notes))
    output.document(recollection_document(found))
    output.note(*map(str, found.notes))
    output.rows(tables.memories, found)


@reading
def context(
    opened: "Grimoire | Visitor",
    output: Output,
    notes: tuple[str, ...],
    *,
    task: Annotated[str, typer.Argument(help="Decision to make; - reads it from stdin.")],
    block: Annotated[
        list[str] | None, typer.Option(metavar="NAME=TEXT", help="A further block; NAME=@FILE reads a file.")
    ] = None,
    budget: Annotated[int | None, typer.Option(min=1, help="Tokens of prompt and answer together.")] = None,
    reserve: Annotated[int | None, typer.Option(min=0, help="Tokens kept free for the answer.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Memories considered.")] = CONSIDERED,
    phase: Annotated[str | None, typer.Option(help="Phase of life, as thriving or terminal.")] = None,
    task_type: Annotated[
        str | None, typer.Option(help="Kind of task; it shifts the shares of the blocks.")
    ] = None,
    voice: Annotated[str | None, typer.Option(help="briefing or first_person.")] = None,
    dossier: Annotated[
        bool | None, typer.Option(help="Whether the dossier replaces the search of facts.")
    ] = None,
    triage: Annotated[
        bool,
        typer.Option("--triage", help="The task is a chat message: memories of a reply, if it needs any."),
    ] = False,
    **options: Unpack[OwnerRecallOptions],
) -> None:
    """Assemble a prompt within a token budget.

    Prints it to stdout unchanged, for a pipe.
    """
    more = {
        "budget": budget, "reserve": reserve, "phase": phase, "task_type": task_type, "voice": voice,
        "dossier": dossier, "triage": triage or None,
    }  # fmt: skip
    given: dict[str, Any] = {name: value for name, value in more.items() if value is not None}
    left, set_aside = _visible(opened, options | given)
    text = _query(task)
    if left.pop("triage", False):
        left["triage"] = cast("Grimoire", opened).triage(text)
    prompt = opened.context(text, blocks=dict(_block(each) for each in block or ()), limit=limit, **left)
    told = [*notes, *set_aside, *prompt.notes]
    output.document(
        {
            "id": prompt.id,
            "text": str(prompt),
            "tokens": prompt.tokens,
            "blocks": [each.to_dict() | {"text": each.text} for each in prompt.blocks],
            "memories": [memory_document(memory) for memory in prompt.memories],
            "cut": plain(prompt.cut),
            "notes": told,
        }
    )
    output.text(str(prompt))
    output.note(*told, f"{prompt.tokens} tokens, {len(prompt.memories)} memories")


#: Options that need the log.
_OF_THE_OWNER = {*OwnerRecallOptions.__annotations__, "dossier", "triage"} - {*RecallOptions.__annotations__}


def _visible(opened: "Grimoire | Visitor", options: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Returns the options that apply, and notes on those that only the owner of the memory can apply."""
    from bardo.grimoire.grimoire import Grimoire  # loaded by now

    aside = [] if isinstance(opened, Grimoire) else sorted(_OF_THE_OWNER & options.keys())
    left = {name: value for name, value in options.items() if name not in aside}
    return left, tuple(
        f"--{name} was set aside: it needs the log, which its owner has open" for name in aside
    )


def _query(given: str) -> str:
    return read_stdin().strip() if given == "-" else given


def _block(given: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign or not name:
        raise InvalidInputError(f"--block is {given!r}. Write NAME=TEXT or NAME=@FILE")
    return name, read_text(Path(value[1:])) if value.startswith("@") else value
