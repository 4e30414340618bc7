"""Finds the commands that code and calls of tools run, such as the argument of `os.system`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bardo._patterns import lazy_pattern

_STRING = r"[rbuf]{0,2}(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`)"
#: Functions that run a command, and tools that do; the name of an argument that is one.
_FUNCTION = (
    r"(?:system|popen\d?|Popen|run|call|check_call|check_output|getoutput|getstatusoutput|passthru|shell_exec|"
    r"create_subprocess_(?:shell|exec)|exec(?:File|Sync|FileSync|[vl]p?e?)?|spawn(?:Sync|[vl]p?e?)?|"
    r"(?:\w+_)?(?:bash|shell|terminal|command|cmd))"
)
_ARGUMENT = r"(?:cmd|command|command_?line|shell_?command|script|argv)"
_RUNS = lazy_pattern(
    rf"\b(?:{_FUNCTION}\s*\(\s*(?:{_ARGUMENT}\s*=\s*)?|{_ARGUMENT}\s*=\s*)"
    rf"(?P<words>\[?\s*{_STRING}(?:\s*,\s*\[?\s*{_STRING})*)",
    re.IGNORECASE,
)
_STRINGS = lazy_pattern(_STRING)
_KEY = lazy_pattern(_ARGUMENT, re.IGNORECASE)
#: Argument of a command in JSON that is cut off or not valid.
_CUT = lazy_pattern(rf"\"{_ARGUMENT}\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"", re.IGNORECASE)
_ESCAPED = lazy_pattern(r"\\(.)")


def run_by(text: str) -> Iterator[list[str]]:
    """Yields the commands that a text runs: the words of each, or a single whole line.

    Args:
        text: Code, call of a function, or JSON.
    """
    if text.lstrip().startswith(("{", "[")):
        try:
            yield from _of_json(json.loads(text))
        except ValueError:
            yield from ([_plain(found[1])] for found in _CUT.finditer(text))
        return
    for found in _RUNS.finditer(text):
        words = [_plain(word.lstrip("rbufRBUF")[1:-1]) for word in _STRINGS.findall(found["words"])]
        # Of a line the other strings are options of the function.
        yield words[:1] if " " in words[0] else words


def _of_json(given: Any) -> Iterator[list[str]]:
    if isinstance(given, dict):
        for key, value in given.items():
            if _KEY.fullmatch(key) and value and isinstance(value, str | list):
                words = [value] if isinstance(value, str) else value
                if all(isinstance(word, str) for word in words):
                    yield words
            else:
                yield from _of_json(value)
    elif isinstance(given, list):
        for value in given:
            yield from _of_json(value)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)
