"""Groups of commands, and suggestions for unknown commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import typer
from typer.core import TyperGroup

#: Synonyms of commands. Every other former command is the subcommand of a group.
_SYNONYMS: Final = {
    "acts": "journal list",
    "model": "embedding",
    "log": "episodes list",
    "search": "recall",
    "doctor": "maintenance check",
}
#: Minimum similarity of a suggested command, 0..1.
_SIMILAR: Final = 0.6


class Commands(TyperGroup):
    """Group that suggests commands for an unknown word."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Finds the command that the next word names."""
        try:
            return self._click_resolve_command(ctx, args)
        except Exception as error:
            if not hasattr(error, "message"):
                raise
            root = ctx.find_root()
            noun = "" if ctx is root else f"{ctx.info_name} "
            if meant := _likely_commands(noun, args[0], list(commands(root.command))):
                named = " or ".join(f"`bardo {each}`" for each in meant)
                error.message = f"{str(error.message).rstrip('.')}. Did you mean {named}?"
            raise


def noun(about: str) -> typer.Typer:
    """Makes a group of subcommands; without a subcommand it prints its help."""
    return typer.Typer(cls=Commands, help=about, no_args_is_help=True, rich_markup_mode=None)


def commands(group: Any, noun: str = "") -> Iterator[str]:
    """Yields every command of a group in words: `recall`, `facts`, `facts why`."""
    for name, command in group.commands.items():
        yield f"{noun}{name}"
        if hasattr(command, "commands"):
            yield from commands(command, f"{noun}{name} ")


def _likely_commands(noun: str, word: str, known: list[str]) -> list[str]:
    """Suggests commands for a word, after the name of a group if any, the most similar first."""
    if not noun and word in _SYNONYMS:
        return [_SYNONYMS[word]]
    import difflib

    verbs = [each for each in known if each.endswith(f" {word}")]
    return verbs or difflib.get_close_matches(f"{noun}{word}", known, n=3, cutoff=_SIMILAR)
