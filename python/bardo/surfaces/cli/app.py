"""The `bardo` command: its subcommands, and the reporting of errors.

A command imports its own module only, and the help those of all; Rich, numpy and the core are loaded by the commands
that need them.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final

import typer

from bardo.errors import BardoError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.group import Commands, LazyCommands, load
from bardo.surfaces.cli.options import DEBUG, Debug
from bardo.surfaces.cli.output import delivering

#: Module and attribute of each command, by section of the help and by name.
SECTIONS: Final[dict[str, dict[str, str]]] = {
    "The loop of a life": {
        "init": "init.init",
        "remember": "remember.remember",
        "scribe": "scribe.scribe",
        "recall": "recall.recall",
        "context": "recall.context",
        "outcome": "outcome.outcome",
        "learn": "learn.learn",
        "forget": "forget.forget",
        "triage": "triage.triage",
        "tick": "sleep.tick",
        "sleep": "sleep.sleep",
        "bequeath": "inheritance.bequeath",
        "inherit": "inheritance.inherit",
    },
    "Nouns with verbs (bardo NOUN VERB)": {
        "episodes": "episodes.app",
        "facts": "facts.app",
        "documents": "documents.app",
        "entities": "entities.app",
        "curator": "curator.app",
        "pages": "pages.app",
        "prompts": "prompts.app",
        "summaries": "summaries.app",
        "journal": "journal.app",
        "embedding": "embedding.app",
        "maintenance": "maintenance.app",
        "death": "death.app",
        "lineage": "lineage.app",
        "gate": "gate.app",
        "flows": "flows.app",
        "capabilities": "capabilities.app",
        "missions": "missions.app",
        "bridges": "bridges.app",
        "turn": "turn.app",
        "trust": "trust.app",
        "notes": "notes.app",
    },
    "Further": {
        "show": "show.show",
        "stats": "show.stats",
        "vitality": "vitality.vitality",
        "autopsy": "lineage.autopsy",
        "backtest": "backtest.backtest",
        "boot": "session.boot",
        "recover": "recover.recover",
        "heartbeat": "session.heartbeat",
        "checkpoint": "session.checkpoint",
        "demo": "demo.demo",
        "simulate": "simulate.simulate",
    },
}


class Shell(Commands):
    """Turns errors into one line on stderr and an exit code."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        makers = {
            name: partial(load, name, place) for names in SECTIONS.values() for name, place in names.items()
        }
        self.commands = LazyCommands(makers)  # type: ignore[assignment] # no command is added

    def main(self, *args: Any, **options: Any) -> Any:
        """Runs the command line, and checks that its output is written."""
        try:
            with delivering():
                try:
                    return super().main(*args, **options)
                finally:
                    sys.stdout.flush()
        except BrokenPipeError:
            sys.exit(exits.FAILED)  # the reader of a closed pipe needs no message
        except BardoError as error:
            _say(str(error))
            sys.exit(exits.code_of(error))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands in sections."""
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(limit=100)) for name in names]
                )

    def invoke(self, ctx: Any) -> Any:
        """Runs the command."""
        try:
            return super().invoke(ctx)
        except BardoError as error:
            _tell(error, str(error), debug=DEBUG in ctx.meta)
        except Exception as error:
            if isinstance(error, (BrokenPipeError, typer.Abort)) or hasattr(error, "exit_code"):
                raise  # from Typer: wrong usage, a declined prompt, an exit code of a command
            wrong = f"{type(error).__name__}: {error}. This is a bug in bardo; see where with --debug, and report it"
            _tell(error, wrong, debug=DEBUG in ctx.meta)


def _tell(error: Exception, message: str, *, debug: bool) -> None:
    if debug:
        traceback.print_exception(error)
    _say(message)
    raise typer.Exit(exits.code_of(error)) from error


def _say(message: str) -> None:
    # Standard error may be full as well.
    with suppress(OSError):
        print(f"bardo: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201  # what a command line is for


app = typer.Typer(
    cls=Shell,
    help="Memory for agents that live long, forget on purpose, die, and leave their heirs what is worth having.",
    epilog=exits.HELP,
    no_args_is_help=True,
    # Importing Rich would take longer than all other work of the help.
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
    """Options of the command itself."""
