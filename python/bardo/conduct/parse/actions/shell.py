"""Parses lines of a shell into commands: programs with their arguments, and the commands that these run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import code, operation_table

#: Maximum depth of commands in commands.
_DEPTH = 3
#: Assignment of a variable before a program.
ASSIGNMENT = lazy_pattern(r"[A-Za-z_]\w*=.*", re.DOTALL)
#: Redirection into a file.
WRITES = lazy_pattern(r"(?<![2=-])>{1,2}\s*(?!/dev/null|&)\S")
#: Text that a shell takes as it is; a command of which it takes the output; and text that has no separators.
_LITERAL = r"(?<!\w)'[^']*'|\\."
_SUBSTITUTED = r"\$\(([^()]*)\)|`([^`]*)`"
_TAKEN = lazy_pattern(f"{_LITERAL}|{_SUBSTITUTED}", re.DOTALL)
_WHOLE = lazy_pattern(rf"\"(?:\\.|[^\"\\])*\"|{_LITERAL}|{_SUBSTITUTED}", re.DOTALL)
#: End of a command, or of a label such as "Run: ", and a comment; the sign of `2>&1` is none.
_SEPARATOR = lazy_pattern(r"(?:[;|()\n]|(?<![<>])&(?!>))+|(?<=\S):\s|(?<!\S)#[^\n]*")
#: Input that a text has in itself, with the rest of the line before it.
_HERE = lazy_pattern(
    r"<<-?[ \t]*([\"']?)(\w+)\1([^\n]*)\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_HERE_PLACE = lazy_pattern(r"<<(\d+)$")
#: Conditional or loop; its keywords are words of English elsewhere.
COMPOUND = lazy_pattern(
    r"(?:^|[;&|({\n])\s*(?:if|for|while|until)\s.*[;\n]\s*(?:then|do)\s.*(?:[;\n]|&&)\s*(?:fi|done)\b",
    re.DOTALL,
)
#: Separators after which a command reads the output of the one before.
_PIPES = frozenset({"|", "|&"})
_GROUPING = frozenset({"!", "{", "}"})
_BEFORE_COMMAND = frozenset({"if", "then", "elif", "else", "while", "until", "do"})
#: Keywords of a part that is no command, with its other words.
_WITHOUT_COMMAND = frozenset({"for", "fi", "done", "break", "continue"})
#: Options of a shell or an interpreter before the code that it runs.
_INLINE = frozenset({"-c", "-e", "-E", "-r", "-p", "-lc", "-ec", "--eval", "--print", "--command"})
#: Options of a search for files before the command that it runs with each.
_WITH_EACH = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
#: General options by which a program does nothing else; `-h` has a value for some.
_HELP = frozenset({"--help", "-h", "--version", "-V"})


class Command(NamedTuple):
    """Command of a line.

    Args:
        words: Program without its folder, and arguments; empty if there are prefixes alone.
        prefix: Assignments and wrappers before it.
        general: Options before the subcommand, which `words` does not have.
        runs: Commands that it runs: in a shell, on another host, by an interpreter, from a package.
        substituted: Commands of which it has the output as words.
        sources: Commands of which it reads the output: those before it in a pipe, and those in `<(...)`.
    """

    words: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    runs: tuple[Command, ...] = ()
    substituted: tuple[Command, ...] = ()
    sources: tuple[Command, ...] = ()

    @property
    def program(self) -> str:
        """Returns the program; empty if there is none."""
        return self.words[0] if self.words else ""

    @property
    def line(self) -> str:
        """Returns the command without prefixes and general options."""
        return " ".join(self.words)

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the command from each of its prefixes on, and without prefixes and general options."""
        whole = (*self.prefix, *self.words[:1], *self.general, *self.words[1:])
        count = len(self.prefix) + bool(self.general)
        plain = (self.line,) if self.words else ()
        return (*(" ".join(whole[start:]) for start in range(count)), *plain)

    @property
    def pipes(self) -> tuple[str, ...]:
        """Returns the command after each command whose output it has or reads, as `curl URL | bash`."""
        return tuple(f"{source.line} | {self.line}" for source in (*self.sources, *self.substituted))

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
    texts: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        texts.append(found[4])
        return f" <<{len(texts) - 1} {found[3]}\n"

    text = _HERE.sub(put_aside, text)
    is_compound = COMPOUND.search(text) is not None
    parts = []
    for separator, part in _parts(text):
        rest, inner = _without_substituted(part)
        substituted = [each for line in inner for each in commands(line, depth - 1)] if depth > 1 else []
        words = _past_keywords(_words(rest), is_compound=is_compound)
        given = [texts[int(place[1])] for word in words if (place := _HERE_PLACE.match(word))]
        parts.append((separator, *_prefixed(words), substituted, given))
    following = [*(words[0] if words else "" for _, _, words, *_ in parts[1:]), ""]
    found: list[Command] = []
    for (separator, prefix, words, substituted, given), program in zip(parts, following, strict=False):
        if words in ((), ("$()",)) and not prefix:
            # The output of the commands is the command, or the list of a loop.
            found += substituted
            continue
        command = _command(prefix, words, program, depth)
        runs = (*command.runs, *_reading(command.program, given, depth - 1))
        command = command._replace(runs=runs, substituted=tuple(substituted))
        before = found[-1] if found else None
        if before is not None and separator in _PIPES:
            command = command._replace(sources=(before, *before.sources))
        elif before is not None and separator == "(" and before.words[-1:] == ("<",):
            found[-1] = before._replace(sources=(command,))
        found.append(command)
    return found


