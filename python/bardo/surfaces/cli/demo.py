"""`bardo demo`: three agent lives on twenty years of market data, and one chat."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bardo.surfaces.cli.options import Debug, Json
from bardo.surfaces.cli.output import Output


def demo(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the grimoires, testaments and picture.")
    ] = Path("bardo-demo"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer years: about a minute instead of a few.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run three agent lives on real market data, heirs beside twins, and remember a chat.

    Needs no key, no server and no download.
    """
    from bardo import examples

    output = Output(as_json=as_json)
    with output.progress() as step:
        report = examples.run(out, quick=quick, progress=step, say=output.show)
    output.document(report)
