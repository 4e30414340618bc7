"""`bardo turn`: memory around every turn, for the shell hooks of agents that are programs of their own."""

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Unpack

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
    given = _given(text, declared, _SAID, hook=hook)
    said, fields = given.said(), given.fields
    try:
        opened = grimoire(folder)
    except StoreLockedError as error:
        _drop(output, folder, [{"role": "user", "content": said}], fields, error)
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
    """Record what the agent replied; of a hook whose transcript has times, also its calls and their results."""
    given = _given(text, declared, _REPLIED, hook=hook)
    said, fields = _reply(given), given.fields
    try:
        opened = grimoire(folder)
    except StoreLockedError as error:
        replied = [{"role": "agent", "content": said}] if isinstance(said, str) else said
        _drop(output, folder, replied, fields, error)
        return
    with opened:
        notes = opened.turn(reply=said, lasting=bool(fields.get("session")), **fields).notes
        output.document({"notes": notes})
        output.note(*notes)


class _Given(NamedTuple):
    """Input of a command, from its arguments or from a hook.

    Args:
        text: Text of the turn; None if the JSON of a hook has none.
        fields: Fields of the episodes.
        transcript: Transcript that a hook names.
        keys: Keys of the JSON that may hold the text.
    """

    text: str | None
    fields: EpisodeFields
    transcript: Path | None
    keys: tuple[str, ...]

    def said(self, instead: str = "") -> str:
        """The text; the other one where it is missing.

        Raises:
            InvalidInputError: There is no text.
        """
        said = self.text if self.text is not None else instead or None
        if said is None:
            raise InvalidInputError(
                f"the JSON of the hook has none of {', '.join(self.keys)}. Pass the text as an argument instead"
            )
        return said


def _given(text: str | None, declared: EpisodeFields, keys: tuple[str, ...], *, hook: bool) -> _Given:
    """Reads the text and the fields of a turn, of the arguments or of a hook's JSON."""
    if not hook:
        return _Given(read_stdin() if text in {None, "-"} else str(text), declared, None, keys)
    try:
        given = parse_json(sys.stdin.read())
    except ValueError as error:
        raise InvalidInputError(f"stdin is not the JSON of a hook: {error}") from error
    if not isinstance(given, dict):
        raise InvalidInputError("stdin is no JSON object. Pass the JSON of a hook, or a text without --hook")
    session, path = given.get("session_id"), given.get("transcript_path")
    fields: EpisodeFields = {"session": session, **declared} if isinstance(session, str) else declared
    said = next((given[key] for key in keys if isinstance(given.get(key), str)), None)
    return _Given(said, fields, Path(path) if isinstance(path, str) else None, keys)


def _reply(given: _Given) -> str | list[Mapping[str, Any]]:
    """Returns the agent's side: the messages of the last turn of a transcript with times, or else its text."""
    from bardo.capture.intake import TIME_KEYS

    messages, last = list[Mapping[str, Any]](), ""
    if given.transcript is not None and given.transcript.exists():
        messages, last = _last_turn(given.transcript)
    elif given.transcript is not None and given.text is None:
        raise InvalidInputError(f"there is no transcript {given.transcript}")
    # By their times the messages are known if the hook runs again; without times, only the text is kept.
    is_timed = all(any(message.get(key) for key in TIME_KEYS) for message in messages)
    return messages if messages and is_timed else given.said(last)


def _last_turn(transcript: Path) -> tuple[list[Mapping[str, Any]], str]:
    """Returns the messages after the user's last words in a transcript, and the text of the agent's last message."""
    from bardo.assemble.copies import Verbatim
    from bardo.capture.intake import draft_of
    from bardo.capture.sources.json_lines import JsonLines
    from bardo.capture.sources.record import UnreadableRecordError

    messages: list[Mapping[str, Any]] = []
    last = ""
    for record in JsonLines()(transcript):
        try:
            items = record.parse()
        except UnreadableRecordError:
            continue
        for item in items:
            if not isinstance(item, Mapping):
                continue
            draft: Any = draft_of(item, {}, Verbatim(), True)
            role = getattr(draft, "role", "")
            if role == "user":
                messages.clear()
            elif draft is not None:
                messages.append(item)
            if role == "agent":
                last = draft.text
    return messages, last


def _drop(
    output: Output,
    folder: Path,
    messages: Sequence[Mapping[str, Any]],
    fields: EpisodeFields,
    error: StoreLockedError,
) -> None:
    """Leaves one side in the inbox, and prints the state, which needs no log."""
    import bardo

    with found(folder):
        bardo.drop(folder, messages, **fields)
        notes = [f"left in the inbox, and no memories were searched: {error}"]
        text = ""
        if messages[0].get("role") == "user":
            with bardo.gate(folder, words_only=True) as gate:
                text = gate.briefing()
    output.document({"text": text, "notes": notes})
    if text:
        output.text(text)
    output.note(*notes)
