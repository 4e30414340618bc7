"""Decorators that make commands of functions: open the memory, add common options, and expand declared ones."""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from bardo.surfaces.cli.declared import DeclaredOption, given_fields, options_of
from bardo.surfaces.cli.opening import grimoire, to_read
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output

Command = Callable[..., None]


def on_memory(run: Command) -> Command:
    """Makes a command of a function of the open memory, the output and the command's own arguments."""

    def call(at: Path, as_json: bool, given: dict[str, Any]) -> None:
        with grimoire(at) as opened:
            run(opened, Output(as_json=as_json), **given)

    return _command(run, call, supplied=2)


def reading(run: Command) -> Command:
    """Makes a command that also works while another process owns the memory.

    Its function takes the memory or a visitor, the output, notes on the visit, and the command's own arguments.
    """

    def call(at: Path, as_json: bool, given: dict[str, Any]) -> None:
        opened, notes = to_read(at)
        with opened:
            run(opened, Output(as_json=as_json), notes, **given)

    return _command(run, call, supplied=3)


def standalone(run: Command) -> Command:
    """Makes a command of a function that opens the memory itself, from the output, the folder and its arguments."""

    def call(at: Path, as_json: bool, given: dict[str, Any]) -> None:
        run(Output(as_json=as_json), at, **given)

    return _command(run, call, supplied=2)


def _command(run: Command, call: Command, *, supplied: int) -> Command:
    """Makes a function with a signature for Typer; `**options: Unpack[X]` becomes the options that X declares."""
    own = list(inspect.signature(run).parameters.values())[supplied:]
    parameters, declared = [], list[DeclaredOption]()
    for parameter in own:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            declared = options_of(*get_args(parameter.annotation))
        else:
            # Keyword-only, so that an argument without a default may follow an option.
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    parameters += [each.parameter for each in declared]
    for name, annotation, default in (("at", At, HERE), ("as_json", Json, False), ("debug", Debug, False)):
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )

    @functools.wraps(run)
    def command(*, at: Path = HERE, as_json: bool = False, debug: bool = False, **given: Any) -> None:
        fields = given_fields(declared, given)
        for each in declared:
            del given[each.parameter.name]
        call(at, as_json, given | fields)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command
