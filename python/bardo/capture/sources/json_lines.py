"""Records of JSON lines: transcripts of OpenAI's, Claude's and Codex's form, episodes, and any other objects."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bardo._atomic import parse_json
from bardo.capture.intake import KEPT_KEYS, TIME_KEYS
from bardo.capture.sources.record import Item, Record, UnreadableRecordError
from bardo.capture.sources.rows import described
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
#: Maximum length of the name of a session, as of an episode, in bytes.
_LONGEST_NAME = 256


class JsonLines:
    """Reads one JSON object per line."""

    is_edited = False

    def __call__(self, path: Path) -> Iterator[Record]:
        """Yields the non-empty lines of a file. A line without a line end is complete if it is a whole object."""
        end = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                raw = line.strip()
                start, end = end, end + len(line)
                if raw:
                    behind = start + len(line.rstrip())
                    is_complete = line.endswith(b"\n") or _is_whole(raw)
                    yield Record(raw, behind, number, is_complete, partial(_items, raw))


def _is_whole(raw: bytes) -> bool:
    """Whether an object is closed: a prefix of a JSON object is never JSON itself."""
    if not raw.startswith(b"{"):
        return False
    try:
        parse_json(raw)
    except ValueError:
        return False
    return True


def _items(raw: bytes) -> list[Item]:
    try:
        value = parse_json(raw.decode("utf-8"))
    except ValueError as error:
        raise UnreadableRecordError(f"it is not JSON: {error}") from error
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, Mapping):
        raise UnreadableRecordError(f"it is a JSON {type(value).__name__} and no object")
    if isinstance(value.get("messages"), list):
        return [item for message in value["messages"] for item in _of_object(message)]
    return _of_object(value)


def _of_object(value: object) -> list[Item]:
    if not isinstance(value, Mapping):
        raise UnreadableRecordError("a message in it is no object")
    message = _message_in(value)
    if message is not None:
        return [message] if _says_something(message) else []
    if isinstance(value.get("text"), str) and not value.keys() - _EPISODE_FIELDS:
        return [dict(value)]
    if value.keys() & _TRANSCRIPT_KEYS or (
        isinstance(value.get("payload"), Mapping) and {"type", "timestamp"} <= value.keys()
    ):
        # A line of a transcript that is no message, such as a tool's progress or a snapshot of files.
        return []
    text = value.get("text") or value.get("content")
    return [_event(value, text if isinstance(text, str) else described(value))]


def _message_in(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the chat message of a line, with the time and the session that stand around it."""
    inner = next((value[key] for key in _MESSAGE_KEYS if _is_message(value.get(key))), None)
    if inner is None and not _is_message(value):
        return None
    message = dict(inner if inner is not None else value)
    for key in TIME_KEYS:
        if message.get(key) is None and value.get(key) is not None:
            message[key] = value[key]
    # `session` is no field of a message; the scribe makes it that of the episode.
    message["session"] = _session_of(value)
    return message


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
    named = next((value[key] for key in _SESSION_KEYS if isinstance(value.get(key), str)), None)
    return named if named and len(named.encode("utf-8", "replace")) <= _LONGEST_NAME else None


def _event(value: Mapping[str, Any], text: str) -> Item:
    """Makes the record of an object that is no message: its text, and the whole as the payload."""
    if not text.strip():
        return ""
    fields: dict[str, Any] = {"text": text, "payload": dict(value)}
    for key in TIME_KEYS:
        if value.get(key) is not None:
            fields["at"] = value[key]
            break
    return fields
