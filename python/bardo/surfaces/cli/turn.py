"""`bardo turn`: memory around every turn, for the shell hooks of agents that are programs of their own."""

import sys
import time
from pathlib import Path
from typing import Annotated, Any, Unpack

import typer

from bardo._atomic import parse_json
from bardo.capture.fields import EpisodeFields
from bardo.errors import InvalidInputError, StoreLockedError
from bardo.surfaces.cli.command import standalone
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.opening import found, grimoire
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.texts import read_stdin

app = noun("Memory around every turn, for shell hooks.")
#: Keys of a hook's JSON that hold the user's text and the agent's reply.
_SAID, _REPLIED = ("prompt", "message", "text"), ("last_assistant_message", "reply", "text")

Text = Annotated[
    str | None, typer.Argument(metavar="TEXT", help="What was said; - or nothing reads it from stdin.")
]
Hook = Annotated[
    bool,
    typer.Option("--hook", help="Stdin is the JSON of an agent's hook: prompt, session_id, transcript_path."),
]


@app.command()
@standalone
def before(
    output: Output,
    folder: Path,
    *,
    text: Text = None,
    hook: Hook = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Maximum number of memories.")] = 3,
    budget: Annotated[int, typer.Option(min=100, help="Maximum number of tokens of the text.")] = 1_500,
    **declared: Unpack[EpisodeFields],
) -> None:
    """Record what the user said, and print related memories, state and rejections.

    While another process has the grimoire open, the text goes to its inbox, and nothing is searched.
    """
    began = time.perf_counter()
    said, fields = _given(text, declared, _SAID, hook=hook)
    try:
        opened = grimoire(folder)
    except StoreLockedError as error:
        _drop(output, folder, {"role": "user", "content": said}, fields, error)
        return
    with opened:
        turn = opened.turn(said, limit=limit, budget=budget, lasting=bool(fields.get("session")), **fields)
        milliseconds = round((time.perf_counter() - began) * 1_000, 1)
        if output.as_json:
            document = {
                "text": turn.text,
                "tokens": turn.tokens,
                "memories": turn.memories,
                "notes": turn.notes,
            }
            output.document(document | {"milliseconds": milliseconds})
        if turn.text:
            output.text(turn.text)
        output.note(*turn.notes)


@app.command()
@standalone
def after(
    output: Output,
    folder: Path,
    *,
    text: Text = None,
    hook: Hook = False,
    **declared: Unpack[EpisodeFields],
) -> None:
    """Record what the agent replied."""
    said, fields = _given(text, declared, _REPLIED, hook=hook)
    try:
        opened = grimoire(folder)
    except StoreLockedError as error:
        _drop(output, folder, {"role": "agent", "content": said}, fields, error)
        return
    with opened:
        notes = opened.turn(reply=said, lasting=bool(fields.get("session")), **fields).notes
        output.document({"notes": notes})
        output.note(*notes)


def _given(
    text: str | None, declared: EpisodeFields, keys: tuple[str, ...], *, hook: bool
) -> tuple[str, EpisodeFields]:
    """Returns the text and the fields of a turn, of the arguments or of a hook's JSON."""
    if not hook:
        return (read_stdin() if text in {None, "-"} else str(text)), declared
    try:
        given = parse_json(sys.stdin.read())
    except ValueError as error:
        raise InvalidInputError(f"stdin is not the JSON of a hook: {error}") from error
    if not isinstance(given, dict):
        raise InvalidInputError("stdin is no JSON object. Pass the JSON of a hook, or a text without --hook")
    session = given.get("session_id")
    fields: EpisodeFields = {"session": session, **declared} if isinstance(session, str) else declared
    said = next((given[key] for key in keys if isinstance(given.get(key), str)), None)
    if said is None and keys == _REPLIED and isinstance(given.get("transcript_path"), str):
        said = _last_reply(Path(given["transcript_path"]))
    if said is None:
        raise InvalidInputError(
            f"the JSON of the hook has none of {', '.join(keys)}. Pass the text as an argument instead"
        )
    return said, fields


def _last_reply(transcript: Path) -> str:
    """Returns the text of the agent's last message in a transcript."""
    from bardo.assemble.copies import Verbatim
    from bardo.capture.intake import draft_of
    from bardo.capture.sources.json_lines import JsonLines
    from bardo.capture.sources.record import Skipped, UnreadableRecordError

    last = ""
    if not transcript.exists():
        raise InvalidInputError(f"there is no transcript {transcript}")
    for record in JsonLines()(transcript):
        try:
            items = record.parse()
        except UnreadableRecordError:
            continue
        for item in items:
            made: Any = None if isinstance(item, Skipped) else draft_of(item, {}, Verbatim(), True)
            if getattr(made, "role", "") == "agent":
                last = made.text
    return last


def _drop(
    output: Output, folder: Path, message: dict[str, str], fields: EpisodeFields, error: StoreLockedError
) -> None:
    """Leaves one side in the inbox, and prints the state, which needs no log."""
    import bardo

    with found(folder):
        bardo.drop(folder, message, **fields)
        notes = [f"left in the inbox, and no memories were searched: {error}"]
        text = ""
        if message["role"] == "user":
            with bardo.gate(folder, words_only=True) as gate:
                text = gate.briefing()
    output.document({"text": text, "notes": notes})
    if text:
        output.text(text)
    output.note(*notes)
