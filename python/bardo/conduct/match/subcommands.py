"""Compares the subcommands of a program with an operation that a rejection names with it."""

from __future__ import annotations

from functools import lru_cache

from bardo.conduct.match.matching import Reading, Relation
from bardo.conduct.parse.action import CommandOperations, ParsedAction
from bardo.conduct.parse.actions import operation_table, operations
from bardo.conduct.parse.rejections.rejection import ParsedRejection

#: Maximum number of cached texts.
_TEXTS = 16_384
_UNKNOWN = Relation(Reading.UNKNOWN)


def compare(rejection: ParsedRejection, action: ParsedAction) -> Relation:
    """Returns `OTHER` for commands that do not do what is forbidden with a named program; `UNKNOWN` for others.

    "Install new npm packages" is about the subcommands of `npm` that install, as the table lists them. A program that
    is forbidden as a whole ("don't install yarn"), or for which the table lists no such subcommand, is not decided.

    Args:
        rejection: Parsed rejection or rule.
        action: Parsed action.
    """
    if action.form != "command":
        return _UNKNOWN
    programs = _programs_in(rejection)
    forbidden = _operations_of(rejection) if programs else programs
    if not forbidden:
        return _UNKNOWN
    kinds = operation_table.table().operations
    changing = [
        one for one in action.commands if not one.does or not all(kinds[name].reads for name in one.does)
    ]
    ours = [one for one in action.commands if _is_of(one.program, programs)]
    if not ours or any(one not in ours for one in changing):
        return _UNKNOWN
    said = frozenset(stem for stem in rejection.words if operation_table.phrase_at([stem])[0] & forbidden)
    # A script or target may be named for what it does: `npm run publish`.
    if all(_is_apart(one, forbidden) and said.isdisjoint(one.words) for one in ours):
        return Relation(Reading.OTHER, f"another subcommand of {ours[0].program!r}", exact=True)
    is_new = bool(rejection.words & operation_table.table().additional)
    if is_new and all(one.installs_declared for one in changing):
        return Relation(Reading.OTHER, "installs what the project declares", exact=True)
    return _UNKNOWN


def _operations_of(rejection: ParsedRejection) -> frozenset[str]:
    """Returns the forbidden operations other than any use; of "no new npm packages" the installation."""
    specific = rejection.operations - {"use"}
    is_of_packages = not operation_table.table().packages.isdisjoint(rejection.things)
    return specific or (frozenset({"install"}) if is_of_packages else specific)


def _programs_in(rejection: ParsedRejection) -> frozenset[str]:
    """Returns the programs that a text names beside another object; none if a program is all that it names."""
    named = _named_in(rejection.text)
    if not named:
        return named
    others = rejection.things - operation_table.content_stems(named) - operation_table.table().additional
    return named if others else frozenset()


@lru_cache(_TEXTS)
def _named_in(text: str) -> frozenset[str]:
    """Returns the programs that a text names."""
    return frozenset(operation_table.table().commands.keys() & set(operations.words_of(text.lower())))


def _is_of(program: str, named: frozenset[str]) -> bool:
    """Whether a program is a named one, in any version or with a further name: `pip3`, `apt-get`."""
    return program.rstrip(".0123456789") in named or any(program.startswith(f"{name}-") for name in named)


def _is_apart(command: CommandOperations, forbidden: frozenset[str]) -> bool:
    """Whether a command does none of the forbidden operations, though the table lists those of its program."""
    wider = frozenset().union(*map(operations.closure, forbidden))
    patterns = operation_table.table().commands.get(command.program, ())
    listed = frozenset().union(*(operations.closure(pattern.does) for pattern in patterns))
    done = frozenset().union(*map(operations.closure, command.does))
    if not command.does:
        # The name of an unknown subcommand may say it: `docker builder prune`. To build is mostly no installation.
        told = frozenset().union(*(operation_table.phrase_at([stem])[0] for stem in command.words))
        done = told - {"install", "use"}
    return bool(listed & wider) and done.isdisjoint(forbidden) and wider.isdisjoint(command.does)