def every(found: Iterable[Command]) -> Iterator[Command]:
    """Yields commands, each with the commands that it runs."""
    for command in found:
        yield command
        yield from every((*command.runs, *command.substituted))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yields the parts of a text, each with the separator before it."""
    # Of the same length, so that places are those of the text.
    masked = _WHOLE.sub(lambda found: "_" * len(found[0]), text)
    start, before = 0, ""
    for separator in _SEPARATOR.finditer(masked):
        if part := text[start : separator.start()].strip():
            yield before, part
        start, before = separator.end(), separator[0].strip()
    if part := text[start:].strip():
        yield before, part


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


def _past_keywords(words: Sequence[str], *, is_compound: bool) -> Sequence[str]:
    """Drops the keywords before a command."""
    keywords = _BEFORE_COMMAND | _GROUPING if is_compound else _GROUPING
    while words and words[0] in keywords:
        words = words[1:]
    return () if is_compound and words and words[0] in _WITHOUT_COMMAND else words


def _prefixed(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits words into the prefixes of a command, without their options, and the command."""
    wrappers = operation_table.table().shell.wrappers
    prefix = []
    while words and (ASSIGNMENT.fullmatch(words[0]) or _program(words[0]) in wrappers):
        word = _program(words[0]) if _program(words[0]) in wrappers else words[0]
        prefix.append(word)
        words = _past_options(words[1:], word) if word in wrappers else words[1:]
    return tuple(prefix), (_program(words[0]), *words[1:]) if words else ()


def _program(word: str) -> str:
    """Returns the name of a program without its folder; `@scope/name` is the name of a package."""
    return word if word.startswith("@") else word.rsplit("/", 1)[-1]


def _past_options(words: Sequence[str], command: str) -> Sequence[str]:
    """Drops the options at the beginning.

    Args:
        words: Words after a command.
        command: Program, with its subcommand if the options are of that.
    """
    valued = operation_table.table().valued.get(command, frozenset())
    while words and ((words[0].startswith("-") and words[0] != "--") or words[0] in valued):
        words = words[2 if words[0] in valued else 1 :]
    return words


