"""Measures and plot the cost of a call as the memory grows, with simulated vectors."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

import bardo
from bardo import config as bardo_config
from bardo.model import Episode, Fingerprint
from speed import timing
from speed.hybrid import BEGIN, LIMIT, STEP
from speed.world import ASKED, DIMS, SEED, SPREAD, WORDS, unit, vocabulary

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
#: Episodes in memory at most; older ones are LanceDB's.
HOT_LIMIT = bardo_config.Index().hot_limit
#: Calls at each size.
CALLS = 50
#: Clusters of the simulated vectors.
MIDDLES = 2_000
#: Texts of one call of `remember` while growing.
BATCH = 10_000


def measure(
    folder: Path, sizes: tuple[int, ...], *, minutes: float, picture: Path | None
) -> list[timing.Row]:
    """Grows one memory through the sizes, as far as the minutes given allow, and measures at each.

    Args:
        folder: For the memory.
        sizes: Episodes, ascending.
        minutes: No further size is begun after so long.
        picture: PNG to draw; none if not given.
    """
    chance = np.random.default_rng(SEED)
    words, weights = vocabulary(chance)
    model = _Simulated()
    started = time.perf_counter()
    points: list[dict[str, float]] = []
    stored = 0
    grimoire = bardo.open(folder / "bardo", embedder=model, durable=False, config={"embedding": {"batch": 0}})
    try:
        for size in sizes:
            if time.perf_counter() - started > minutes * 60:
                break
            filling = timing.CPU()
            while stored < size:
                count = min(BATCH, size - stored)
                drawn = words[chance.choice(len(words), (count, WORDS), p=weights)]
                grimoire.remember(
                    [
                        Episode(f"{' '.join(row)} n{stored + place}", at=BEGIN + (stored + place) * STEP)
                        for place, row in enumerate(drawn)
                    ]
                )
                grimoire.recall("embeds what has no vector yet")
                stored += count
            if size > HOT_LIMIT:
                # LanceDB takes over what leaves memory, as it would in a night.
                grimoire.sleep()
            filled = (timing.CPU() - filling) / max(size - (points[-1]["size"] if points else 0), 1)
            asked = [" ".join(words[chance.choice(len(words), ASKED, p=weights)]) for _ in range(CALLS)]
            recall = _median(partial(grimoire.recall, limit=LIMIT), asked)
            remember = _median(grimoire.remember, [f"one more {size} {number}" for number in range(CALLS)])
            grimoire.recall("embeds what has no vector yet")
            stored += CALLS
            grimoire.close()
            opening = timing.CPU()
            grimoire = bardo.open(
                folder / "bardo", embedder=model, durable=False, config={"embedding": {"batch": 0}}
            )
            grimoire.recall("open")
            points.append(
                {
                    "size": size, "recall": recall, "remember": remember,
                    "open": timing.CPU() - opening, "fill": filled, "memory": _resident(),
                }
            )  # fmt: skip
            print(f"  {size:,}: {points[-1]}", file=sys.stderr)
    finally:
        grimoire.close()
    if picture is not None and len(points) > 1:
        draw(points, picture, scratch=folder)
    missed = [size for size in SIZES if size > points[-1]["size"]]
    return [_row(point) for point in points] + [_missed(size) for size in missed] + _exponent(points)


class _Simulated:
    """Directions around a number of centres, independent of the texts."""

    def __init__(self) -> None:
        self._chance = np.random.default_rng(SEED)
        self._middles = unit(self._chance.standard_normal((MIDDLES, DIMS), np.float32))
        self.fingerprint = Fingerprint("simulated", "1", "none", DIMS)

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        around = self._chance.standard_normal((len(texts), DIMS), np.float32) * np.float32(
            SPREAD / np.sqrt(DIMS)
        )
        return unit(self._middles[self._chance.integers(0, MIDDLES, len(texts))] + around)

    embed_queries = embed_documents


def _median(call: Callable[[str], object], texts: Sequence[str]) -> float:
    taken = []
    for text in texts:
        started = timing.CPU()
        call(text)
        taken.append(timing.CPU() - started)
    return statistics.median(taken)


def _resident() -> float:
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1000


def _row(point: dict[str, float]) -> timing.Row:
    return timing.Row(
        f"growth, {point['size']:,.0f} episodes", "bardo recall", point["recall"],
        note=f"remember (no sync) {point['remember'] * 1e6:.0f} us, filling {point['fill'] * 1e6:.0f} us an episode, "
        f"open and first recall {point['open'] * 1e3:.0f} ms, {point['memory']:.0f} MB resident",
    )  # fmt: skip


def _missed(size: int) -> timing.Row:
    what = f"growth, {size:,} episodes"
    return timing.Row(what, "bardo recall", note="not measured: cut to what fits in the time given")


def _exponent(points: list[dict[str, float]]) -> list[timing.Row]:
    last = [point for point in points if point["size"] > HOT_LIMIT]
    if len(last) < 2:
        return []
    slope = np.polyfit(np.log([p["size"] for p in last]), np.log([p["recall"] for p in last]), 1)[0]
    return [
        timing.Row(
            "growth of recall", "exponent of size past the hot limit", bar="< 1", shown=f"{slope:.2f}",
            note="1 is linear",
        )
    ]  # fmt: skip


def draw(points: list[dict[str, float]], path: Path, *, scratch: Path) -> None:
    """Recall, remember and opening by size, on logarithmic axes; matplotlib keeps its list of fonts in `scratch`."""
    os.environ.setdefault("MPLCONFIGDIR", str(scratch))
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), dpi=90)
    sizes = [point["size"] for point in points]
    for name, label in (
        ("recall", "recall of 10"),
        ("remember", "remember one (no sync)"),
        ("open", "open + first recall"),
    ):
        axes.loglog(sizes, [point[name] * 1e3 for point in points], marker="o", label=label)
    first = points[0]
    axes.loglog(
        sizes,
        [first["recall"] * 1e3 * size / first["size"] for size in sizes],
        "k:",
        linewidth=1,
        label="linear",
    )
    axes.set(xlabel="episodes", ylabel="milliseconds", title="Cost of a call as the memory grows")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)
