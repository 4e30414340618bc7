"""Parses what an action does beyond its operation: commands in commands, SQL, calls of tools, hosts and paths."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from bardo.conduct import operation_table, operations
from bardo.conduct.forbidden import kinds_in, stems_of, vocabulary

#: Maximum number of cached actions, and depth of commands in commands.
_DEEDS, _DEPTH = 16, 3
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
_PROGRAM = re.compile(r"[a-z0-9_.~/-]*[a-z][a-z0-9_.+/-]*")
_SEPARATOR = re.compile(r"[;|&()\n]+")
_CALL = re.compile(r"\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\((.*)", re.DOTALL)
_JSON_NAME = re.compile(r"\"(?:tool|name|function|command|action)\"\s*:\s*\"([^\"]+)\"")
_SQL = re.compile(
    r"\b(?:drop (?:table|index|database|schema|column|view|user|role)|truncate(?: table)?|delete from|"
    r"update [\w.\"]+ set|"
    r"insert into|alter (?:table|database|role|user)|create (?:unique |or replace )?(?:table|index|database|schema|"
    r"view|user|"
    r"role)|grant \w+|revoke \w+|select .{1,80}? from|show \w+|explain|describe)\b[^;]*",
    re.IGNORECASE | re.DOTALL,
)
_SQL_READS = re.compile(r"select|show|explain|describe", re.IGNORECASE)
_SQL_DELETES = re.compile(r"drop|truncate|delete", re.IGNORECASE)
#: Main branch, with the prefixes that keep it one.
_MAIN = re.compile(r"\W*(?:HEAD:)?(?:refs/heads/|remotes/|origin/|upstream/)*(?:main|master)\W*")
_BRANCH_PARTS = re.compile(r"[-/]")
_META = re.compile(r"\\[a-z]+\+?")
_HOST = re.compile(r"(?<![\w.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?![\w])")
_PATH = re.compile(
    r"(?<![\w:.])(?:~|\.{1,2})?/?[\w.*~-]+(?:/[\w.*~-]+)+|(?<![\w/])/[\w.-]+|(?<!\w)\.[a-z][\w.-]+"
)
#: Programs that run a command given as an argument or by standard input.
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "fish", "ssh", "at", "batch", "su", "watch", "xargs", "nohup",
                     "timeout",
                     "nice", "parallel", "crontab", "script", "eval"})  # fmt: skip
_WRAPPERS = frozenset(
    {"sudo", "doas", "env", "time", "nohup", "command", "exec", "xargs", "nice", "ionice", "setsid"}
)
#: Options of these programs that are followed by a value.
_WITH_VALUE = frozenset({"-u", "-g", "-h", "-p", "-C", "-n", "-U"})
#: Shells of which the arguments are a command, after a host or a duration except for some.
_RUNNERS = frozenset({"ssh", "timeout", "xargs", "watch", "nice", "parallel", "su"})
_WITHOUT_TARGET = frozenset({"xargs", "watch", "parallel"})
_ECHOES = frozenset({"echo", "printf"})
_EXEC = re.compile(
    r"(?:docker|podman|kubectl|docker-compose) (?:compose )?(?:exec|run)\b.*? (?:--|sh -c|bash -c) (.+)"
)
_HARMLESS = re.compile(
    r"(?<!\S)(?:--dry-run(?:=\S+)?|--help|-h|--version|--check|--diff|--list|--whatif|--simulate)(?!\S)"
)
_WRITES = re.compile(r"(?<![2&=-])>{1,2}\s*(?!/dev/null|&)\S|\btee\b")


@dataclass(frozen=True, slots=True)
class Deed:
    """Parsed action.

    Args:
        text: Action.
        done: Operation and objects by the table of operations.
        verbs: Operations with the more general ones that include them, those of SQL included.
        stems: Stems of all words.
        kinds: Kinds of which a member is named.
        commands: Command lines without prefixes, those inside of others included; SQL as `sql ...`.
        options: Options of the commands.
        form: `command`, `tool` or `prose`.
        reads: Whether it changes nothing, as far as can be seen.
        removes: Whether it removes or ends something.
        hosts: Names of hosts.
        paths: Paths.
    """

    text: str
    done: operations.Action
    verbs: frozenset[str]
    stems: frozenset[str]
    kinds: frozenset[str]
    commands: tuple[str, ...]
    options: frozenset[str]
    form: str
    reads: bool
    removes: bool
    hosts: frozenset[str]
    paths: frozenset[str]


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


@lru_cache(_DEEDS)
def deed(text: str) -> Deed:
    """Parses an action."""
    text = _whole_branches(text)
    done = operations.action(text)
    words = vocabulary()
    stems = stems_of(text)
    call = _CALL.fullmatch(text)
    named = _JSON_NAME.search(text) if text.lstrip().startswith("{") else None
    form = "tool" if call or text.lstrip().startswith("{") else "prose"
    if form == "prose" and (done.command or _is_command(text)):
        form = "command"
    sql = (
        []
        if form == "prose"
        else [" ".join(match[0].split()).lower().rstrip("'\" )") for match in _SQL.finditer(text)]
    )
    lines: tuple[str, ...] = ()
    if form == "command" or (named and named[1] in ("bash", "shell", "run", "exec", "terminal")):
        lines = tuple(_commands(text if form == "command" else _argument(text)))
    verbs = {verb for name in done.operations for verb in operations.closure(name)}
    for line in lines:
        inner = operations.action(line)
        verbs |= {verb for name in inner.operations for verb in operations.closure(name)}
    if form == "prose" and not done.operations:
        verbs |= done.mentioned
    if sql:
        writes = [line for line in sql if not _SQL_READS.match(line)]
        verbs -= {"delete", "remove"}
        verbs |= {"modify"} if writes else {"read"}
        verbs |= {"delete", "remove"} if any(_SQL_DELETES.match(line) for line in writes) else set()
        if any(line.startswith(("alter", "create", "drop")) for line in writes):
            verbs.add("migrate")
    called = call[1] if call else named[1] if named else ""
    if sql and form != "prose":
        reads = all(_SQL_READS.match(line) for line in sql) and not _WRITES.search(text)
    elif form == "prose":
        reads = _first(text, words.reading) and not _WRITES.search(text)
    else:
        reads = _call_reads(called) if form == "tool" else _lines_read(text, lines)
    removes = bool(verbs & {"remove", "delete", "stop", "close"}) or _first(text, words.removing)
    options = frozenset(
        option.partition("=")[0] for line in lines for option in line.split() if option.startswith("-")
    )
    return Deed(
        text, done, frozenset(verbs), stems, kinds_in(stems, words.members),
        (*lines, *(f"sql {line}" for line in sql)), options, form, reads, removes,
        frozenset(_HOST.findall(text.lower())), frozenset(_PATH.findall(text)),
    )  # fmt: skip


def _is_command(text: str) -> bool:
    """Whether a text looks like a line of a shell, and not like a sentence."""
    first, *rest = text.split() or [""]
    while rest and (_ASSIGNMENT.fullmatch(first) or first in _WRAPPERS):
        first, *rest = rest
    if not _PROGRAM.fullmatch(first):
        return False
    table = operation_table.table()
    program = first.rsplit("/", 1)[-1]
    known = program in table.commands or program in vocabulary().by_program or program in _SHELLS
    shell = sum(
        word.startswith(("-", "/", "./", "~", "|", ">", "&&", "$", "'", '"')) or "=" in word or "/" in word
        for word in rest
    )
    if known and (not rest or shell):
        return True
    prose = len(operation_table.content_stems(rest)) < len(rest) - shell
    return (
        bool(shell and not (prose and shell < 2))
        or (len(rest) <= 3 and "-" in first)
        or (known and not prose)
    )


def _argument(text: str) -> str:
    found = re.search(r"\"(?:cmd|command|script|input|args?)\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"", text)
    return found[1].replace('\\"', '"') if found else text


def _tokens(text: str) -> list[str]:
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=";|&()\n")
        lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
        return list(lexer)
    except ValueError:
        return text.replace("|", " | ").replace(";", " ; ").split()


def _commands(text: str, depth: int = _DEPTH) -> Iterator[str]:
    """Yields the commands of a line, without prefixes, and the commands that they run."""
    parts: list[list[str]] = [[]]
    for token in _tokens(text):
        if _SEPARATOR.fullmatch(token):
            parts.append([])
        else:
            parts[-1].append(token)
    parts = [part for part in parts if part]
    for place, part in enumerate(parts):
        comment = next((n for n, word in enumerate(part) if word.startswith("#") and n), None)
        words = part[:comment]
        prefix = []
        while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0] in _WRAPPERS):
            prefix.append(words[0])
            words = words[1:]
            while prefix[-1] in _WRAPPERS and words and words[0].startswith("-"):
                words = words[2 if words[0] in _WITH_VALUE else 1 :]
        if prefix:
            yield " ".join((*prefix, *words))
        if not words:
            continue
        program = words[0].rsplit("/", 1)[-1]
        line = " ".join((program, *words[1:]))
        yield line
        if depth <= 1:
            continue
        following = parts[place + 1][0].rsplit("/", 1)[-1] if place + 1 < len(parts) else ""
        yield from _inside(program, words, following, depth - 1)


def _inside(program: str, words: Sequence[str], following: str, depth: int) -> Iterator[str]:
    """Yields the commands that a command runs: in a shell, on another host, from a package.

    Args:
        program: Program of the command.
        words: Words of the command.
        following: Program that reads its output; empty if there is none.
        depth: Number of further levels that are read.
    """
    if program in _SHELLS or (program in _ECHOES and following in _SHELLS | {"sudo"}):
        for word in words[1:]:
            if " " in word:
                yield from _commands(word, depth)
        inner = [word for word in words[1:] if not word.startswith("-")]
        if program in _RUNNERS and len(inner) > 1:
            yield from _commands(shlex.join(inner[program not in _WITHOUT_TARGET :]), depth)
    elif (found := _EXEC.match(" ".join((program, *words[1:])))) is not None:
        yield from _commands(found[1], depth)
    elif program in ("npx", "bunx", "pnpx", "uvx") and len(words) > 1:
        yield " ".join(word for word in words[1:] if word not in ("-y", "--yes"))
    elif words[0].rstrip("0123456789.") == "python" and words[1:2] == ["-m"]:
        yield " ".join(words[2:])


def _call_reads(called: str) -> bool:
    """Whether the name of a function is of one that reads."""
    reading = vocabulary().reading_calls
    parts = operations.CAMEL.sub("_", called.rsplit(".", 1)[-1]).lower().split("_")
    return parts[0] in reading or parts[-1] in reading - {"plan", "report", "summary", "head"}


def _lines_read(text: str, lines: Sequence[str]) -> bool:
    """Whether command lines only read."""
    if _WRITES.search(text):
        return False
    if _HARMLESS.search(text):
        return True
    table = operation_table.table()
    does = [operations.action(line).operations for line in lines if line]
    is_known = bool(does) and all(
        found and all(table.operations[name].reads for name in found) for found in does
    )
    return is_known or bool(_META.search(text) and lines and lines[0].startswith("psql"))


def _first(text: str, stems: frozenset[str]) -> bool:
    """Whether the first word of a sentence, fillers aside, is one of given stems."""
    table = operation_table.table()
    for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text)[:6]:
        lower = word.lower().replace("’", "'")
        if lower.replace("'", "") in table.fillers or lower[0].isdigit():
            continue
        return not operation_table.content_stems([lower]).isdisjoint(stems)
    return False


@cache
def glob(pattern: str) -> re.Pattern[str]:
    """Returns the expression of a glob of a command line, which may be followed by more."""
    return re.compile(fnmatch.translate(pattern.lower()))


def fits(patterns: Sequence[str], done: Deed) -> bool:
    """Whether a command line of an action fits one of the globs, or the action itself if it may be one.

    A line of an unknown program without options, such as "deploy billing", is read as prose.
    """
    lines = done.commands or (done.text.strip(),)
    return any(glob(pattern).fullmatch(line.lower()) for pattern in patterns for line in lines)


def keys_of(done: Deed) -> frozenset[str]:
    """Returns the keys of the practices and kinds that an action fits, by which it finds rejections."""
    words = vocabulary()
    found = {
        number
        for stem in (*done.stems, "")
        for phrase, number in words.by_phrase.get(stem, ())
        if phrase.is_in(done.stems, done.text)
    }
    for line in done.commands:
        low = line.lower()
        for pattern, number in (
            *words.by_program.get(low.split(" ", 1)[0], ()),
            *words.by_program.get("", ()),
        ):
            if number not in found and glob(pattern).fullmatch(low):
                found.add(number)
    return frozenset(
        {f"practice {number}" for number in found}
        | {f"kind {kind}" for kind in done.kinds}
        | {f"word {stem}" for stem in done.stems}
        | {f"verb {verb}" for verb in done.verbs}
        | {f"flag {option}" for option in done.options}
        | {f"program {line.split(' ', 1)[0].lower()}" for line in done.commands}
    )
