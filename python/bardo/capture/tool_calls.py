"""Tool calls of chat messages as text, so that they are found by name, command, path and address."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

#: Types of message parts that are calls: of Anthropic, and of OpenAI's responses and MCP. A type can be any JSON value,
#: which a set could not look up.
CALL_TYPES = ("tool_use", "function_call", "tool_call", "mcp_call")
#: Names of arguments that hold a shell command.
COMMANDS = ("command", "cmd", "script")
#: Maximum characters of the arguments of one call; the payload keeps them whole.
ARGUMENT_CHARACTERS = 4_000


def describe(message: Mapping[str, Any], parts: Iterable[object]) -> str:
    """Describes the calls of a message, such as ``Called bash(command=`cargo test`)``; empty if there are none.

    Args:
        message: Chat message of OpenAI's, Anthropic's or MCP's form.
        parts: Parts of its content.
    """
    inside = (part for part in parts if isinstance(part, Mapping) and part.get("type") in CALL_TYPES)
    calls = [*_calls(message), *inside]
    return f"Called {', '.join(map(_call, calls))}" if calls else ""


def _calls(message: Mapping[str, Any]) -> list[object]:
    calls, alone = message.get("tool_calls"), message.get("function_call")
    called = calls if isinstance(calls, list) else [calls] if calls else []
    return [*called, *([{"function": alone}] if alone else [])]


def _call(call: object) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return "a tool"
    name = str(function.get("name", "a tool"))
    given = next((function[key] for key in ("arguments", "input", "args") if function.get(key)), None)
    shown = _arguments(given)
    return f"{name}({shown})" if shown else name


def _arguments(given: object) -> str:
    """Arguments as `name=value`; a text that is no JSON object as it is."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return str(given)[:ARGUMENT_CHARACTERS]
    if isinstance(given, Mapping):
        shown = ", ".join(f"{name}={_value(value, name)}" for name, value in given.items())
    else:
        shown = "" if given is None else _value(given)
    return shown[:ARGUMENT_CHARACTERS]


def _value(value: object, name: object = "") -> str:
    if isinstance(value, str):
        # Between backticks a shell command is recognised as one.
        return f"`{value}`" if name in COMMANDS and "`" not in value else value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        # A value that JSON cannot hold is refused when the payload is stored.
        return type(value).__name__
