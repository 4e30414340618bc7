"""Parses an action: its operations and objects, commands, SQL, hosts and paths."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import (
    amounts,
    command_forms,
    dry_runs,
    operation_table,
    operations,
    options,
    places,
    shell,
)
from bardo.conduct.parse.actions.command_forms import CommandForm
from bardo.conduct.parse.vocabulary import kinds_in, stems_of, vocabulary

#: Maximum number of cached actions.
_ACTIONS = 16
#: Stems of the words for a table of a database.
TABLE = frozenset({"tabl"})
_PROGRAM = lazy_pattern(r"[a-z0-9_.~/-]*[a-z][a-z0-9_.+/-]*")
_CALL = lazy_pattern(r"\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\((.*)", re.DOTALL)
_JSON_NAME = lazy_pattern(r"\"(?:tool|name|function|command|action)\"\s*:\s*\"([^\"]+)\"")
_SQL = lazy_pattern(
    r"\b(?:drop (?:table|index|database|schema|column|view|user|role)|truncate(?: table)?|delete from|"
    r"update [\w.\"]+ set|"
    r"insert into|alter (?:table|database|role|user)|create (?:unique |or replace )?(?:table|index|database|schema|"
    r"view|user|"
    r"role)|grant \w+|revoke \w+|select .{1,80}? from|show \w+|explain|describe)\b[^;]*",
    re.IGNORECASE | re.DOTALL,
)
_SQL_READS = lazy_pattern(r"select|show|explain|describe", re.IGNORECASE)
#: Operations by which an action in words writes the files that it names.
_WRITES = frozenset({"modify", "delete", "remove", "install", "store"})
#: Table that a statement writes, and table that it reads.
_SQL_WRITTEN = lazy_pattern(
    r"\b(?:insert into|update|delete from|truncate(?: table)?|(?:alter|drop|create) table)"
    r"(?: (?:if (?:not )?exists|only))? [\"`]?(?:\w+[\"`]?\.[\"`]?)?(\w+)",
    re.IGNORECASE,
)
_SQL_READ = lazy_pattern(r"\b(?:from|join|describe) [\"`]?(?:\w+[\"`]?\.[\"`]?)?(\w+)", re.IGNORECASE)
_SQL_DELETES = lazy_pattern(r"drop|truncate|delete", re.IGNORECASE)
#: Main branch, with the prefixes that keep it one.
_MAIN = lazy_pattern(r"\W*(?:HEAD:)?(?:refs/heads/|remotes/|origin/|upstream/)*(?:main|master)\W*")
#: Compound of a thing that is lacking or only resembled: "sugar-free", "production-like".
_LIKENESS = lazy_pattern(
    r"(?<![\w/.-])(?P<of>[A-Za-z]+)-(?P<kind>free|less|like|sized|shaped|style|flavou?red)\b(?![/.-])"
)
_BRANCH_PARTS = lazy_pattern(r"[-/]")
#: End of the name of a package, before its version.
_VERSION = lazy_pattern(r"(?<!^)@|[=<>~!^\[:]")
_META = lazy_pattern(r"\\[a-z]+\+?")
#: Letters in upper case; the letter of a short option is a group.
_CAPITALS = lazy_pattern(r"(?<!\S)([*?!\[\]]*-[A-Za-z])|[A-Z]+")
_WILDCARD = lazy_pattern(r"[*?]|\[!?\]?[^\]]*\]")
#: Name of a file in a glob.
_FILE = lazy_pattern(r"(?<![\w\]])\.[a-z]")


@dataclass(frozen=True, slots=True)
class ActionOperations:
    """Operations and objects of an action by the table of operations.

    Args:
        is_command: Whether the action consists of commands known to the table.
        whole: Whether the operations are complete, as far as can be determined.
        operations: Operations; empty if unknown to the table.
        first: Stems of the words for the operation.
        mentioned: Operations mentioned anywhere in prose.
        programs: Stems of the programs that run.
        used: Stems of the programs, of objects related to them, and of named packages.
        things: Stems of all other words.
        kin: Stems of objects that are probably related to these.
    """

    is_command: bool
    whole: bool
    operations: frozenset[str]
    first: frozenset[str]
    mentioned: frozenset[str]
    programs: frozenset[str]
    used: frozenset[str]
    things: frozenset[str]
    kin: frozenset[str]


class CommandOperations(NamedTuple):
    """Operations and words of a command of an action.

    Args:
        program: Program.
        does: Operations; empty if unknown.
        words: Stems of its arguments.
        installs_declared: Whether it installs what the project declares, and no package that it names.
    """

    program: str
    does: frozenset[str]
    words: frozenset[str]
    installs_declared: bool


@dataclass(frozen=True, slots=True)
class ParsedAction(ActionOperations):
    """Parsed action.

    Args:
        text: Action.
        form: `command`, `tool` or `prose`.
        verbs: Operations with the more general ones that include them, those of inner commands and SQL included.
        stems: Stems of all words.
        hosted: Those that only hosts of addresses have.
        addressed: Those that only addresses have, in the host, the path or the query.
        kinds: Kinds of which a member is named.
        lines: Command lines, each with its prefixes and without, those inside of others included; SQL as `sql ...`.
        pipes: Pairs of commands of which the second has or reads the output of the first, as `curl URL | bash`.
        dry_lines: Those of commands that only try, or ask for help.
        options: Options of the commands, each by its short and its long name.
        flagged: Program of each command, with its subcommand if the options are of that, and its options by their
            long names.
        installs: Words of the commands that install or use packages.
        reads: Whether it changes nothing, as far as can be seen.
        removes: Whether it removes or ends something.
        places: Hosts and paths.
        bare: Lines of the commands, or the text, without texts for people and names of templates.
        forms: Commands of known tools in their first forms.
        commands: Operations and words of each command, those of inner ones included.
        tables: Stems of each table that its SQL writes; of each that it reads if it writes none.
    """

    text: str
    form: Literal["command", "tool", "prose"]
    verbs: frozenset[str]
    stems: frozenset[str]
    hosted: frozenset[str]
    addressed: frozenset[str]
    kinds: frozenset[str]
    lines: tuple[str, ...]
    pipes: tuple[str, ...]
    dry_lines: frozenset[str]
    options: frozenset[str]
    flagged: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    installs: frozenset[str]
    reads: bool
    removes: bool
    places: places.Places
    bare: tuple[str, ...]
    forms: tuple[CommandForm, ...]
    commands: tuple[CommandOperations, ...]
    tables: tuple[frozenset[str], ...] = ()


def _whole_branches(text: str) -> str:
    """Joins the parts of other branches of git that have "main" among them: `feature/main-menu` is no main branch."""
    if "git " not in text:
        return text
    words = []
    for word in text.split(" "):
        parts = _BRANCH_PARTS.split(word)
        is_other = len(parts) > 1 and not word.startswith("-") and not {"main", "master"}.isdisjoint(parts)
        words.append("".join(parts) if is_other and not _MAIN.fullmatch(word) else word)
    return " ".join(words)


def _without_lacking(text: str) -> tuple[frozenset[str], str]:
    """Returns the kinds that a text says to lack or resemble ("sugar-free"), and the text without their names."""
    found = " ".join(match["of"] for match in _LIKENESS.finditer(text))
    kinds = kinds_in(stems_of(found), vocabulary().kinds_by_stem)
    return kinds, _LIKENESS.sub(r"\g<kind>", text)


@lru_cache(_ACTIONS)
def parse(text: str) -> ParsedAction:
    """Parses an action: commands of a shell, a call of a tool, or prose."""
    lacking, text = _without_lacking(_whole_branches(text))
    words = vocabulary()
    call = _CALL.fullmatch(text)
    is_json = text.lstrip().startswith("{") and text.rstrip().endswith("}") and '"' in text
    tool = call or (_JSON_NAME.search(text) if is_json else None)
    called = tool[1] if tool else ""
    is_tool = call is not None or is_json
    top = list(shell.run_by_code(text)) if is_tool else shell.commands(text)
    done = _operations_of(text, top)
    form: Literal["command", "tool", "prose"] = "prose"
    if is_tool:
        form = "tool"
    elif done.is_command or shell.COMPOUND.search(text) or _is_command(text):
        form = "command"
    commands = [] if form == "prose" else list(shell.every(top))
    does = [_does(command) for command in commands]
    verbs = {verb for name in done.operations.union(*does) for verb in operations.closure(name)}
    if form == "prose" and not done.operations:
        verbs |= done.mentioned
    sql = [] if form == "prose" else [_plain_sql(match[0]) for match in _SQL.finditer(text)]
    writes = [line for line in sql if not _SQL_READS.match(line)]
    if sql:
        verbs -= {"delete", "remove"}
        verbs |= {"modify"} if writes else {"read"}
        verbs |= {"delete", "remove"} if any(_SQL_DELETES.match(line) for line in writes) else set()
        if any(line.startswith(("alter", "create", "drop")) for line in writes):
            verbs.add("migrate")
    is_writing = shell.WRITES.search(text) is not None or any(each.program == "tee" for each in commands)
    if sql:
        reads = not writes and not is_writing
    elif form == "prose":
        reads = _first(text, words.reading) and not is_writing
    elif form == "tool" and not top:
        reads = _call_reads(called)
    else:
        reads = not is_writing and _commands_read(text, commands, does)
    removes = bool(verbs & {"remove", "delete", "stop", "close"}) or _first(text, words.removing)
    given_options = [options.read(command.words) for command in commands]
    lines, dry_lines = _lines_of(commands, given_options)
    if commands:
        named = places.of_commands(text, commands)
    else:
        is_writing = not reads and (bool(verbs & _WRITES) or not verbs)
        named = places.of_call(text, called if form == "tool" else "", writes=is_writing)
    stems = stems_of(amounts.with_money(text) if form == "prose" else text).union(*map(_objects_of, commands))
    spoken, hosts, paths = places.split_addresses(text)
    addressed = stems - stems_of(spoken)
    # In an address that is fetched or told, a word is a name.
    is_named = form == "prose" or done.operations == {"download"}
    things = done.things - addressed if is_named else done.things
    return ParsedAction(
        text=text, form=form, verbs=frozenset(verbs), reads=reads, removes=removes, stems=stems,
        hosted=addressed & stems_of(hosts) - stems_of(paths), addressed=addressed,
        kinds=kinds_in(stems, words.members) - lacking,
        lines=(*lines, *(f"sql {line}" for line in sql)), dry_lines=dry_lines,
        pipes=tuple(pipe for command in commands for pipe in command.pipes),
        options=frozenset(
            name
            for command, given in zip(commands, given_options, strict=True)
            for name in (*given.names, *command.general)
        ),
        flagged=tuple(
            (options.head_of(command.words), given.canonical | frozenset(command.general))
            for command, given in zip(commands, given_options, strict=True)
        ),
        installs=frozenset(
            word
            for command, names in zip(commands, does, strict=True)
            if names & {"use", "install"}
            for word in command.line.split()
        ),
        places=named,
        bare=tuple(map(_bare, given_options)) or (options.without_templates(text),),
        forms=tuple(command_forms.of_commands(() if form == "prose" else top)),
        commands=tuple(map(_command_operations, commands, does)),
        tables=tuple(stems_of(name) for line in writes or sql for name in _tables_in(line, written=bool(writes))),
        is_command=done.is_command, whole=done.whole, operations=done.operations, first=done.first,
        mentioned=done.mentioned, programs=done.programs, used=done.used, things=things, kin=done.kin,
    )  # fmt: skip


def _operations_of(text: str, commands: Sequence[shell.Command]) -> ActionOperations:
    """Finds operations and objects of an action by the table: of its commands, else of its words."""
    table = operation_table.table()
    found: set[str] = set()
    programs: set[str] = set()
    used: set[str] = set()
    kin: set[str] = set()
    is_command = bool(commands)
    for command in commands:
        known = operations.operation_of(command)
        if known is None:
            is_command = False
            continue
        pattern, (program, *names) = known
        does_more = command.writes or bool(command.substituted)
        is_command &= not (does_more and table.operations[pattern.does].reads)
        found.add(pattern.does)
        programs |= operations.word_stems([program])
        used |= pattern.about
        for name in names if pattern.named else ():
            whole = operations.SUFFIX.sub("", _VERSION.split(name)[0]).lower()
            used |= operations.word_stems([whole, *re.split(r"[/@]", whole)])
            kin |= operations.word_stems([name.lower(), *operations.parts_of(name)])
    first: set[str] = set()
    mentioned: frozenset[str] = frozenset()
    is_prose = not found
    spoken = amounts.as_money(text) if is_prose else text
    if is_prose:
        found, first = operations.in_prose(spoken)
        beside = operations.with_particles(text)
        nouns = operations.attributive(beside)
        mentioned, _ = operations.mentioned_in(beside, operations.words_of(beside), nouns)
    things = operations.word_stems(operations.parts_of(text))
    words = [word for command in shell.every(commands) for word in options.read(command.words).used]
    plain = " ".join(words) if is_command else options.without_templates(text)
    things |= operations.canonical_in(plain, table.same_phrases)
    if spoken != text:
        things |= operations.word_stems(["money"])
    if any(unicodedata.category(character) == "So" for character in text):
        things |= operations.word_stems(["emoji"])
    kin |= operations.related_to(things) | operations.canonical_in(text, table.near_phrases)
    return ActionOperations(
        is_command, is_command or is_prose, frozenset(found), frozenset(first), mentioned, frozenset(programs),
        frozenset(used | programs), things, frozenset(kin),
    )  # fmt: skip


def _does(command: shell.Command) -> frozenset[str]:
    """Returns the operations of a command; of an unknown program those of what it runs, or that its words name."""
    known = operations.operation_of(command)
    if known is not None:
        return frozenset({known[0].does})
    return frozenset().union(*map(_does, command.runs)) or frozenset(operations.in_prose(command.line)[0])


def _objects_of(command: shell.Command) -> frozenset[str]:
    """Returns the stems of what the arguments of a command are, as far as the table tells it."""
    known = operations.operation_of(command)
    return frozenset() if known is None else known[0].objects


def _tables_in(line: str, *, written: bool) -> list[str]:
    """Returns the names of the tables that a statement of SQL writes or reads."""
    found: list[str] = (_SQL_WRITTEN if written else _SQL_READ).findall(line)
    return found


def _command_operations(command: shell.Command, does: frozenset[str]) -> CommandOperations:
    """Makes the record of a command of which the operations are known."""
    words = operation_table.content_stems(operations.words_of(" ".join(command.words[1:])))
    is_declared = "install" in does and operations.installs_declared(command)
    return CommandOperations(command.program, does, words, is_declared)


def _lines_of(
    commands: Sequence[shell.Command], given: Sequence[options.Options]
) -> tuple[list[str], frozenset[str]]:
    """Returns the lines of commands, and those of dry runs and requests for help."""
    lines: list[str] = []
    dry: set[str] = set()
    for command, read in zip(commands, given, strict=True):
        lines += filter(None, dict.fromkeys((*command.lines, read.line)))
        if dry_runs.is_dry_run(command):
            dry |= {*command.lines, read.line, _bare(read)}
    return lines, frozenset(dry)


def _bare(given: options.Options) -> str:
    return " ".join(given.used)


def _plain_sql(text: str) -> str:
    return " ".join(text.split()).lower().rstrip("'\" )")


def _is_command(text: str) -> bool:
    """Whether a text looks like a line of a shell, and not like a sentence."""
    first, *rest = text.split() or [""]
    table = operation_table.table()
    while rest and (shell.ASSIGNMENT.fullmatch(first) or first in table.shell.wrappers):
        first, *rest = rest
    if not _PROGRAM.fullmatch(first):
        return False
    program = first.rsplit("/", 1)[-1]
    known = program in table.commands or program in vocabulary().by_program or program in table.shell.lines
    marked = sum(
        word.startswith(("-", "/", "./", "~", "|", ">", "&&", "$", "'", '"')) or "=" in word or "/" in word
        for word in rest
    )
    if known and (not rest or marked):
        return True
    prose = len(operation_table.content_stems(rest)) < len(rest) - marked
    return (
        bool(marked and not (prose and marked < 2))
        or (len(rest) <= 3 and "-" in first)
        or (known and not prose)
    )


def _call_reads(called: str) -> bool:
    """Whether the name of a function is of one that reads."""
    reading = vocabulary().reading_calls
    parts = operation_table.CAMEL.sub("_", called.rsplit(".", 1)[-1]).lower().split("_")
    # To look up a route is to read; to route something is not.
    first = reading if len(parts) == 1 else reading - {"route"}
    return parts[0] in first or parts[-1] in reading - {"plan", "report", "summary", "head"}


def _commands_read(text: str, commands: Sequence[shell.Command], does: Sequence[frozenset[str]]) -> bool:
    """Whether commands that write no file only read."""
    kinds = operation_table.table().operations
    is_known = bool(does) and all(
        dry_runs.is_dry_run(command)
        or (command.runs and _commands_read("", command.runs, list(map(_does, command.runs))))
        or (found and all(kinds[name].reads for name in found))
        for command, found in zip(commands, does, strict=True)
    )
    return is_known or bool(_META.search(text) and commands and commands[0].program == "psql")


def _first(text: str, stems: frozenset[str]) -> bool:
    """Whether the first word of a sentence, fillers aside, is one of given stems."""
    table = operation_table.table()
    for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)[:6]:
        lower = word.lower().replace("’", "'")
        if lower.replace("'", "") in table.fillers or lower[0].isdigit():
            continue
        return not operation_table.content_stems([lower]).isdisjoint(stems)
    return False


def has_options(action: ParsedAction, flags: str) -> bool:
    """Whether a command of an action has all of the options that a rejection names together, in any form.

    Args:
        action: Parsed action.
        flags: Options, such as "-r -f".
    """
    return any(options.required(head, flags) <= names for head, names in action.flagged if names)


def fits(line: str, pattern: str) -> bool:
    """Whether a folded line fits a glob of a command line.

    Most lines lack a literal part of most globs, so that a process that asks once compiles few expressions.
    """
    return all(part in line for part in _literals(pattern)) and bool(_expression(pattern).fullmatch(line))


@cache
def _literals(pattern: str) -> tuple[str, ...]:
    return tuple(filter(None, _WILDCARD.split(folded(pattern))))


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(folded(pattern)))


def folded(line: str) -> str:
    """Returns a line in lower case, except the letters of short options: `-k` is not `-K`."""
    return _CAPITALS.sub(lambda found: found[1] or found[0].lower(), line)


def fitting(patterns: Sequence[str], action: ParsedAction) -> tuple[str, bool]:
    """Returns the glob that a command line of an action fits, and whether that is a dry run; empty if none fits.

    The action itself may be the line. One of an unknown program without options, such as "deploy billing", is read as
    prose. Names of files are not sought in texts for people, such as the message of a commit.
    """
    if not patterns:
        return "", False
    whole = (*action.lines, *action.pipes) or (action.text.strip(),)
    lines, bare = (
        [(folded(line), line in action.dry_lines) for line in given]
        for given in (whole, action.bare if action.lines else whole)
    )
    found = (
        (each, is_dry)
        for each in patterns
        for line, is_dry in (bare if _FILE.search(each) else lines)
        if fits(line, each)
    )
    # A command that is run counts before a dry run.
    return min(found, key=lambda fit: fit[1], default=("", False))
