"""Tables in Markdown out of the runs that were kept: systems by metrics, categories, and distances from bardo."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from quality.results import Run, mean

METRICS = {
    "locomo": ("R@5", "R@10", "R@20", "any@5", "any@10", "any@20", "MRR", "nDCG@10", "session any@5", "tokens@10"),
    "longmemeval": (
        "R@5", "R@10", "R@20", "any@5", "MRR", "nDCG@10",
        "session any@5", "session all@5", "session nDCG@10", "tokens@10",
    ),
}  # fmt: skip
#: The data sets' own numbers or names of what a question asks for.
CATEGORIES = {
    "1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop",
}  # fmt: skip
#: The system that the others are measured against.
OURS = "bardo"
#: Resamples of the questions for an interval of 95 %, and their seed.
RESAMPLES, SEED = 2_000, 0


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; every column after the first is aligned right."""
    rule = ["---", *["--:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))


def systems(runs: Sequence[Run], name: str) -> str:
    """Every system's means on one set."""
    columns = METRICS[name]
    present = [run for run in runs if run.answers]
    best = {
        metric: max((mean(run.answers, metric) for run in present), default=0.0)
        for metric in columns
        if metric != "tokens@10"
    }
    rows = []
    for run in runs:
        if not run.answers:
            rows.append([run.system, f"not run: {run.version}", *[""] * (len(columns) + 2)])
            continue
        cells = [_cell(mean(run.answers, metric), best.get(metric)) for metric in columns]
        milliseconds = statistics.median(answer.seconds for answer in run.answers) * 1e3
        rows.append([run.system, run.version, *cells, str(run.failed), f"{milliseconds:.1f}"])
    return markdown(["system", "version", *columns, "failed", "ms"], rows)


def _cell(value: float, best: float | None) -> str:
    if best is None:
        return f"{value:.0f}"
    text = f"{value:.3f}"
    return f"**{text}**" if text == f"{best:.3f}" else text


def categories(runs: Sequence[Run], metric: str = "R@10") -> str:
    """One metric by the data set's categories, with the number of questions."""
    present = [run for run in runs if run.answers]
    if not present:
        return ""
    names = sorted({answer.category for answer in present[0].answers})
    counts = {
        name: sum(a.category == name and metric in a.metrics for a in present[0].answers) for name in names
    }
    header = ["system", *(f"{CATEGORIES.get(name, name)} ({counts[name]})" for name in names)]
    rows = [
        [
            run.system,
            *(f"{mean([a for a in run.answers if a.category == name], metric):.3f}" for name in names),
        ]
        for run in present
    ]
    return markdown(header, rows)


def distances(runs: Sequence[Run], metric: str = "R@10") -> str:
    """How far bardo is ahead of each system on the same questions, with a paired bootstrap interval of 95 %."""
    ours = next((run for run in runs if run.system == OURS and run.answers), None)
    if ours is None:
        return ""
    mine = {(a.corpus, a.number): a.metrics.get(metric) for a in ours.answers}
    chance = np.random.default_rng(SEED)
    rows = []
    for run in runs:
        pairs = [
            mine[a.corpus, a.number] - a.metrics[metric]
            for a in run.answers
            if metric in a.metrics and mine.get((a.corpus, a.number)) is not None
        ]
        if run is ours or not pairs:
            continue
        ahead = np.array(pairs)
        means = ahead[chance.integers(0, len(ahead), (RESAMPLES, len(ahead)))].mean(axis=1)
        low, high = np.percentile(means, (2.5, 97.5))
        won, lost = int((ahead > 0).sum()), int((ahead < 0).sum())
        rows.append([run.system, f"{ahead.mean():+.3f}", f"{low:+.3f} to {high:+.3f}", str(won), str(lost)])
    return markdown(["system", f"bardo ahead, {metric}", "95 % interval", "better on", "worse on"], rows)


def by_corpus(runs: Sequence[Run], metric: str = "R@10") -> str:
    """The metric per corpus for sets of few corpora: a system may win on the whole and lose on one."""
    present = [run for run in runs if run.answers]
    corpora = sorted({answer.corpus for run in present for answer in run.answers})
    rows = [
        [
            run.system,
            *(f"{mean([a for a in run.answers if a.corpus == corpus], metric):.3f}" for corpus in corpora),
        ]
        for run in present
    ]
    return markdown(["system", *corpora], rows)
