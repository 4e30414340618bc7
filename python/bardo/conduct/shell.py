"""Parses lines of a shell into commands: programs with their arguments, and the commands that these run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bardo.conduct import operation_table

#: Maximum depth of commands in commands.
_DEPTH = 3
#: Assignment of a variable before a program.
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
#: Redirection into a file.
WRITES = re.compile(r"(?<![2=-])>{1,2}\s*(?!/dev/null|&)\S")
#: Text that a shell takes as it is; a command of which it takes the output; and text that has no separators.
_LITERAL = r"(?<!\w)'[^']*'|\\."
_SUBSTITUTED = r"\$\(([^()]*)\)|`([^`]*)`"
_TAKEN = re.compile(f"{_LITERAL}|{_SUBSTITUTED}", re.DOTALL)
_WHOLE = re.compile(rf"\"(?:\\.|[^\"\\])*\"|{_LITERAL}|{_SUBSTITUTED}", re.DOTALL)
#: End of a command, or of a label such as "Run: ", and a comment; the sign of `2>&1` is none.
_SEPARATOR = re.compile(r"(?:[;|()\n]|(?<![<>])&(?!>))+|(?<=\S):\s|(?<!\S)#[^\n]*")
#: Arguments of a program of containers, with the command that it runs in one.
_IN_CONTAINER = re.compile(r"(?:compose )?(?:exec|run)\b.*? (?:--|(?:ba)?sh -c) (.+)")


@dataclass(frozen=True, slots=True)
class Command:
    """Command of a line.

    Args:
        words: Program without its folder, and arguments; empty if there are prefixes alone.
        prefix: Assignments and wrappers before it.
        runs: Commands that it runs: in a shell, on another host, by an interpreter, from a package.
        substituted: Commands of which it has the output as words.
    """

    words: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    runs: tuple[Command, ...] = ()
    substituted: tuple[Command, ...] = ()

    @property
    def program(self) -> str:
        """Returns the program; empty if there is none."""
        return self.words[0] if self.words else ""

    @property
    def line(self) -> str:
        """Returns the command without prefixes."""
        return " ".join(self.words)

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the command with its prefixes, if any, and without."""
        prefixed = (" ".join((*self.prefix, *self.words)),) if self.prefix else ()
        return (*prefixed, self.line) if self.words else prefixed

    @property
    def writes(self) -> bool:
        """Whether it writes into a file."""
        return self.program == "tee" or WRITES.search(self.line) is not None


def commands(text: str, depth: int = _DEPTH) -> list[Command]:
    """Splits a text into commands, except inside of quotes.

    Args:
        text: Line or script of a shell; other texts give commands of unknown programs.
        depth: Number of levels of commands in commands that are read.
    """
    parts = []
    for part in _parts(text):
        rest, inner = _without_substituted(part)
        substituted = [each for line in inner for each in commands(line, depth - 1)] if depth > 1 else []
        parts.append((*_prefixed(_words(rest)), tuple(substituted)))
    following = [*(words[0] if words else "" for _, words, _ in parts[1:]), ""]
    return [
        replace(_command(prefix, words, program, depth), substituted=substituted)
        for (prefix, words, substituted), program in zip(parts, following, strict=False)
        if prefix or words
    ]


def every(found: Iterable[Command]) -> Iterator[Command]:
    """Yields commands, each with the commands that it runs."""
    for command in found:
        yield command
        yield from every((*command.runs, *command.substituted))


def _parts(text: str) -> Iterator[str]:
    # Of the same length, so that places are those of the text.
    masked = _WHOLE.sub(lambda found: "_" * len(found[0]), text)
    start = 0
    for separator in _SEPARATOR.finditer(masked):
        if part := text[start : separator.start()].strip():
            yield part
        start = separator.end()
    if part := text[start:].strip():
        yield part


def _without_substituted(part: str) -> tuple[str, list[str]]:
    """Returns a command with `$()` for each substituted command, and these."""
    inner: list[str] = []

    def take(found: re.Match[str]) -> str:
        given = found[1] or found[2]
        if not given:
            return found[0]
        inner.append(given)
        return "$()"

    return _TAKEN.sub(take, part), inner


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part)
    except ValueError:
        return part.split()


def _prefixed(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits words into the prefixes of a command, without their options, and the command."""
    wrappers = operation_table.table().shell.wrappers
    prefix = []
    while words and (ASSIGNMENT.fullmatch(words[0]) or words[0] in wrappers):
        prefix.append(words[0])
        words = _past_options(words[1:]) if words[0] in wrappers else words[1:]
    return tuple(prefix), (_program(words[0]), *words[1:]) if words else ()


def _program(word: str) -> str:
    """Returns the name of a program without its folder; `@scope/name` is the name of a package."""
    return word if word.startswith("@") else word.rsplit("/", 1)[-1]


def _past_options(words: Sequence[str]) -> Sequence[str]:
    """Drops the options at the beginning."""
    valued = operation_table.table().shell.valued
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in valued else 1 :]
    return words


def _run_by(prefix: tuple[str, ...], words: tuple[str, ...], following: str, depth: int) -> Iterator[Command]:
    """Yields the commands that a command runs.

    Args:
        prefix: Prefixes of the command, which hold for the program of an interpreter or a package, too.
        words: Words of the command.
        following: Program that reads its output; empty if there is none.
        depth: Number of further levels that are read.
    """
    shell = operation_table.table().shell
    program = words[0]
    if program in shell.lines or (program in shell.echoes and following in shell.lines):
        for word in words[1:]:
            if " " in word:
                yield from commands(word, depth)
        if program in shell.targeted | shell.repeaters:
            yield from _of_words(_past_options(_past_options(words[1:])[program in shell.targeted :]), depth)
    elif program in shell.containers:
        if found := _IN_CONTAINER.match(" ".join(words[1:])):
            yield from commands(found[1], depth)
    elif program.rstrip("0123456789.") in shell.interpreters:
        inner = words[2:] if words[1:2] == ("-m",) else _known(words[1:])
        yield from _of_words(inner, depth, prefix)
    elif program in shell.runners:
        started = _past_options(words[2:] if words[1:2] in (("run",), ("exec",)) else words[1:])
        yield from _of_words(started if program.endswith("x") else _known(started), depth, prefix)


def _command(prefix: tuple[str, ...], words: tuple[str, ...], following: str, depth: int) -> Command:
    runs = _run_by(prefix, words, following, depth - 1) if words and depth > 1 else ()
    return Command(words, prefix, tuple(runs))


def _of_words(words: Sequence[str], depth: int, prefix: tuple[str, ...] = ()) -> Iterator[Command]:
    """Yields the command of words that were split already, if they are no whole line."""
    if words and " " not in words[0]:
        own, plain = _prefixed(words)
        yield _command((*prefix, *own), plain, "", depth)


def _known(words: Sequence[str]) -> Sequence[str]:
    """Returns the words if they begin with a program of the table: `yarn add` is no program "add"."""
    return words if words and _program(words[0]) in operation_table.table().commands else ()
