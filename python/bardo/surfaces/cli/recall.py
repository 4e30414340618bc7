"""`bardo recall` and `bardo context`: what is known, for a person, a program or a prompt."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bardo.errors import InvalidInputError
from bardo.recall.options import BOTH_LAYERS, RecallOptions
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.opening import to_read
from bardo.surfaces.cli.options import HERE, At, Debug, Json, moment_given, tick_or_moment
from bardo.surfaces.cli.output import Output, plain

if TYPE_CHECKING:
    from bardo.model import Role, Source
    from bardo.recall.filters import Layer
    from bardo.recall.recollection import Memory


def recall(
    *,
    query: Annotated[str, typer.Argument(help="In words; - reads it from stdin.")],
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="At most so many.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only this kind; repeatable.")] = None,
    category: Annotated[str | None, typer.Option(help="Only facts under this slash path.")] = None,
    subject: Annotated[
        list[str] | None, typer.Option("--subject", "-s", help="Only about this; repeatable.")
    ] = None,
    source: Annotated[list[str] | None, typer.Option(help="Only from this source; repeatable.")] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only by this author; repeatable.")] = None,
    thread: Annotated[str | None, typer.Option(help="The active thread: its memories come first.")] = None,
    session: Annotated[
        str | None, typer.Option(help="The active session: its first turn leaves out what agents said.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="Only this posture; * for every one.")] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="First moment, ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE", help="Last moment, ISO 8601.")] = None,
    min_confidence: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Only facts so sure today.")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="TICK|DATE", help="What was known then; a date where ticks are seconds."),
    ] = None,
    layer: Annotated[list[str] | None, typer.Option(help="episode or fact; both if not given.")] = None,
    policy: Annotated[str | None, typer.Option(help="four_factor, rrf or pinned.")] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Recall a few memories, with the reasons."""
    output = Output(as_json=as_json)
    asked: RecallOptions = {
        "kinds": kind or None,
        "category": category,
        "subjects": subject or None,
        "sources": cast("list[Source]", source) or None,
        "roles": cast("list[Role]", role) or None,
        "thread": thread,
        "mode": mode,
        "since": moment_given(since, "--since"),
        "until": moment_given(until, "--until"),
        "min_confidence": min_confidence,
        "as_of": tick_or_moment(as_of, "--as-of"),
        "layers": cast("list[Layer]", layer) or BOTH_LAYERS,
        "policy": policy,
    }
    words = _query(query)
    opened, notes = to_read(at)
    from bardo.grimoire.grimoire import Grimoire  # loaded by now

    with opened:
        if isinstance(opened, Grimoire):
            found = opened.recall(words, limit=limit, session=session, **asked)
        else:
            found = opened.recall(words, limit=limit, **asked)
            if session is not None:
                notes = (*notes, "--session was set aside: only the owner knows whether it has begun")
        found = dataclasses.replace(found, notes=(*notes, *found.notes)) if notes else found
    from bardo.surfaces.cli import tables

    output.document(tables.recollection_document(found))
    if len(found):
        output.show(tables.memories(found))
    for note in found.notes:
        output.note(str(note))
    if not len(found):
        output.note("nothing found")
        raise typer.Exit(exits.NOTHING_FOUND)


def context(
    *,
    task: Annotated[str, typer.Argument(help="What is to be decided; - reads it from stdin.")],
    block: Annotated[
        list[str] | None, typer.Option(metavar="NAME=TEXT", help="A further block; NAME=@FILE reads a file.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Tokens of the whole, the reserve included.")
    ] = None,
    reserve: Annotated[int | None, typer.Option(min=0, help="Tokens kept free for the answer.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Memories considered.")] = 12,
    phase: Annotated[str | None, typer.Option(help="Phase of life, as thriving or terminal.")] = None,
    task_type: Annotated[
        str | None, typer.Option(help="Kind of task; it shifts the shares of the blocks.")
    ] = None,
    thread: Annotated[str | None, typer.Option(help="The active thread.")] = None,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Assemble a prompt within a token budget.

    It goes to stdout as it is, to be piped on.
    """
    output = Output(as_json=as_json)
    options: dict[str, Any] = {"reserve": reserve, "phase": phase, "task_type": task_type, "thread": thread}
    opened, notes = to_read(at)
    with opened:
        prompt = opened.context(
            _query(task),
            blocks=dict(_block(given) for given in block or ()),
            budget=budget,
            limit=limit,
            **{name: value for name, value in options.items() if value is not None},
        )
    from bardo.surfaces.cli import tables

    output.document(
        {
            "id": prompt.id,
            "text": str(prompt),
            "tokens": prompt.tokens,
            "blocks": plain(prompt.blocks),
            "memories": [tables.memory_document(cast("Memory", memory)) for memory in prompt.memories],
            "cut": plain(prompt.cut),
            "notes": [*notes, *prompt.notes],
        }
    )
    output.text(str(prompt))
    for note in (*notes, *prompt.notes):
        output.note(note)
    output.note(f"{prompt.tokens} tokens, {len(prompt.memories)} memories")


def _query(given: str) -> str:
    if given != "-":
        return given
    from bardo.surfaces.cli.remember import _stdin

    return _stdin().strip()


def _block(given: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign or not name:
        raise InvalidInputError(f"--block is {given!r}. Write NAME=TEXT or NAME=@FILE")
    if not value.startswith("@"):
        return name, value
    from bardo.surfaces.cli.remember import read_text

    return name, read_text(Path(value[1:]))
