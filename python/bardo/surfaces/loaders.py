"""Loaders of files as input of `Grimoire.remember`: JSON lines, chat transcripts, plain text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from bardo._atomic import parse_json
from bardo.capture import tool_messages
from bardo.errors import InvalidInputError
from bardo.model import Episode

#: Episode, or chat message with `role` and `content`, or a tool call or its result.
Item = Episode | Mapping[str, Any]

#: Names of the agent in a plain transcript; other speakers are users.
AGENT_NAMES = frozenset({"agent", "ai", "assistant", "bot"})
#: Pattern of `Name: text` or `[2026-03-04 18:05] Name: text`; a name has at most 40 characters and only this
#: punctuation.
_TURN = re.compile(r"^(?:\[(?P<at>[^\]]{4,40})\]\s*)?(?P<name>[^\W\d][\w .'’-]{0,39}):\s+(?P<text>\S.*)$")
#: Fields of a listed episode that its new store counts and computes itself.
_DERIVED_FIELDS = frozenset({"replay_count", "content_hash"})
_EPISODE_FIELDS = frozenset(field.name for field in dataclasses.fields(Episode)) - _DERIVED_FIELDS


def json_lines(text: str, *, name: str) -> list[Item]:
    """Reads one JSON value per line: a string, an episode (`text` and its other fields), a chat message or a tool call.

    Args:
        text: Text of the file; empty lines are skipped.
        name: Name of the file, for errors.

    Raises:
        InvalidInputError: A line is none of these; the message has its number.
    """
    items = []
    # Not splitlines: a text may hold line separators such as U+2028, which JSON does not escape.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            items.append(_item(_parsed(line, f"line {number} of {name}"), f"line {number} of {name}"))
    return items


def chat(text: str, *, name: str) -> list[Item]:
    """Reads a chat: JSON lines, a JSON list of messages, an object with `messages`, or `Name: text` lines.

    Raises:
        InvalidInputError: It is none of these.
    """
    start = text.lstrip()[:1]
    if start == "[" and not _TURN.match(text.lstrip().splitlines()[0]):
        return _messages(_parsed(text, name), name)
    if start == "{":
        if len([line for line in text.splitlines() if line.strip()]) > 1 and _is_json(
            text.lstrip().splitlines()[0]
        ):
            return json_lines(text, name=name)
        return _messages(_parsed(text, name), name)
    return _plain(text, name)


def _messages(value: Any, name: str) -> list[Item]:
    if isinstance(value, Mapping) and "messages" in value:
        value = value["messages"]
    entries = value if isinstance(value, list) else [value]
    return [_item(entry, f"message {number} of {name}") for number, entry in enumerate(entries, 1)]


def _plain(text: str, name: str) -> list[Item]:
    messages: list[dict[str, Any]] = []
    for line in text.splitlines():
        turn = _TURN.match(line)
        if turn:
            speaker = turn["name"].strip()
            role = "assistant" if speaker.lower() in AGENT_NAMES else "user"
            message = {"role": role, "name": speaker, "content": turn["text"]}
            messages.append({**message, "at": turn["at"]} if turn["at"] else message)
        elif messages and line.strip():
            messages[-1]["content"] += f"\n{line.strip()}"
        elif line.strip():
            raise InvalidInputError(
                f"{name} does not look like a chat: it begins with {line.strip()[:40]!r}. "
                "Write lines as 'Name: text', or JSON lines with role and content"
            )
    return list(messages)


def _parsed(text: str, where: str) -> Any:
    try:
        return parse_json(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise InvalidInputError(f"{where} is not JSON: {error}. Mend it, and nothing was stored") from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a finite number")


def _is_json(line: str) -> bool:
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _item(value: Any, where: str) -> Item:
    if isinstance(value, str):
        return Episode(value)
    # A message that calls a tool may have no content, and an episode also has a role.
    if isinstance(value, Mapping) and ("content" in value or ("role" in value and "text" not in value)):
        return value
    if isinstance(value, Mapping) and tool_messages.message_of(value) is not None:
        return value
    if isinstance(value, Mapping) and "text" in value:
        unknown = sorted(map(str, value.keys() - _EPISODE_FIELDS - _DERIVED_FIELDS))
        if unknown:
            raise InvalidInputError(
                f"{where} has the unknown field {unknown[0]!r}. Known: {', '.join(sorted(_EPISODE_FIELDS))}"
            )
        lists = {key: tuple(value[key]) for key in ("subjects", "pad") if isinstance(value.get(key), list)}
        given = {key: value[key] for key in value.keys() & _EPISODE_FIELDS}
        return Episode(**{**given, **lists})
    raise InvalidInputError(
        f"{where} is neither a string, an episode (with 'text'), a chat message (with 'role' and 'content') nor a tool "
        "call or its result"
    )
