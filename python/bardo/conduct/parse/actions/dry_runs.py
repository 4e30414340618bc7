"""Tells whether a command is a dry run, or only asks for help or a version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo._patterns import lazy_pattern
from bardo.conduct.parse.actions import operation_table, options

if TYPE_CHECKING:
    from bardo.conduct.parse.actions.shell import Command

#: Letters that many programs have for help and version, and others for a host or for sizes that people read.
_SHORT = frozenset({"-h", "-V"})
#: Long options of a dry run. `--diff` is none: `ansible-playbook --diff` shows what it changes.
_DRY = frozenset({"--dry-run", "--check", "--list", "--whatif", "--simulate"})
#: Values of these by which it is none.
_REAL = lazy_pattern(r"--[a-z-]+=(?:none|false|no|0)")
_VERB = lazy_pattern(r"[a-z][a-z-]*")


def is_help(words: Sequence[str]) -> bool:
    """Whether a command only prints a help text or a version.

    That is `--help` anywhere; `--version`, `-h` or `-V` as the only argument after the program and its verb: `dropdb -h
    db1 shop` names a host, `helm upgrade web ./chart --version 2` the version of a chart.
    """
    if len(words) > 1 and (words[-1] in _SHORT or words[-1] == "--version"):
        return _is_verb(words[0], words[1:-1])
    return "--help" in words and "--help" in options.read(words).names


def is_dry_run(command: Command) -> bool:
    """Whether a command changes nothing because of an option; a short one counts if the table has it: `git push -n`."""
    return any(
        any(word.startswith("-") for word in words) and (is_help(words) or _has_dry_option(words))
        for words in (command.words, (command.program, *command.general))
    )


def _has_dry_option(words: Sequence[str]) -> bool:
    names = options.read(words).names & _DRY
    return bool(names - {word.partition("=")[0] for word in words if _REAL.fullmatch(word)})


def _is_verb(program: str, words: Sequence[str]) -> bool:
    """Whether words after a program are its verb: none, those of the table, or one of a program with verbs."""
    known = operation_table.table().commands.get(program)
    if not words or (known and any(tuple(words) in (each.verbs or ()) for each in known)):
        return True
    has_verbs = known is None or any(each.verbs for each in known)
    return has_verbs and len(words) == 1 and _VERB.fullmatch(words[0]) is not None
