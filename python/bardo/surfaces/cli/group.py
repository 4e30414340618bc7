"""Groups of commands, suggestions for unknown commands, and texts that begin with a dash."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

#: Synonyms of commands. Every other former command is the subcommand of a group.
_SYNONYMS: Final = {
    "acts": "journal list",
    "model": "embedding",
    "log": "episodes list",
    "search": "recall",
    "doctor": "maintenance check",
}
#: Minimum similarity of a suggested command, 0..1; `serve`, which bardo does not have, is .6 like `sleep`.
_SIMILAR: Final = 0.65


#: Mark before an argument that is a text; no argument of a process can hold it.
_TEXT: Final = "\0"


class TextCommand(TyperCommand):
    """Command that takes an argument such as `-rf /tmp` as a text: an option has no space before its value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the arguments; the error for a text without a space tells how to pass it."""
        if any(_TEXT in each for each in args):
            ctx.fail("an argument holds a zero byte. Leave it out")
        try:
            return super().parse_args(ctx, [f"{_TEXT}{each}" if _is_text(each) else each for each in args])
        except Exception as error:
            if hasattr(error, "option_name") and hasattr(error, "message"):
                wrong = str(error.message).rstrip(".")
                error.message = f"{wrong}. If it is a text, write -- before it, after all options"
            raise

    def make_parser(self, ctx: Any) -> Any:
        """Makes a parser that returns texts without their marks."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def unmarked(args: list[str]) -> tuple[dict[str, Any], list[str], list[Any]]:
            options, left, order = parse(args)
            return {name: _unmarked(value) for name, value in options.items()}, _unmarked(left), order

        parser.parse_args = unmarked  # type: ignore[method-assign]
        return parser


def _is_text(given: str) -> bool:
    return given.startswith("-") and any(map(str.isspace, given.partition("=")[0]))


def _unmarked(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_unmarked, value))
    return value.removeprefix(_TEXT) if isinstance(value, str) else value


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


class LazyCommands(Mapping[str, Any]):
    """Commands by name, each made when it is looked up first: a hook waits for its own command alone.

    Args:
        makers: Function that makes each command, by name.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        self._makers = makers
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Returns a command, and makes it."""
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yields the names, and makes nothing."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Returns the number of commands."""
        return len(self._makers)


def load(name: str, place: str) -> Any:
    """Imports a command, or a group of commands, and makes it for Typer.

    Args:
        name: Name of the command.
        place: Its module in this package, and its attribute there.
    """
    module, _, attribute = place.partition(".")
    found = getattr(importlib.import_module(f"bardo.surfaces.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        return _group(name, found)
    only = typer.Typer(rich_markup_mode=None)
    # `bardo outcome -0.5`: a negative number is not an option.
    settings = {"ignore_unknown_options": name == "outcome"}
    only.command(name, cls=TextCommand, context_settings=settings)(found)
    return typer.main.get_group(only).commands[name]


def _group(name: str, found: typer.Typer) -> Any:
    """Makes a group, and its commands when they are looked up."""
    empty = copy.copy(found)
    empty.registered_commands = []
    only = typer.Typer(rich_markup_mode=None)
    only.add_typer(empty, name=name)
    group = typer.main.get_group(only).commands[name]
    makers = {}
    for each in found.registered_commands:
        make = partial(
            typer.main.get_command_from_info, each, pretty_exceptions_short=False, rich_markup_mode=None
        )
        makers[each.name or typer.main.get_command_name(getattr(each.callback, "__name__", ""))] = make
    group.commands = LazyCommands(makers)  # type: ignore[attr-defined] # no command is added
    return group


class _Noun(typer.Typer):
    """Group whose commands are `TextCommand`s."""

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Registers a command."""
        return super().command(name, **{"cls": TextCommand, **settings})


def noun(about: str) -> typer.Typer:
    """Makes a group of subcommands; without a subcommand it prints its help."""
    return _Noun(cls=Commands, help=about, no_args_is_help=True, rich_markup_mode=None)


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
