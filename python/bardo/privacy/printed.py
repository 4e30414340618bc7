"""Finds commands whose whole output is a secret: `kubectl get secret X -o json | base64 -d`, `cat .env`.

The output of such a command has no form and no words by which it would be known. The command decides: the program
with its words (`printed.toml`), the files that it prints, the variable that it echoes. What a pipe ends in decides
too: `cat .env | wc -l` prints a number.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

from bardo.privacy.assignments import is_secret_name

#: Maximum length of a command that is read.
_COMMAND = 8_192
#: Maximum depth of commands in the quotes of others, as in `ssh host "sudo cat .env"`.
_DEPTH = 3
#: Maximum length of the output of a failure, in characters.
_FAILURE = 400
_VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)\}?")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
#: Minimum length of an output that is looked for in other texts, in characters.
_LEAST = 6
#: Texts that are looked for in others only where they are said: names of hosts, files and things, and numbers.
_NAME = re.compile(r"[\d.,:+-]+|\w+(?:[._/:@-]\w+)*")


def prints_secret(command: str) -> bool:
    """Whether the output of a shell command is a secret."""
    return _prints(command[:_COMMAND], _DEPTH)


def is_secret_file(path: str) -> bool:
    """Whether a file holds nothing but secrets, by its name or path."""
    names = (path.lower(), path.lower().replace("\\", "/").rpartition("/")[2])
    return _is_any(names, "files", "secret") and not _is_any(names, "files", "unless")


def reads_files(tool: str) -> bool:
    """Whether a tool returns the content of a file, by its name."""
    return _is_any((tool.lower(),), "tools", "names")


def is_failure(output: str) -> bool:
    """Whether an output tells of a failure instead of a secret."""
    plain = output.strip().lower()
    return not plain or (
        len(plain) <= _FAILURE and any(word in plain for word in _listed("failure", "words"))
    )


def words_apart(output: str) -> Iterator[str]:
    """Yields the parts of a secret output that are secrets in other texts, too: lines that resemble no name."""
    for line in map(str.strip, output.splitlines()):
        if len(line) >= _LEAST and not _NAME.fullmatch(line) and any(map(str.isalnum, line)):
            yield line


def _prints(command: str, depth: int) -> bool:
    return depth > 0 and any(_ends_in_secret(stages, depth) for stages in _pipelines(command))


def _ends_in_secret(stages: Sequence[Sequence[str]], depth: int) -> bool:
    """Whether what a stage of a pipe prints is a secret, which the stages behind it pass on."""
    for place, words in enumerate(stages):
        behind = stages[place + 1 :]
        if all(map(_passes, behind)) and (
            _prints_file(words) or _is_listed(words) or _echoes(words, behind) or _runs(words, depth)
        ):
            return True
    return False


def _pipelines(command: str) -> Iterator[list[list[str]]]:
    """Splits a command into pipes, each into the words of its stages; those into a file print nothing."""
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        # The quotes are not closed, as in the part of a command.
        words = re.findall(r"[|;&<>]+|[^\s|;&<>\"']+", command)
    for ends, pipe in groupby(words, key=lambda word: word in {";", "&&", "||", "&", "(", ")"}):
        if ends:
            continue
        stages: list[list[str]] = [[]]
        is_in_file = False
        for before, word in zip(["", *(words := list(pipe))], words, strict=False):
            if word in {"|", "|&"}:
                stages.append([])
                is_in_file = False
            elif word in {">", ">>", "&>", ">|"} and before != "2":
                is_in_file = True
            elif not re.fullmatch(r"[<>&|]+", word):
                stages[-1].append(word)
        if not is_in_file:
            yield [stage for stage in stages if stage]


def _programs(words: Sequence[str]) -> Iterator[int]:
    """Yields the places of words that may be the program: the first, and those behind one that runs others."""
    yield 0
    if _is_any((_program(words[0]),), "wrappers"):
        yield from range(1, len(words))


def _program(word: str) -> str:
    return word.lower().rpartition("/")[2].removesuffix(".exe")


def _is_listed(words: Sequence[str]) -> bool:
    """Whether a stage is a command that prints secrets."""
    return any(
        (_holds(words[place:], wanted))
        and not any(fnmatchcase(word, name) for word in words[place:] for name in unless)
        for place in _programs(words)
        for wanted, unless in _commands()
    )


def _holds(words: Sequence[str], wanted: Sequence[Sequence[str]]) -> bool:
    """Whether words hold others in their order, the program first."""
    if not any(fnmatchcase(_program(words[0]), name) or words[0] == name for name in wanted[0]):
        return False
    rest = iter(words[1:])
    return all(any(fnmatchcase(word, name) for word in rest for name in names) for names in wanted[1:])


def _prints_file(words: Sequence[str]) -> bool:
    return any(
        _is_any((_program(words[place]),), "readers")
        and any(map(is_secret_file, words[place + 1 :]))
        and not _writes(_program(words[place]), words[place + 1 :])
        for place in _programs(words)
    )


def _writes(program: str, words: Sequence[str]) -> bool:
    """Whether a program that prints files prints none with these words, or a count."""
    is_edit = program == "sed" and any(re.fullmatch(r"-[nErsz]*i\S*", word) for word in words)
    return is_edit or any(_is_any((word,), "readers", "unless") for word in words)


def _echoes(words: Sequence[str], behind: Sequence[Sequence[str]]) -> bool:
    """Whether a stage prints a variable that is named as a secret, or the environment for such a name."""
    for place in _programs(words):
        program, rest = _program(words[place]), words[place + 1 :]
        if program in {"echo", "printf", "write-output"}:
            return any(_is_named(found["name"]) for word in rest for found in _VARIABLE.finditer(word))
        if program == "printenv" and rest:
            return any(map(_is_named, rest))
        if not rest and _is_any((program,), "environment"):
            return any(_is_named(word) for stage in behind for word in stage[1:])
    return False


def _is_named(name: str) -> bool:
    return is_secret_name([part.lower() for part in _NAME_PARTS.findall(name)])


def _runs(words: Sequence[str], depth: int) -> bool:
    """Whether a stage runs a command in quotes that prints a secret."""
    if not _is_any((_program(words[0]),), "wrappers"):
        return False
    return any(" " in word and _prints(word, depth - 1) for word in words[1:])


def _passes(words: Sequence[str]) -> bool:
    """Whether a stage prints what it reads, or a part of it."""
    return _is_any((_program(words[0]),), "filters") and not any(
        _is_any((word,), "filters", "unless") for word in words[1:]
    )


def _is_any(words: Sequence[str], section: str, name: str = "programs") -> bool:
    """Whether one of some words is in a list."""
    return any(fnmatchcase(word, listed) for word in words for listed in _listed(section, name))


@cache
def filters() -> tuple[str, ...]:
    """Returns the programs at the end of a pipe that print what they read."""
    return _listed("filters", "programs")


@cache
def _listed(section: str, name: str) -> tuple[str, ...]:
    return tuple(" ".join(each.split()) for each in _table()[section][name].split("|") if each.strip())


@cache
def _commands() -> tuple[tuple[tuple[tuple[str, ...], ...], tuple[str, ...]], ...]:
    """Returns the words of each command that prints a secret, and those with which it does not."""
    return tuple(
        (tuple(tuple(word.split("|")) for word in words.split()), tuple(filter(None, unless.split("|"))))
        for words, unless in _table()["prints"].items()
    )


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("printed.toml").read_text("utf-8"))
