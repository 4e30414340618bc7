"""Plots of a study: differences in lifetime by arm and by world."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo.errors import MissingPackageError
from bardo.simulate.experiment import Experiment
from bardo.simulate.statistics import Difference, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, FAINT = "#22272e", "#6b7480", "#e4e7eb"
#: Colours of more, unclear and less; Okabe and Ito, distinguishable with any colour vision.
COLOURS = {"more": "#0072B2", "unclear": "#6b7480", "less": "#C44E00"}
#: Bases of the plots, each with its file.
PLOTTED = {"none": "against-none.svg", "total_recall": "against-total-recall.svg"}
WORLDS = "worlds.svg"
_WIDTH, _ROW, _FRAME = 8.0, 0.24, 1.1


def draw(folder: Path, experiment: Experiment, table: Table) -> list[Path]:
    """Writes the plots as SVG: arms against a base in the first world, and the testament in every world.

    Args:
        folder: Folder of the files.
        experiment: Experiment that was run.
        table: Its results.

    Returns:
        Paths of the files.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingPackageError(
            f"the plots need matplotlib, which does not load ({error}). Run: pip install 'bardo[demo]', or pass "
            "--no-plots"
        ) from error
    world, plan = next(iter(experiment.worlds.items()))
    arms = plan.arms or tuple(experiment.arms)
    drawn = []
    # Without random ids and a date, the same results give the same bytes.
    with matplotlib.rc_context({"svg.hashsalt": "bardo", "svg.fonttype": "none", "font.size": 9.0}):
        for base, name in PLOTTED.items():
            if base in arms:
                rows = [(arm, table.compare(world, arm, base)) for arm in arms if arm != base]
                title = f"Lifetime against {base}, in ticks (world: {world})"
                drawn.append(_forest(folder / name, rows, title))
        rows = [
            (f"{name}: testament - {base}", table.compare(name, "testament", base))
            for name in experiment.worlds
            for base in ("none", "total_recall_certain")
            if table.has(name, "testament", base)
        ]
        if rows:
            drawn.append(_forest(folder / WORLDS, rows, "Testament in each world, lifetime in ticks"))
    return drawn


def _forest(path: Path, rows: Sequence[tuple[str, Difference]], title: str) -> Path:
    """Draws one interval per row, the first on top."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _FRAME + _ROW * len(rows)), layout="constrained")
    axes: Axes = figure.add_subplot()
    for place, (_, difference) in enumerate(rows):
        colour = COLOURS[difference.verdict]
        axes.plot([difference.low, difference.high], [place, place], color=colour, linewidth=1.8)
        axes.plot([difference.mean], [place], "o", color=colour, markersize=4)
    axes.axvline(0.0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="x", color=FAINT, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold", color=INK)
    axes.set_xlabel("difference, 95 % interval", color=SOFT)
    options: dict[str, Any] = {"metadata": {"Date": None}}
    figure.savefig(path, **options)
    return path
