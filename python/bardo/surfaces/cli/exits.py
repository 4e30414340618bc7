"""Exit codes of the `bardo` command, and their errors."""

from __future__ import annotations

from typing import Final

from bardo import errors

OK: Final = 0
#: An error of bardo without a code of its own.
FAILED: Final = 1
#: The command line, a value in it, an input file or a setting is not valid.
USAGE: Final = 2
#: No memory matched, or there is no record or grimoire of that name.
NOTHING_FOUND: Final = 3
#: Another process owns the grimoire.
LOCKED: Final = 4
#: A file or folder of the grimoire cannot be used: damaged, foreign, too new, read-only, full.
STORE: Final = 5
#: A testament cannot be read or trusted.
TESTAMENT: Final = 6
#: A part is missing: the embedding model or an optional package.
MISSING: Final = 7
#: A gate blocks the action.
BLOCKED: Final = 8
#: A gate warns of the action.
WARNED: Final = 9
#: A gate cannot decide: its rejections and rules are lost, and the loss is not accepted yet.
LOST: Final = 10
#: A bug in bardo.
INTERNAL: Final = 70

#: Exit codes by class of error; the first match applies, so subclasses precede their bases.
_BY_CLASS: Final = (
    (errors.StoreLockedError, LOCKED),
    (errors.NotFoundError, NOTHING_FOUND),
    (errors.ConductLostError, LOST),
    (errors.StoreError, STORE),
    (errors.ActionBlockedError, BLOCKED),
    (errors.TestamentError, TESTAMENT),
    (errors.EmbedderUnavailableError, MISSING),
    (errors.MissingPackageError, MISSING),
    (errors.InvalidInputError, USAGE),
    (errors.BardoError, FAILED),
)

HELP: Final = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 nothing found, 4 locked by another process, "
    "5 grimoire cannot be used, 6 testament refused, 7 model or package missing, 8 action blocked, "
    "9 action warned of, 10 what gates knew is lost, 70 a bug, 130 interrupted."
)


def code_of(error: BaseException) -> int:
    """Returns the exit code of an error."""
    return next((code for kind, code in _BY_CLASS if isinstance(error, kind)), INTERNAL)
