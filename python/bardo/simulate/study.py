"""A study: a sweep over an experiment, its criteria, its report and its plots."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from bardo._atomic import write_atomically
from bardo.ports import Progress, no_progress
from bardo.simulate import experiment as experiments
from bardo.simulate import plots as drawing
from bardo.simulate import report as writing
from bardo.simulate import runner
from bardo.simulate.criteria import criteria
from bardo.simulate.statistics import Table

RESULTS, REPORT = "results.jsonl", "report.md"


def run(
    out: Path,
    *,
    config: Path | None = None,
    seeds: int | None = None,
    workers: int | None = None,
    ray: bool = False,
    plots: bool = True,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Runs an experiment, or resumes it, and writes results, report and plots.

    Args:
        out: Folder of the files.
        config: TOML file; None for the published experiment.
        seeds: Number of seeds instead of the experiment's.
        workers: Threads or Ray workers; None for the number of cores.
        ray: Whether to run on Ray.
        plots: Whether to draw plots, which needs matplotlib.
        progress: Callback with the number of finished runs.

    Returns:
        Report as a JSON-like value: criteria, means, comparisons, names of the files.

    Raises:
        ConfigError: The experiment or an existing results file is not usable.
        InvalidInputError: The simulation refuses a setting.
        MissingPackageError: Ray or matplotlib is asked for and not installed.
        StoreUnavailableError: The folder cannot be written.
    """
    experiment = experiments.read(config)
    if seeds is not None:
        experiment = dataclasses.replace(experiment, seeds=seeds)
    results = runner.sweep(experiment, out / RESULTS, workers=workers, ray=ray, progress=progress)
    table = Table.of(results)
    found = criteria(table)
    text = writing.report(experiment, table, found)
    write_atomically(out / REPORT, text.encode())
    drawn = drawing.draw(out, experiment, table) if plots else []
    return {
        "seeds": experiment.seeds,
        "runs": len(results),
        "criteria": [dataclasses.asdict(each) | {"verdict": each.verdict} for each in found],
        "means": writing.means(table),
        "comparisons": [writing.comparison(each) for each in table.compared.values()],
        "results": str(out / RESULTS),
        "report": str(out / REPORT),
        "plots": [str(path) for path in drawn],
    }
