"""Outputs of calls that print a secret: the call is in one episode, what it returned in a later one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bardo.capture import tool_calls, tool_results
from bardo.model import Episode
from bardo.privacy import printed

#: Keys of the id of a call, and of that which a result names.
_IDS = ("call_id", "id")
_ANSWERS = ("tool_call_id", "tool_use_id", "call_id", "id")
#: Arguments of a call that name a file.
_PATHS = ("path", "file_path", "file", "filename", "uri", "target_file")


class SecretOutputs:
    """Finds outputs that are secrets, among episodes in their order. Calls are known by their ids."""

    def __init__(self) -> None:
        #: Descriptions of the calls that print secrets, by id; those of others are empty.
        self._calls: dict[str, str] = {}

    def of(self, episode: Episode) -> tuple[str, ...]:
        """Returns the parts of the text of an episode that a call printed as a secret, and learns its calls.

        Args:
            episode: Next episode of the log, or of a conversation.
        """
        for call in tool_calls.calls_in(episode.payload):
            if id_ := _id(call, _IDS):
                self._calls[id_] = tool_calls.describe([call]) if _prints_secret(call) else ""
        if episode.role != "tool" or not self._calls:
            return ()
        found = (words for id_, words in _results(episode) if self._calls.get(id_))
        return tuple(words for words in found if not printed.is_failure(words))

    def called(self, episode: Episode) -> str | None:
        """Returns the descriptions of the calls that printed the secrets of an episode; None for unknown calls."""
        calls = [self._calls[id_] for id_, _ in _results(episode) if id_ in self._calls]
        return ", ".join(filter(None, calls)) if calls else None


def outputs_of(episodes: Iterable[Episode]) -> dict[str, tuple[str, ...]]:
    """Returns the secret outputs of episodes in their order, by id."""
    found = SecretOutputs()
    return {episode.id: told for episode in episodes if (told := found.of(episode))}


def without(text: str, outputs: Iterable[str], mark: str) -> str:
    """Replaces outputs in the text of their episode; a text that does not hold one whole, such as a cut one, goes."""
    for output in outputs:
        if output.strip() not in text:
            return mark
        text = text.replace(output.strip(), mark)
    return text


def _prints_secret(call: object) -> bool:
    """Whether a call prints a secret: its command does, or it reads a file of secrets."""
    name, given = tool_calls.read(call)
    if not isinstance(given, Mapping):
        return False
    if printed.reads_files(name):
        return any(isinstance(path := given.get(key), str) and printed.is_secret_file(path) for key in _PATHS)
    command = tool_calls.command_of(given)
    return bool(command) and printed.prints_secret(command)


def _results(episode: Episode) -> Iterator[tuple[str, str]]:
    """Yields the results in an episode: the id of the call, and the words."""
    payload = episode.payload
    if not isinstance(payload, Mapping):
        return
    content = payload.get("content")
    parts = [part for part in content if tool_results.is_result(part)] if isinstance(content, list) else []
    for part in parts:
        yield _id(part, _ANSWERS), tool_results.describe(part)
    if not parts:
        yield _id(payload, _ANSWERS), episode.text


def _id(held: Any, keys: Iterable[str]) -> str:
    """Returns the id in a call or a result."""
    if not isinstance(held, Mapping):
        return ""
    return next((str(held[key]) for key in keys if isinstance(held.get(key), str | int)), "")
