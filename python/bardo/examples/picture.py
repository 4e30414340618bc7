"""Draws the picture of the demo: confidence and wealth of three generations, and of twins without inheritance."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bardo.errors import MissingPackageError
from bardo.examples import market
from bardo.examples.lives import ECONOMIC, Life
from bardo.examples.market import REGIMES, Day
from bardo.examples.trader import Terms
from bardo.examples.twins import PAIR_DAYS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bardo.examples.twins import Comparison

INCHES = (13.0, 11.2)
DOTS_PER_INCH = 130
#: Colours by regime: cool for calm, warm for stormy; the darker one of each pair is the falling market. Hues by Okabe
#: and Ito, distinguishable with any colour vision.
COLOURS = dict(zip(REGIMES, ("#56B4E9", "#0072B2", "#4DBF99", "#00755A", "#E69F00", "#C44E00"), strict=True))
INK, SOFT, FAINT, DEATH = "#22272e", "#6b7480", "#e4e7eb", "#9b1c31"
DASHES = (0, (3.5, 2))
LIVES = ("#3d4f8f", "#7a5195", "#2f7f6f")
#: Colours of a pair whose heir ended above its twin, and below it.
AHEAD, BEHIND = "#2f7f6f", "#C44E00"
#: Calendar days of a compared pair.
DAYS_PER_PAIR = PAIR_DAYS * 365.25 / market.TRADING_DAYS_PER_YEAR


def draw(path: Path, lives: Sequence[Life], compared: Comparison | None, *, terms: Terms) -> None:
    """Writes the PNG.

    Args:
        path: Path of the file.
        lives: Lives of the line, oldest first.
        compared: Heirs and twins over several start dates; None if there were too few days.
        terms: Costs and limits of the lives.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError(
            f"the picture of the demo needs matplotlib, which does not load ({error}). Run: pip install 'bardo[demo]'"
        ) from error
    style: Any = {
        "font.size": 10, "text.color": INK, "axes.edgecolor": SOFT, "axes.labelcolor": INK, "xtick.color": SOFT,
        "ytick.color": SOFT, "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    }  # fmt: skip
    with matplotlib.rc_context(style):
        # A Figure without pyplot needs no display and leaves no global state.
        figure = Figure(figsize=INCHES, dpi=DOTS_PER_INCH, layout="constrained")
        grid = figure.add_gridspec(5, 1, height_ratios=(5.0, 3.4, 3.6, 1.7, 0.5))
        panels = [figure.add_subplot(grid[0])]
        panels += [figure.add_subplot(grid[row], sharex=panels[0]) for row in (1, 2, 3, 4)]
        _confidence(panels[0], lives, "baseline")
        _confidence(panels[1], lives, "heuristic")
        _wealth(panels[2], lives, terms)
        _differences(panels[3], compared)
        _regimes(panels[4], lives)
        for panel in panels[:4]:
            panel.tick_params(labelbottom=False)
        for panel in panels:
            _deaths(panel, lives, named=panel is panels[0])
        _legends(panels, lives)
        figure.suptitle(
            "Three lives, one line of memory: what each generation believed about the market, and what became of it",
            fontsize=13.5, fontweight="bold", x=0.01, ha="left",
        )  # fmt: skip
        figure.supxlabel(market.CREDIT, fontsize=7.5, color=SOFT, x=0.01, ha="left")
        # Without the version and the creation date, the same run writes the same bytes.
        figure.savefig(path, metadata={"Software": None})


def _confidence(panel: Axes, lives: Sequence[Life], kind: str) -> None:
    for life in lives:
        for (what, regime, inherited), points in life.curves.items():
            if what != kind:
                continue
            dates = _dates([life.days[tick - 1] for tick in points])
            panel.plot(
                dates, list(points.values()), color=COLOURS[regime], linewidth=1.4 if inherited else 2.0,
                linestyle=DASHES if inherited else "-", alpha=0.85 if inherited else 1.0,
                solid_capstyle="round",
            )  # fmt: skip
    panel.set_ylim(0.0, 1.02)
    panel.set_ylabel("confidence")
    titles = {
        "baseline": "What follows each kind of market (statistics)",
        "heuristic": "Rules of thumb made of them",
    }
    _title(panel, titles[kind])
    panel.grid(axis="y", color=FAINT, linewidth=0.8)


def _wealth(panel: Axes, lives: Sequence[Life], terms: Terms) -> None:
    for life, colour in zip(lives, LIVES, strict=True):
        dates = _dates(life.days)
        held = market.hold(life.days, budget=terms.budget, daily_cost=terms.living_cost_per_day)
        panel.plot(dates, held, color=SOFT, linewidth=1.0, alpha=0.7)
        panel.plot(dates, life.wealth, color=colour, linewidth=1.8)
        panel.fill_between(dates, life.wealth, color=colour, alpha=0.10, linewidth=0)
        if life.twin is not None:
            panel.plot(
                _dates(life.twin.days), life.twin.wealth, color=colour, linewidth=0.9, linestyle=DASHES
            )
    panel.axhline(terms.reserve, color=DEATH, linewidth=0.9, linestyle=":")
    panel.set_ylim(bottom=0.0)
    panel.set_ylabel("wealth (units)")
    _title(
        panel, f"Wealth: born with {terms.budget:.0f}, living costs {terms.living_cost_per_year:.0f} a year"
    )
    panel.grid(axis="y", color=FAINT, linewidth=0.8)


def _differences(panel: Axes, compared: Comparison | None) -> None:
    """Draws a bar per start date: by how much the heir ended above or below its twin."""
    panel.axhline(0.0, color=SOFT, linewidth=0.9)
    panel.set_ylabel("heir - twin")
    panel.grid(axis="y", color=FAINT, linewidth=0.8)
    if compared is None:
        _title(panel, "Too few days to compare heirs with twins over several start dates")
        return
    starts = [_number(pair.start) for pair in compared.pairs]
    found = [pair.difference for pair in compared.pairs]
    # Bars end where the lives end; a pair lasts a quarter of a year.
    panel.bar(
        starts, found, width=DAYS_PER_PAIR, align="edge", linewidth=0, alpha=0.85,
        color=[AHEAD if difference > 0 else BEHIND for difference in found],
    )  # fmt: skip
    low, high = compared.interval
    panel.axhspan(low, high, color=INK, alpha=0.10, linewidth=0)
    widest = max(1.0, *(abs(difference) for difference in (*found, low, high)))
    panel.set_ylim(-1.15 * widest, 1.15 * widest)
    _title(panel, f"Heirs less their twins, a quarter of a year after each start date. {compared.finding}")
    panel.set_xlabel(compared.figures, fontsize=9, color=INK, loc="left")


def _regimes(panel: Axes, lives: Sequence[Life]) -> None:
    for start, stop, regime in _runs([day for life in lives for day in life.days]):
        panel.axvspan(_number(start), _number(stop), color=COLOURS[regime], linewidth=0)
    panel.set_yticks([])
    _title(panel, "The market, as it was judged at each close")
    panel.spines["left"].set_visible(False)
    panel.set_xlim(_number(lives[0].days[0].date), _number(lives[-1].days[-1].date))


def _runs(days: Sequence[Day]) -> list[tuple[date, date, str]]:
    """Groups consecutive days of one regime: first day, the day after the last, regime."""
    runs: list[tuple[date, date, str]] = []
    for day in days:
        if runs and runs[-1][2] == day.regime:
            runs[-1] = (runs[-1][0], day.date, day.regime)
        else:
            if runs:
                runs[-1] = (runs[-1][0], day.date, runs[-1][2])
            runs.append((day.date, day.date, day.regime))
    return runs


def _deaths(panel: Axes, lives: Sequence[Life], *, named: bool) -> None:
    for life in lives:
        died = life.days[-1].date
        panel.axvline(_number(died), color=DEATH, linewidth=1.3, alpha=0.9)
        if named:
            cause = "ruin" if life.cause == ECONOMIC else life.cause
            panel.annotate(
                f"† {life.agent}: {cause}", (died, 0.03), xytext=(-6, 0), textcoords="offset points", color=DEATH,
                fontsize=9.5, fontweight="bold", ha="right", va="bottom",
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
            )  # fmt: skip


def _legends(panels: Sequence[Axes], lives: Sequence[Life]) -> None:
    from matplotlib.lines import Line2D

    def above(panel: Axes, handles: Sequence[Line2D]) -> None:
        panel.legend(
            handles=handles, ncols=len(handles), loc="lower right", bbox_to_anchor=(1.0, 1.0), frameon=False,
            fontsize=9, handlelength=1.8, columnspacing=1.2, borderaxespad=0.2,
        )  # fmt: skip

    own = Line2D([], [], color=INK, linewidth=2.0, label="its own knowledge")
    handed = Line2D([], [], color=INK, linewidth=1.4, linestyle=DASHES, label="only handed down")
    above(panels[0], [own, handed])
    names = [
        Line2D([], [], color=colour, linewidth=2.0, label=life.agent)
        for life, colour in zip(lives, LIVES, strict=True)
    ]
    twin = Line2D([], [], color=INK, linewidth=0.9, linestyle=DASHES, label="twin that inherits nothing")
    held = Line2D([], [], color=SOFT, linewidth=1.0, label="merely holding the S&P 500")
    above(panels[2], [*names, twin, held])
    above(
        panels[4], [Line2D([], [], color=hue, linewidth=5, label=regime) for regime, hue in COLOURS.items()]
    )


def _dates(days: Sequence[Day]) -> npt.NDArray[np.datetime64]:
    return np.array([day.date for day in days], dtype="datetime64[D]")


def _number(day: date) -> float:
    from matplotlib.dates import date2num

    return float(date2num(day))  # type: ignore[no-untyped-call]


def _title(panel: Axes, text: str) -> None:
    panel.set_title(text, loc="left", fontsize=10.5, fontweight="bold")
