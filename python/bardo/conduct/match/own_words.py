"""Returns the words by which a command names what its program does: "log" of `git log`, "test" of `just test`."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path

from bardo.conduct.parse.action import ParsedAction
from bardo.conduct.parse.actions import operations


@lru_cache(16)
def of_command(action: ParsedAction) -> frozenset[str]:
    """Returns the stems of the commands of programs that have some; none for other actions.

    Args:
        action: Parsed action.
    """
    words = (line.split() for line in action.lines) if action.form == "command" else ()
    named = (line[1] for line in words if len(line) > 1 and line[0].rpartition("/")[2].lower() in _programs())
    return operations.word_stems(word.lower() for each in named for word in re.findall(r"[^\W_]+", each))


def are_all(common: frozenset[str], action: ParsedAction) -> bool:
    """Whether a command shares words with a text, and all of them name its own command: `just test`.

    Args:
        common: Stems of the common words.
        action: Parsed action.
    """
    return bool(common) and common <= of_command(action)


@cache
def _programs() -> frozenset[str]:
    text = Path(__file__).with_name("own_words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["programs"].split())