def _without_general(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits a command into its general options, which stand before a subcommand, and the rest."""
    valued, general, start = operation_table.table().valued, tuple[str, ...](), 1
    while " ".join(words[:start]) in valued:
        rest = tuple(_past_options(words[start:], " ".join(words[:start])))
        dropped = words[start : len(words) - len(rest)]
        if not rest or not (_HELP - valued[" ".join(words[:start])]).isdisjoint(dropped):
            break
        general, words = (*general, *dropped), (*words[:start], *rest)
        start += 1
    return general, words


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
        for before, word in pairwise(words):
            if " " in word or (program in shell.shells and before in _INLINE):
                yield from commands(word, depth)
        if program in shell.targeted | shell.repeaters:
            started = _past_options(words[1:], program)[program in shell.targeted :]
            yield from _of_words(_past_options(started, program), depth)
    elif program == "find":
        for start, word in enumerate(words):
            if word in _WITH_EACH:
                yield from _of_words(words[start + 1 :], depth)
    elif program in shell.containers:
        yield from _of_words(_in_container(words), depth)
    elif _interpreter(program) in shell.interpreters:
        if given := [word for before, word in pairwise(words) if before in _INLINE]:
            yield from _reading(program, given, depth)
            return
        inner = words[2:] if words[1:2] == ("-m",) else _known(words[1:])
        yield from _of_words(inner, depth, prefix)
    elif program in shell.runners:
        started = _past_options(words[2:] if words[1:2] in (("run",), ("exec",)) else words[1:], program)
        yield from _of_words(started if program.endswith("x") else _known(started), depth, prefix)


def _reading(program: str, texts: Iterable[str], depth: int) -> Iterator[Command]:
    """Yields the commands that a program runs of texts: a shell all, an interpreter those of its code."""
    shell = operation_table.table().shell
    for text in texts if depth > 0 else ():
        if program in shell.lines:
            yield from commands(text, depth)
        elif _interpreter(program) in shell.interpreters:
            yield from run_by_code(text, depth)


def run_by_code(text: str, depth: int = _DEPTH) -> Iterator[Command]:
    """Yields the commands that code or the call of a tool runs, if their programs are known.

    Args:
        text: Code or call.
        depth: Number of levels of commands in commands that are read.
    """
    for words in code.run_by(text):
        found = commands(words[0], depth) if len(words) == 1 else list(_of_words(words, depth))
        if any(is_known(each.program) or each.prefix for each in found):
            yield from found


def _in_container(words: Sequence[str]) -> Sequence[str]:
    """Returns the command that a program of containers runs in one; empty if none."""
    start = 2 if words[1:2] == ("compose",) else 1
    if words[start : start + 1] not in (("exec",), ("run",)):
        return ()
    if "--" in words:
        return words[words.index("--") + 1 :]
    # After the options and the container, image or service.
    return _past_options(words[start + 1 :], " ".join(words[: start + 1]))[1:]


def _interpreter(program: str) -> str:
    """Returns the name of a program without its version."""
    return program.rstrip("0123456789.")


def is_known(program: str) -> bool:
    """Whether a program is one of the table."""
    table = operation_table.table()
    return program in table.commands or program in table.shell.lines


def _command(prefix: tuple[str, ...], words: tuple[str, ...], following: str, depth: int) -> Command:
    general, words = _without_general(words)
    runs = _run_by(prefix, words, following, depth - 1) if words and depth > 1 else ()
    return Command(words, prefix, general, tuple(runs))


def _of_words(words: Sequence[str], depth: int, prefix: tuple[str, ...] = ()) -> Iterator[Command]:
    """Yields the command of words that were split already, if they are no whole line."""
    if words and " " not in words[0]:
        own, plain = _prefixed(words)
        yield _command((*prefix, *own), plain, "", depth)


def _known(words: Sequence[str]) -> Sequence[str]:
    """Returns the words if they begin with a program of the table: `yarn add` is no program "add"."""
    return words if words and _program(words[0]) in operation_table.table().commands else ()
