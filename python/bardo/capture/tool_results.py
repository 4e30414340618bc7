"""Results of tools in chat messages as text: of Anthropic, OpenAI, MCP and Codex."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bardo.capture.tool_calls import CALL_ITEMS

#: Types of results that stand alone in a list.
RESULT_ITEMS = tuple(f"{name}_output" for name in CALL_ITEMS)
#: End of the type of a message part that is a result (Anthropic): `tool_result`, `mcp_tool_result`, ...
_RESULT = "tool_result"
#: Keys of a result, and of a part of one, whose values are its words.
_WORDS = (
    "title", "name", "url", "uri", "description", "text", "output", "stdout", "stderr", "logs", "error", "error_code",
    "message", "content", "resource", "source",
)  # fmt: skip
#: Keys of a result that say that the tool failed.
_ERROR_FLAGS = ("is_error", "isError", "error")
#: Keys of the exit code of a process.
_EXIT_CODES = ("exit_code", "return_code")
#: First word of the text of a failed result.
_FAILED = "Failed"
#: Maximum depth of a result that is read.
_DEPTH = 6


def is_result(part: object) -> bool:
    """Whether a part of a message is the result of a tool."""
    kind = part.get("type") if isinstance(part, Mapping) else None
    return isinstance(kind, str) and (kind.endswith(_RESULT) or kind in RESULT_ITEMS)


def contents(part: object) -> Iterator[object]:
    """Yields the parts of a result, which are not nested; any other part as it is."""
    if not isinstance(part, Mapping) or not is_result(part):
        yield part
        return
    held = _unwrapped(part.get("content", part.get("output")))
    yield from held if isinstance(held, (list, tuple)) else (held,)


def describe(part: Mapping[str, Any]) -> str:
    """Returns the words of a result; those of a failure begin with `Failed`.

    Args:
        part: Result, or a call that holds its own (`mcp_call` of OpenAI).
    """
    held = [part.get("content"), _unwrapped(part.get("output")), part.get("outputs"), part.get("error")]
    text = "\n".join(filter(None, map(_words, held)))
    code = next(filter(None, map(_exit_code, (part, *held))), 0)
    if not code and not any(part.get(flag) for flag in _ERROR_FLAGS):
        return text
    failed = f"{_FAILED} (exit code {code})" if code else _FAILED
    return f"{failed}: {text}" if text else failed


def is_failed(text: str) -> bool:
    """Whether the text of one or several results tells of a failure; doubtful ones do."""
    return any(line.startswith(_FAILED) for line in text.splitlines())


def _unwrapped(output: object) -> object:
    """Returns the object of an output that Codex writes as JSON, else the output."""
    if not isinstance(output, str) or not output.startswith("{"):
        return output
    try:
        held = json.loads(output)
    except (ValueError, RecursionError):
        return output
    return held if isinstance(held, dict) and held.keys() == {"output", "metadata"} else output


def _exit_code(held: object) -> int:
    """Returns the exit code of a process that failed; 0 for any other."""
    if not isinstance(held, Mapping):
        return 0
    code = next((held[key] for key in _EXIT_CODES if isinstance(held.get(key), int)), 0)
    return code or _exit_code(held.get("metadata"))


def _words(held: object, depth: int = 0) -> str:
    """Returns the words of a part of a result; empty for an image or another part without any."""
    if isinstance(held, str):
        return held
    if depth == _DEPTH:
        return ""
    if isinstance(held, (list, tuple)):
        return "\n".join(filter(None, (_words(each, depth + 1) for each in held)))
    if not isinstance(held, Mapping):
        return ""
    names = (*_WORDS, "data") if held.get("type") == "text" else _WORDS
    return "\n".join(filter(None, (_words(held.get(name), depth + 1) for name in names)))
