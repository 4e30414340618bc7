"""Tool calls of chat messages as text, so that they are found by name, command, path and address."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: Types of calls that stand alone in a list: items of OpenAI's Responses API, and of Codex's transcripts.
CALL_ITEMS = (
    "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call",
    "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call",
)  # fmt: skip
#: Types of message parts that are calls: those, and Anthropic's.
CALL_TYPES = (*CALL_ITEMS, "tool_use", "server_tool_use", "mcp_tool_use", "tool_call")
#: Names of arguments that hold a shell command.
COMMANDS = ("command", "cmd", "script")
#: Keys of a call that hold its arguments.
_ARGUMENTS = ("arguments", "input", "args", "action", "code")
#: Keys of a call that hold the name of its MCP server (Anthropic, OpenAI).
_SERVERS = ("server_name", "server_label")
#: Options of a shell before a command as one text.
_COMMAND_OPTIONS = ("-c", "-lc", "-ic", "-Command", "/c")
#: Maximum characters of the arguments of one call; the payload keeps them whole.
ARGUMENT_CHARACTERS = 4_000


def is_call(part: object) -> bool:
    """Whether a part of a message is a call."""
    # A type can be any JSON value, which a set could not look up.
    return isinstance(part, Mapping) and part.get("type") in CALL_TYPES


def describe(calls: Iterable[object]) -> str:
    """Describes calls, such as ``Called bash(command=`cargo test`)``; empty if there are none.

    Args:
        calls: Calls of OpenAI's, Anthropic's or MCP's form.
    """
    shown = ", ".join(map(_call, calls))
    return f"Called {shown}" if shown else ""


def beside(message: Mapping[str, Any]) -> list[object]:
    """Returns the calls beside the content of a message (`tool_calls`, `function_call`)."""
    calls, alone = message.get("tool_calls"), message.get("function_call")
    called = calls if isinstance(calls, list) else [calls] if calls else []
    return [*called, *([{"function": alone}] if alone else [])]


def calls_in(payload: object) -> list[object]:
    """Returns the calls in the payload of an episode, in order."""
    if not isinstance(payload, Mapping):
        return []
    content = payload.get("content")
    within = [part for part in content if is_call(part)] if isinstance(content, list) else []
    return [*within, *beside(payload)]


def words_beside(text: str, payload: object) -> str:
    """Returns the text of an episode without the descriptions of the calls in its payload: only what was said.

    Args:
        text: Text of the episode, with a description for each group of calls.
        payload: Its payload.
    """
    calls = calls_in(payload)
    while calls:
        groups = (calls[:size] for size in range(len(calls), 0, -1))
        group = next((each for each in groups if describe(each) in text), calls[:1])
        text = text.replace(describe(group), "", 1)
        calls = calls[len(group) :]
    return text.strip()


def line_of(call: object) -> str:
    """Describes a call in a line: the command of one that runs a shell command, else its name and arguments."""
    _, given = read(call)
    command = command_of(given) if isinstance(given, Mapping) else ""
    # A single word may also name an operation of the tool.
    return command.strip() if len(command.split()) > 1 else _call(call)


def command_of(given: Mapping[str, Any]) -> str:
    """Returns the shell command among the arguments of a call; empty without one."""
    command = next((given[name] for name in COMMANDS if given.get(name)), "")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        command = _joined(command)
    return command if isinstance(command, str) else ""


def _call(call: object) -> str:
    name, given = read(call)
    shown = _arguments(given)
    return f"{name}({shown})" if shown else name


def read(call: object) -> tuple[str, object]:
    """Returns the name of a call, with that of its server, and its arguments; JSON is parsed."""
    function = call.get("function", call) if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return "a tool", None
    name = str(function.get("name") or function.get("type") or "a tool").removesuffix("_call")
    server = next((function[key] for key in _SERVERS if isinstance(function.get(key), str)), "")
    given: object = next((function[key] for key in _ARGUMENTS if function.get(key)), None)
    if isinstance(given, str):
        with contextlib.suppress(ValueError):
            given = json.loads(given)
    return (f"{server}.{name}" if server else name), given


def _arguments(given: object) -> str:
    """Arguments as `name=value`."""
    if isinstance(given, Mapping):
        shown = ", ".join(f"{name}={_value(value, name)}" for name, value in given.items())
    elif isinstance(given, str):
        shown = given
    else:
        shown = "" if given is None else _value(given)
    return shown[:ARGUMENT_CHARACTERS]


def _value(value: object, name: object = "") -> str:
    if (
        name in COMMANDS
        and isinstance(value, (list, tuple))
        and value
        and all(isinstance(word, str) for word in value)
    ):
        value = _joined(value)
    if isinstance(value, str):
        # Between backticks a shell command is recognised as one. A single word may also name an operation of the tool.
        return f"`{value}`" if name in COMMANDS and "`" not in value and len(value.split()) > 1 else value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        # A value that JSON cannot hold is refused when the payload is stored.
        return type(value).__name__


def _joined(words: Sequence[str]) -> str:
    """Returns the command line of a list of words; of a shell that runs a text, the text."""
    runs_text = len(words) > 2 and words[-2] in _COMMAND_OPTIONS
    return words[-1] if runs_text else shlex.join(words)
