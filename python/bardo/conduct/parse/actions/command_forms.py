"""Forms of commands that do the same: `npm i`, `yarn add`, `bun add`; `kubectl delete` by any name of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import dry_runs, operation_table, options, shell

#: Maximum number of cached texts.
_TEXTS = 16_384
#: Maximum number of words before the command in the text of a rejection, as in "never run npm install".
_BEFORE = 4
_CODE = lazy_pattern(r"`([^`]+)`")
#: Words by which a person speaks of a command.
_RUNS = frozenset({
    "run", "runs", "running", "use", "uses", "using", "execute", "executes", "executing", "call", "calls", "calling",
    "invoke", "start", "launch", "issue", "type",
})  # fmt: skip
#: Words before a program that does what was said before: "no purging with combctl".
_BY_MEANS = frozenset({"with", "by", "via", "using", "through"})
#: Words that end the command in a sentence.
_AFTER = frozenset({
    "on", "in", "to", "into", "at", "for", "with", "without", "against", "from", "by", "during", "before", "after",
    "unless", "until", "and", "or", "if", "when", "while", "as", "again", "please", "ever", "anymore", "because",
})  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the", "any", "our", "your", "my"})
#: End of the name of a package, before its version or its extras.
_VERSION = lazy_pattern(r"(?<!^)@|[=<>~!^\[]")


class CommandForm(NamedTuple):
    """Command in its first form.

    Args:
        tool: Name of the tool.
        verb: Verb.
        kinds: Kinds of objects.
        objects: Names of objects, and all other arguments.
        options: Options by which commands of the tool differ.
        is_dry_run: Whether it is a dry run, or asks for help.
    """

    tool: str
    verb: str
    kinds: frozenset[str]
    objects: frozenset[str]
    options: frozenset[str]
    is_dry_run: bool

    def covers(self, other: CommandForm) -> bool:
        """Whether another command does the same, with further objects and options or without."""
        return (
            (self.tool, self.verb) == (other.tool, other.verb)
            and self.kinds <= other.kinds
            and self.objects <= other.objects
            and self.options <= other.options
        )

    @property
    def words(self) -> frozenset[str]:
        """Returns the verb, the kinds and the objects."""
        return frozenset({self.verb, *self.kinds, *self.objects})

    @property
    def keys(self) -> frozenset[str]:
        """Returns what commands that it covers have in common with it, each alone."""
        whole = f"{self.tool} {self.verb}"
        return frozenset({whole, *(f"{whole} {each}" for each in self.kinds | self.objects)})

    def is_apart(self, other: CommandForm) -> bool:
        """Whether another command does the same to other kinds of objects."""
        return (
            (self.tool, self.verb) == (other.tool, other.verb)
            and bool(self.kinds and other.kinds)
            and self.kinds.isdisjoint(other.kinds)
        )


@lru_cache(_TEXTS)
def of_text(text: str) -> CommandForm | None:
    """Returns the form of the command that a rejection consists of, or quotes as code; None if it is none."""
    quoted = _CODE.findall(text)
    if len(quoted) > 1:
        return None
    plain = quoted[0] if quoted else text.strip().rstrip(".!")
    table = operation_table.table()
    words = plain.split()
    before = 0
    while before < _BEFORE and words[before:] and _is_framing(words[before], table):
        before += 1
    if not any(shell.is_known(word) for word in words[before : before + _BEFORE]):
        return None
    found = shell.commands(" ".join(words[before:]))
    forms = list(of_commands(found))
    return forms[0] if len(found) == len(forms) == 1 else None


def named_verb(text: str, line: str) -> str:
    """Returns the verb that the text of a rejection names with the unknown program of a command line; empty for none.

    It is the verb of the line if all words of the command in the text are in the line: "never run combctl purge on
    production" names `combctl purge --yes`.

    Args:
        text: Plain form of the rejection.
        line: Command line.
    """
    program, *given = line.split() or [""]
    table = operation_table.table()
    verb = next((word for word in given if not word.startswith("-")), "")
    if program in table.commands or program in table.tools or not verb:
        return ""
    there = {*given, *(word.partition("=")[0] for word in given)}
    for found in re.finditer(rf"(?<![\w./-]){re.escape(program)}(?![\w-])", text):
        before = [word.lower().strip(".,;:!?`\"'") for word in text[: found.start()].split()]
        last = next((word for word in reversed(before) if word not in _ARTICLES), "never")
        command = _command_words(text[found.end() :])
        is_run = last in _RUNS or last in table.framing or text[: found.start()].endswith("`")
        if command and is_run:
            return command[0] if command[0] != given[0] or there.issuperset(command) else ""
        stems = operation_table.content_stems([verb])
        if not command and last in _BY_MEANS and stems <= operation_table.content_stems(before):
            return verb
    return ""


def _command_words(rest: str) -> list[str]:
    """Returns the words of a command after its program in a sentence: up to the end of the code, clause or phrase."""
    code, quote, _ = rest.partition("`")
    words: list[str] = []
    for word in (code if quote else rest).split():
        bare = word.rstrip(".,;:!?")
        if bare.lower() in _AFTER:
            break
        words += filter(None, [bare])
        if bare != word:
            break
    return words


def of_commands(found: Iterable[shell.Command]) -> Iterator[CommandForm]:
    """Yields the forms of commands of known tools, of those that they run, too."""
    for command in shell.every(found):
        if (form := _form_of(command)) is not None:
            yield form


def _is_framing(word: str, table: operation_table.Table) -> bool:
    """Whether a word before a command belongs to the rejection."""
    word = word.lower().replace("’", "'").rstrip(":,")
    return word not in table.tools and (
        word in table.framing or word.replace("'", "") in table.fillers or word in _RUNS
    )


def _form_of(command: shell.Command) -> CommandForm | None:
    """Returns the form of a command; None if its tool is unknown, or it has no arguments that tell what it does."""
    words = command.words
    tools = operation_table.table().tools
    head = 2 if " ".join(words[:2]) in tools else 1
    tool = tools.get(" ".join(words[:head]))
    if tool is None:
        return None
    given = options.read(words)
    arguments = given.arguments[head - 1 :]
    if tool.is_reversed:
        arguments = (*arguments[1:2], *arguments[:1], *arguments[2:])
    length = next((size for size in (2, 1) if tuple(arguments[:size]) in tool.verbs), 1)
    if not arguments:
        return None
    # "Container rm" is a verb after the kind of its objects.
    *of_verb, verb = tool.verbs.get(tuple(arguments[:length]), arguments[0]).split() or [""]
    parts = [part for argument in arguments[length:] for part in _parts(argument, tool)]
    kinds = frozenset((*of_verb, *islice((tool.kinds[part] for part in parts if part in tool.kinds), 1)))
    named = [part for part in parts if tool.kinds.get(part) not in kinds]
    if tool.packages and not named:
        return None
    flags = frozenset(name for flag in given.canonical for name in tool.flags.get(flag, {flag}))
    return CommandForm(
        tool.name, verb, kinds, frozenset(named),
        flags if tool.options is None else flags & tool.options, dry_runs.is_dry_run(command),
    )  # fmt: skip


def _parts(argument: str, tool: operation_table.Tool) -> list[str]:
    """Splits an argument into kinds and names: `pvc/data-0`, `deployments.apps`, `moment@2`."""
    if tool.packages:
        return [_VERSION.split(argument, maxsplit=1)[0].lower()]
    if not tool.kinds:
        return [argument.removesuffix(tool.suffix)]
    kinds, slash, name = argument.partition("/")
    named = [each.lower().partition(".")[0] for each in kinds.split(",")]
    if all(each in tool.kinds for each in named):
        return [*named, *([name] if slash else [])]
    return [argument]
