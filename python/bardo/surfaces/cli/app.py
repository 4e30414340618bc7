"""The `bardo` command: its verbs, and how errors leave it.

Only Typer is imported to answer `--help`; Rich, numpy and the core are loaded by the verb that needs them.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bardo.errors import BardoError
from bardo.surfaces.cli import (
    acts,
    compiled,
    costs,
    demo,
    entities,
    exits,
    facts,
    forget,
    gate,
    init,
    legacy,
    model,
    recall,
    remember,
    show,
    trust,
    upkeep,
)
from bardo.surfaces.cli.options import DEBUG, Debug
from bardo.surfaces.cli.output import delivering


class Shell(TyperGroup):
    """Turns errors into one line on stderr and an exit code."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Runs the command line, and sees to it that its answer is written."""
        try:
            with delivering():
                try:
                    return super().main(*args, **options)
                finally:
                    sys.stdout.flush()
        except BrokenPipeError:
            sys.exit(exits.FAILED)  # who closes a pipe has read enough
        except BardoError as error:
            _say(str(error))
            sys.exit(exits.code_of(error))

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb."""
        try:
            return super().invoke(ctx)
        except BardoError as error:
            _tell(error, str(error), debug=DEBUG in ctx.meta)
        except Exception as error:
            if isinstance(error, (BrokenPipeError, typer.Abort)) or hasattr(error, "exit_code"):
                raise  # Typer's own: wrong usage, a prompt that was declined, a verb that says how it ended
            wrong = f"{type(error).__name__}: {error}. This is a bug in bardo; see where with --debug, and report it"
            _tell(error, wrong, debug=DEBUG in ctx.meta)


def _tell(error: Exception, message: str, *, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    _say(message)
    raise typer.Exit(exits.code_of(error)) from error


def _say(message: str) -> None:
    # Standard error may be full, too.
    with suppress(OSError):
        print(f"bardo: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201  # what a command line is for


app = typer.Typer(
    cls=Shell,
    help="Memory for agents that live long, forget on purpose, die, and leave their heirs what is worth having.",
    epilog=exits.HELP,
    no_args_is_help=True,
    # Rich takes longer to import than the whole of the help.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"bardo {version('bardo')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Options of the command as a whole."""


for _verb in (
    init.init,
    remember.remember,
    recall.recall,
    recall.context,
    upkeep.sleep,
    upkeep.dream,
    legacy.bequeath,
    legacy.inherit,
    forget.forget,
    show.show,
    facts.facts,
    facts.why,
    facts.calibration,
    compiled.dossier,
    acts.acts,
    acts.undo,
    compiled.playbook,
    compiled.lint,
    compiled.gaps,
    entities.entities,
    entities.find,
    show.stats,
    costs.costs,
    upkeep.rebuild,
    upkeep.check,
    upkeep.recover,
    upkeep.rebase_ticks,
    demo.demo,
):
    app.command()(_verb)
app.add_typer(gate.app, name="gate")
app.add_typer(model.app, name="model")
app.add_typer(trust.app, name="trust")
