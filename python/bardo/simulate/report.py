"""The report of a study in Markdown."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import Any

from bardo.simulate.criteria import Criterion
from bardo.simulate.experiment import Experiment
from bardo.simulate.statistics import LEVEL, RESAMPLES, Difference, Table

#: Arms that every arm is compared with, where they live in the world.
BASES = ("none", "testament", "total_recall", "total_recall_certain", "raw_log")


def report(experiment: Experiment, table: Table, criteria: Sequence[Criterion]) -> str:
    """Writes the report: criteria (those that fail first), a table per world, the number of comparisons.

    Args:
        experiment: Experiment that was run.
        table: Its results.
        criteria: Criteria held against them.
    """
    parts = ["# Does inheritance help?", ""]
    parts += [f"- **{each.verdict}**: {each.text}" for each in criteria]
    body: list[str] = []
    for world, plan in experiment.worlds.items():
        arms = plan.arms or tuple(experiment.arms)
        body += ["", f"## World: {world}", "", *_world(table, world, arms)]
    generations = {plan.world.generations for plan in experiment.worlds.values()}
    parts += [
        "",
        f"{experiment.seeds} paired seeds, {'/'.join(map(str, sorted(generations)))} generations, the first left out. "
        f"Lifetimes in ticks; differences are paired by seed{_intervals(experiment, table)}.",
    ]
    return "\n".join(parts + body) + "\n"


def _intervals(experiment: Experiment, table: Table) -> str:
    if experiment.seeds < 2:
        return ". One seed has no interval: no difference of it is clear. Run more seeds"
    chance = len(table.compared) * (1 - LEVEL)
    return (
        f", with {LEVEL:.0%} percentile bootstrap intervals ({RESAMPLES:,} resamples). {len(table.compared)} "
        f"comparisons: about {chance:.0f} intervals would exclude zero if nothing had an effect"
    )


def means(table: Table) -> list[dict[str, Any]]:
    """Mean measures of each world and arm as JSON-like values."""
    return [
        {"world": world, "arm": arm}
        | {name: _number(table.mean(world, arm, name)) for name in measures}
        | {"causes": dict(table.causes[world, arm])}
        for (world, arm), measures in table.values.items()
    ]


def comparison(difference: Difference) -> dict[str, Any]:
    """A comparison as a JSON-like value; without an interval, its ends are None."""
    found = dataclasses.asdict(difference)
    return found | {end: _number(found[end]) for end in ("low", "high")}


def _world(table: Table, world: str, arms: Iterable[str]) -> list[str]:
    arms = list(arms)
    bases = [base for base in BASES if base in arms]
    head = [
        "arm",
        "lifetime",
        *(f"- {base}" for base in bases),
        "regret",
        "recovery",
        "traps",
        "relevant",
        "kB",
    ]
    rows = []
    for arm in arms:
        cells = [arm, f"{table.mean(world, arm):.0f}"]
        cells += ["" if arm == base else _marked(table, world, arm, base) for base in bases]
        cells += [
            f"{table.mean(world, arm, 'regret'):.3f}",
            _shown(table.mean(world, arm, "recovery"), ".1f"),
            f"{table.mean(world, arm, 'traps_sprung'):.2f}",
            _shown(table.mean(world, arm, "relevant"), ".2f"),
            f"{table.mean(world, arm, 'bytes') / 1_000:.0f}",
        ]
        rows.append(cells)
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def _marked(table: Table, world: str, arm: str, base: str) -> str:
    """The difference, in bold if its interval excludes zero."""
    difference = table.compare(world, arm, base)
    return f"{difference}" if difference.verdict == "unclear" else f"**{difference}**"


def _shown(number: float, form: str) -> str:
    return "" if math.isnan(number) else format(number, form)


def _number(number: float) -> float | None:
    return None if math.isnan(number) else number
