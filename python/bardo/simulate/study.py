"""A study: a sweep over an experiment, its criteria, its report and its plots."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._atomic import write_atomically
from bardo.ports import Progress, no_progress
from bardo.simulate import experiment as experiments
from bardo.simulate import plots as drawing
from bardo.simulate import report as writing
from bardo.simulate import runner
from bardo.simulate.statistics import Table

RESULTS, REPORT = "results.jsonl", "report.md"
#: Largest share of the bytes of total recall that a testament may hand over.
BYTES_SHARE = 0.10
#: Largest loss of lifetime against total recall in the default world.
LARGEST_LOSS = 0.05


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion that the experiment set before it was run.

    Args:
        text: The criterion, and the figures.
        holds: Whether the figures meet it.
    """

    text: str
    holds: bool


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
        "criteria": [dataclasses.asdict(criterion) for criterion in found],
        "means": writing.means(table),
        "comparisons": [dataclasses.asdict(each) for each in table.compared.values()],
        "results": str(out / RESULTS),
        "report": str(out / REPORT),
        "plots": [str(path) for path in drawn],
    }


def criteria(table: Table) -> list[Criterion]:
    """Holds the results against the criteria, those that fail first; criteria about absent arms are left out."""
    found = []
    for world in ("default", "drift"):
        for base in ("none", "raw_log"):
            if table.has(world, "testament", base):
                difference = table.compare(world, "testament", base)
                text = f"{world}: testament - {base} = {difference} ticks, must be clear above 0"
                found.append(Criterion(text, difference.low > 0))
    if table.has("drift", "testament", "total_recall"):
        difference = table.compare("drift", "testament", "total_recall")
        text = f"drift: testament - total_recall = {difference} ticks, must be clear above 0"
        found.append(Criterion(text, difference.low > 0))
    if table.has("default", "testament", "total_recall"):
        difference = table.compare("default", "testament", "total_recall")
        text = (
            f"default: testament - total_recall = {difference} ticks ({difference.relative:+.1%}), "
            f"must not be below -{LARGEST_LOSS:.0%}"
        )
        found.append(Criterion(text, difference.relative >= -LARGEST_LOSS))
        share = table.mean("default", "testament", "bytes") / table.mean("default", "total_recall", "bytes")
        text = f"default: bytes handed over are {share:.1%} of total recall's, must be at most {BYTES_SHARE:.0%}"
        found.append(Criterion(text, share <= BYTES_SHARE))
    for world in ("default", "drift"):
        if table.has(world, "placebo", "none"):
            difference = table.compare(world, "placebo", "none")
            text = f"{world}: placebo - none = {difference} ticks, must not be clear above 0"
            found.append(Criterion(text, difference.low <= 0))
    return sorted(found, key=lambda criterion: criterion.holds)
