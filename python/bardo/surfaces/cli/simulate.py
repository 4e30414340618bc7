"""`bardo simulate`: generations of agents that inherit by different rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bardo.surfaces.cli.options import Debug, Json
from bardo.surfaces.cli.output import Output


def simulate(
    *,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="Experiment in TOML; the published one if not given."),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for results, report and plots; resumed if present.")
    ] = Path("bardo-simulation"),
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds, instead of the experiment's.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Workers; as many as cores if not given.")
    ] = None,
    ray: Annotated[bool, typer.Option("--ray", help="Run on Ray: pip install 'bardo[ray]'.")] = False,
    plots: Annotated[
        bool, typer.Option("--plots/--no-plots", help="Draw the plots: pip install 'bardo[demo]'.")
    ] = True,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Measure whether inheritance helps.

    Simulates generations of agents under rules of inheritance, and writes results, a report and plots.
    """
    from bardo.simulate import study

    output = Output(as_json=as_json)
    with output.progress(lines=True) as step:
        report = study.run(
            out, config=config, seeds=seeds, workers=workers, ray=ray, plots=plots, progress=step
        )
    output.document(report)
    for criterion in report["criteria"]:
        output.text(f"{criterion['verdict']}: {criterion['text']}")
    output.text(f"Report: {report['report']}")
