"""`bardo remember`: records text, files and chats as episodes."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

import typer

from bardo.capture.fields import EpisodeFields
from bardo.errors import InvalidInputError, StoreLockedError
from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.opening import found, grimoire
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin, read_text

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire
    from bardo.surfaces.loaders import Item

#: Number of episodes per durable write, and per step of the progress bar.
BATCH = 256
#: Default and maximum wait of `remember` while another process has the grimoire open, in seconds.
WAIT, LONGEST_WAIT = 2.0, 3_600.0


class _Fields(EpisodeFields, total=False):
    """Fields that the command line sets on every episode."""

    tick: int
    truncate: bool


@standalone
def remember(
    output: Output,
    folder: Path,
    *,
    text: Annotated[list[str] | None, typer.Argument(help="Episode texts; - reads it from stdin.")] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(exists=True, dir_okay=False, help="A text file; its whole is one episode."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Every line of the text or file is an episode.")
    ] = False,
    jsonl: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="JSON lines: strings, episodes, chat messages or tool calls; - is stdin."
        ),
    ] = None,
    chat: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A chat: JSON, JSON lines or 'Name: text' lines; - is stdin."),
    ] = None,
    tick: Annotated[int | None, typer.Option(help="Logical time; now if not given.")] = None,
    truncate: Annotated[
        bool, typer.Option("--truncate", help="Cut texts over 64 KiB instead of refusing them.")
    ] = False,
    drop: Annotated[
        bool,
        typer.Option("--drop", help="Leave it in the inbox at once, for the process that owns the grimoire."),
    ] = False,
    wait: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=LONGEST_WAIT,
            metavar="SECONDS",
            help="Maximum wait for another process; then the inbox is used.",
        ),
    ] = WAIT,
    **declared: Unpack[EpisodeFields],
) -> None:
    """Record episodes verbatim.

    They are on disk when this returns: in the grimoire, or in its inbox while another process has it open.
    """
    items = _items(text or [], file or [], jsonl, chat, lines=lines)
    fields = cast("_Fields", declared | {"truncate": truncate})
    if tick is not None:
        fields["tick"] = tick
    opened = None if drop else _opened(folder, wait)
    if isinstance(opened, StoreLockedError):
        output.note(f"left in the inbox, from where its owner takes it over: {opened}")
        opened, drop = None, True
    if opened is None:
        ids, known = _drop(folder, items, fields), 0
    else:
        ids, known = _store(opened, items, fields, output)
    output.document({"count": len(ids), "ids": ids, "known": known, "dropped": drop})
    where = "left in the inbox" if drop else "remembered"
    before = f", {known} of them before" if known else ""
    output.show(f"{len(ids)} {'episode' if len(ids) == 1 else 'episodes'} {where}{before}")


def _opened(at: Path, wait: float) -> "Grimoire | StoreLockedError":
    """Opens the grimoire; returns the error if another process has it open."""
    try:
        return grimoire(at, wait=wait)
    except StoreLockedError as error:
        return error


def _store(
    memory: "Grimoire", items: list["str | Item"], fields: _Fields, output: Output
) -> tuple[list[str], int]:
    """Stores episodes; returns their ids, and the number of those stored before."""
    with memory as opened, output.progress() as step:
        ids: list[str] = []
        known = 0
        # A chat is passed as a whole, as its stored messages are recognised by position.
        size = len(items) if all(isinstance(item, Mapping) for item in items) else BATCH
        for start in range(0, len(items), size):
            batch = [_filled(item, fields) for item in items[start : start + size]]
            stored = opened.remember(batch, **fields)
            ids += [episode.id for episode in stored]
            known += len(stored) - getattr(stored, "fresh", len(stored))
            step("remembering", len(ids), len(items))
        return ids, known


def _drop(at: Path, items: list["str | Item"], fields: _Fields) -> list[str]:
    """Writes the episodes to the inbox for the process that owns the grimoire."""
    import bardo

    with found(at):
        return bardo.drop(at, [_filled(item, fields) for item in items], **fields)


def _filled(item: "str | Item", fields: Mapping[str, Any]) -> "str | Item":
    """Fills the fields that a file leaves out with the options of the command line."""
    if isinstance(item, (str, Mapping)):
        return item
    defaults = {field.name: field.default for field in dataclasses.fields(item)}
    missing = {
        name: value
        for name, value in fields.items()
        if name in defaults and value is not None and getattr(item, name) == defaults[name]
    }
    return dataclasses.replace(item, **missing)


def _items(
    texts: list[str], files: list[Path], jsonl: Path | None, chat: Path | None, *, lines: bool
) -> list["str | Item"]:
    from bardo.surfaces import loaders

    found: list[str | Item] = []
    for text in [*(read_stdin() if text == "-" else text for text in texts), *map(read_text, files)]:
        found += [line for line in text.splitlines() if line.strip()] if lines else [text]
    if jsonl is not None:
        found += loaders.json_lines(read_text(jsonl), name=str(jsonl))
    if chat is not None:
        found += loaders.chat(read_text(chat), name=str(chat))
    if not found:
        raise InvalidInputError(
            "there is nothing to remember. Give a text, - for stdin, --file, --jsonl or --chat"
        )
    return found
