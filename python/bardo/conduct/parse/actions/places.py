"""Finds the places that an action names, and tells those which it uses: hosts it reaches, files it writes."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table, operations, options
from bardo.conduct.parse.actions.shell import Command

#: Condition of the kind of a file, and kinds of the files that an action names.
_KIND = lazy_pattern(r"(?:in|as|to|into) (?P<kind>\.[A-Za-z]\w{0,9})")
_ENDING = lazy_pattern(r"(?<=[\w*])\.[A-Za-z]\w{0,9}(?=[\s\"',;:)]|$)")
#: Labels of hosts and first names of paths have their maximum lengths, so that the time is linear in a long text.
_HOST = lazy_pattern(r"(?<![\w.])(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?![\w])")
_PATH = lazy_pattern(
    r"(?<![\w:.])(?:~|\.{1,2})?/?[\w.*~-]{1,255}(?:/[\w.*~-]*)+|(?<![\w/])/[\w.-]+|(?<!\w)\.[a-z][\w.-]+"
)
#: Address with a scheme, and an argument that is a host alone.
_SCHEME_AND_HOST = r"\b[a-z][a-z0-9+]*://(?:[^\s/@'\"]*@)?((?:[a-z0-9-]+\.)+[a-z]{2,})"
_ADDRESS = lazy_pattern(_SCHEME_AND_HOST)
_HOST_ALONE = lazy_pattern(r"(?:[\w.-]+@)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?::\d+)?(?:[:/].*)?")
#: Whole address: scheme, user, host and port, and the path with the query.
_WHOLE = lazy_pattern(r"\b[a-zA-Z][a-zA-Z0-9+]*://([^\s/?#'\"`<>()]+)([^\s'\"`<>()]*)")
#: Beginning of a string that is an address.
_QUOTED_ADDRESS = lazy_pattern(rf"[\"'`]{_SCHEME_AND_HOST}")
#: Redirection into a file; the name may be the next word.
_INTO = lazy_pattern(r"(?:\d|&)?>{1,2}\|?(?!&)(.*)", re.DOTALL)

#: Operations that write files.
_WRITES = frozenset({"modify", "delete", "remove"})


class Places(NamedTuple):
    """Hosts and paths of an action.

    Args:
        hosts: Names of hosts.
        reached: Hosts that it connects to.
        paths: Paths.
        written: Paths that it writes, creates or deletes.
    """

    hosts: frozenset[str]
    reached: frozenset[str]
    paths: frozenset[str]
    written: frozenset[str]


def of_commands(text: str, commands: Sequence[Command]) -> Places:
    """Returns the places of commands, each without those that it runs."""
    reached = {host for command in commands for host in _reached(command)}
    written = {path for command in commands for path in _written(command)}
    words = {word for command in commands for word in command.words[1:]}
    paths = {word for word in words if "/" in word and not word.startswith("-") and " " not in word}
    return Places(hosts_in(text), frozenset(reached), paths_in(text) | paths | written, frozenset(written))


def of_call(text: str, called: str, *, writes: bool) -> Places:
    """Returns the places of the call of a tool.

    Args:
        text: The call.
        called: Name of the tool or function.
        writes: Whether it writes.
    """
    first = operation_table.CAMEL.sub("_", called.rsplit(".", 1)[-1]).lower().split("_")[0]
    is_local = first in operation_table.table().shell.texts
    paths = paths_in(text)
    reached = frozenset[str]() if is_local else frozenset(_QUOTED_ADDRESS.findall(text.lower()))
    return Places(hosts_in(text), reached, paths, paths if writes else frozenset())


def hosts_in(text: str) -> frozenset[str]:
    """Returns the hosts that a text names."""
    return frozenset(_HOST.findall(text.lower()))


def split_addresses(text: str) -> tuple[str, str, str]:
    """Returns a text without addresses, the hosts of these, and their paths with the queries."""
    found = _WHOLE.findall(text)
    return _WHOLE.sub(" ", text), " ".join(host for host, _ in found), " ".join(path for _, path in found)


def paths_in(text: str) -> frozenset[str]:
    """Returns the paths that a text names."""
    return frozenset(_PATH.findall(text))


def _reached(command: Command) -> Iterator[str]:
    """Yields the hosts that a command connects to."""
    known = operations.operation_of(command)
    if known is not None:
        pattern, _ = known
        if operation_table.table().operations[pattern.does].reads and not pattern.reaches:
            return
    for word in (*command.prefix, *options.read(command.words).used[1:]):
        yield from _ADDRESS.findall(word.lower())
        if found := _HOST_ALONE.fullmatch(word.lower()):
            yield found[1]


def _written(command: Command) -> Iterator[str]:
    """Yields the paths that a command writes."""
    writes = operation_table.table().writes
    plain = [word for word in command.words if not _INTO.fullmatch(word)]
    for word, following in pairwise((*command.words, "")):
        if found := _INTO.fullmatch(word):
            yield found[1] or following
        if word in writes["output"]:
            yield following
    given = options.read(plain)
    names = {command.program, " ".join(command.words[:2])}
    arguments: Iterable[str] = ()
    if not names.isdisjoint(writes["all"]) or not given.names.isdisjoint(writes["in place"]):
        arguments = given.arguments
    elif not names.isdisjoint(writes["last"]):
        arguments = given.arguments[-1:]
    elif operations.operation_of(command) is None and not command.runs:
        # A program that is named like an operation: "edit".
        arguments = given.arguments if _WRITES & operations.in_prose(command.program)[0] else ()
    yield from filter(None, arguments)


def is_of_host(host: str, domain: str) -> bool:
    """Whether a host is one of a domain."""
    return host == domain or host.endswith(f".{domain}")


def is_under(path: str, pattern: str) -> bool:
    """Whether a path is one of a glob, or in it. A relative one may be in any folder that an absolute path has."""
    path, pattern = path.removeprefix("./").rstrip("/"), pattern.removeprefix("./").rstrip("/*")
    if path.startswith(("/", "~", "$")) and not pattern.startswith(("/", "~")):
        return f"/{pattern}/" in f"{path}/" or fnmatch.fnmatch(path, f"*/{pattern}")
    return path == pattern or path.startswith(f"{pattern}/") or fnmatch.fnmatch(path, pattern)


def is_staged(path: str, lines: Iterable[str]) -> bool:
    """Whether one of several commands adds a path to a commit.

    Args:
        path: Path.
        lines: Commands.
    """
    staging = (line.split() for line in lines if line.startswith(("git add ", "git commit ")))
    return any(is_under(word, path) for words in staging for word in words[2:])


def is_of_files(condition: str) -> bool:
    """Whether a condition is of the kind of a file: "in .rst"."""
    return _KIND.fullmatch(condition) is not None


def of_files(condition: str, action: str) -> bool | None:
    """Whether an action names files of the kind of a condition; None if it names none, or the condition is another.

    Args:
        condition: Condition in words.
        action: Action.
    """
    kind = _KIND.fullmatch(condition)
    found = [] if kind is None else _ENDING.findall(action)
    return None if kind is None or not found else kind["kind"].lower() in map(str.lower, found)
