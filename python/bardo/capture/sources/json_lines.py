"""Records of JSON lines: transcripts of OpenAI's, Claude's and Codex's form, episodes, and any other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from bardo._atomic import parse_json
from bardo.capture.intake import KEPT_KEYS, TIME_KEYS
from bardo.capture.sources.record import Item, Record, Skipped, UnreadableRecordError
from bardo.capture.sources.rows import described
from bardo.capture.tool_messages import message_of
from bardo.model import ROLES, Episode

_EPISODE_FIELDS = frozenset(field.name for field in dataclasses.fields(Episode)) - {
    "id", "tick", "event_index", "replay_count", "content_hash",
}  # fmt: skip
#: Keys of a line of a transcript that name its conversation.
_SESSION_KEYS = ("sessionId", "session_id", "session", "conversation_id")
#: Keys that hold a message inside a line of a transcript (Claude, Codex).
_MESSAGE_KEYS = ("message", "payload")
#: Keys that only lines of a transcript have.
_TRANSCRIPT_KEYS = {"sessionId", "session_id", "parentUuid", "leafUuid", "messageId"}
#: Type of the line of a Codex transcript that names the session of the lines after it.
_SESSION_LINE = "session_meta"
#: Maximum length of the name of a session, as of an episode, in bytes.
_LONGEST_NAME = 256


class JsonLines:
    """Reads one JSON object per line."""

    is_edited = False

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields the non-empty lines of a file. A line without a line end is complete if it is a whole object."""
        end, session = 0, None
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                raw = line.strip()
                start, end = end, end + len(line)
                if raw:
                    behind = start + len(line.rstrip())
                    is_complete = line.endswith(b"\n") or _is_whole(raw)
                    session = _session_named_by(raw) or session
                    yield Record(raw, behind, number, is_complete, partial(_items, raw, session))


def _is_whole(raw: bytes) -> bool:
    """Whether an object is closed: a prefix of a JSON object is never JSON itself."""
    if not raw.startswith(b"{"):
        return False
    try:
        parse_json(raw)
    except ValueError:
        return False
    return True


def _session_named_by(raw: bytes) -> str | None:
    """Returns the session that a line names for the lines after it, if it does."""
    if _SESSION_LINE.encode() not in raw:
        return None
    with suppress(ValueError):
        value = parse_json(raw)
        if isinstance(value, Mapping) and value.get("type") == _SESSION_LINE:
            named = value.get("payload")
            return _name(named.get("id")) if isinstance(named, Mapping) else None
    return None


def _items(raw: bytes, session: str | None) -> list[Item]:
    try:
        value = parse_json(raw.decode("utf-8"))
    except ValueError as error:
        raise UnreadableRecordError(f"it is not JSON: {error}") from error
    if isinstance(value, str):
        return [value if value.strip() else Skipped("empty text")]
    if not isinstance(value, Mapping):
        raise UnreadableRecordError(f"it is a JSON {type(value).__name__} and no object")
    messages = value.get("messages")
    return [_item(each, session) for each in (messages if isinstance(messages, list) else [value])]


def _item(value: object, session: str | None) -> Item:
    if not isinstance(value, Mapping):
        raise UnreadableRecordError("a message in it is no object")
    message = _message_in(value, session)
    if message is not None:
        return message if _says_something(message) else Skipped(f"{_kind(value)} without content")
    if isinstance(value.get("text"), str) and not value.keys() - _EPISODE_FIELDS:
        return dict(value)
    is_line = isinstance(value.get("payload"), Mapping) and {"type", "timestamp"} <= value.keys()
    if is_line or value.keys() & _TRANSCRIPT_KEYS:
        # A line of a transcript that is no message, such as a tool's progress or a snapshot of files.
        return Skipped(_kind(value))
    text = value.get("text") or value.get("content")
    return _event(value, text if isinstance(text, str) else described(value))


def _kind(value: Mapping[str, Any]) -> str:
    """Returns the type of an object, with that of its payload; for a message without one its role."""
    inner = value.get("payload")
    types = [value.get("type"), inner.get("type") if isinstance(inner, Mapping) else None]
    named = " ".join(each for each in types if isinstance(each, str))
    return named or str(value.get("role") or value.get("method") or "record without a type")


def _message_in(value: Mapping[str, Any], session: str | None) -> dict[str, Any] | None:
    """Returns the chat message of a line, with the time and the session that stand around it."""
    inside = (value.get(key) for key in _MESSAGE_KEYS)
    message = next(filter(None, map(_as_message, (*inside, value))), None)
    if message is None:
        return None
    for key in TIME_KEYS:
        if message.get(key) is None and value.get(key) is not None:
            message[key] = value[key]
    # `session` is no field of a message; the scribe makes it that of the episode.
    message["session"] = _session_of(value) or session
    return message


def _as_message(value: object) -> dict[str, Any] | None:
    """Returns a chat message, or that of a tool call or result; None for any other object."""
    if not isinstance(value, Mapping):
        return None
    return dict(value) if _is_message(value) else message_of(value)


def _is_message(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and value["role"] in ROLES
        and bool(value.keys() & {"content", *KEPT_KEYS})
    )


def _says_something(message: Mapping[str, Any]) -> bool:
    return bool(message.get("content") or any(message.get(key) for key in KEPT_KEYS))


def _session_of(value: Mapping[str, Any]) -> str | None:
    return _name(next((value[key] for key in _SESSION_KEYS if isinstance(value.get(key), str)), None))


def _name(named: object) -> str | None:
    is_short = isinstance(named, str) and len(named.encode("utf-8", "replace")) <= _LONGEST_NAME
    return str(named) if named and is_short else None


def _event(value: Mapping[str, Any], text: str) -> Item:
    """Makes the record of an object that is no message: its text, and the whole as the payload."""
    if not text.strip():
        return Skipped("empty object")
    fields: dict[str, Any] = {"text": text, "payload": dict(value)}
    for key in TIME_KEYS:
        if value.get(key) is not None:
            fields["at"] = value[key]
            break
    return fields
