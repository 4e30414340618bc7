"""Measures and plot the cost of a Curator pass over 256 episodes as the agent ages."""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode

SIZES = (1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
BATCH = 256
#: Passes of which the median counts at each size: five windows of the ledger come to their end among them.
PASSES = 20
SUBJECTS = 50
KINDS = ("swap", "mint", "burn", "alert", "report", "oracle")
#: Episodes of one write.
WRITTEN = 4_096
NOW = 1_700_000_000_000_000
CAVEAT = f"""\
One agent grows; every episode is verified, has two numbers and one of {SUBJECTS} subjects, and is consolidated in
passes of {BATCH}. At each size the next {PASSES} passes: processor time of this process (the writes of SQLite included,
the wait for the disk not), the longest of them (in every fourth a window of 1,024 ends and hypotheses are tested), and
how large the process has grown."""


def section(most: int, picture: Path | None) -> str:
    """The table up to this size, and its picture."""
    points = _measure([size for size in SIZES if size <= most])
    first = points[0]["median"]
    rows = ["| episodes | median pass | of the first | longest | process, MB |", "|---|---|---|---|---|"]
    rows += [
        f"| {point['size']:,.0f} | {point['median']:.1f} ms | {point['median'] / first:.2f} "
        f"| {point['longest']:.1f} ms | {point['megabytes']:.0f} |"
        for point in points
    ]
    if picture is not None:
        _draw(points, picture)
    return "\n\n".join(["## What a pass costs", CAVEAT, "\n".join(rows), "![Cost of a pass](passes.png)"])


def _measure(sizes: list[int]) -> list[dict[str, float]]:
    chance = np.random.default_rng(1)
    points: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        log = EpisodeLog(str(Path(folder) / "episodes.redb"), agent="elder", seed=1, now=NOW, durable=False)
        facts = FactStore(Path(folder) / "facts.db", agent="elder", seed=1, now=NOW)
        stored = 0
        for size in sizes:
            while stored < size:
                count = min(WRITTEN, size - stored)
                _live(log, chance, stored + 1, count)
                stored += count
                _consolidate(facts, log, stored)
                print(f"\r{stored:,} episodes ", end="", flush=True)
            count = PASSES * BATCH
            _live(log, chance, stored + 1, count)
            stored += count
            spent = _consolidate(facts, log, stored)
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            points.append(
                {
                    "size": size,
                    "median": statistics.median(spent),
                    "longest": max(spent),
                    "megabytes": megabytes,
                }
            )
        print()
        facts.close()
        log.close()
    return points


def _live(log: EpisodeLog, chance: np.random.Generator, first: int, count: int) -> None:
    numbers = chance.normal(size=(count, 2))
    kinds = chance.integers(len(KINDS), size=count)
    subjects = chance.integers(SUBJECTS, size=count)
    episodes = [
        Episode(
            f"reading {tick}",
            tick=tick,
            kind=KINDS[kinds[row]],
            subjects=(f"subject {subjects[row]}",),
            payload={"momentum": numbers[row, 0], "pnl": numbers[row, 1]},
        )
        for row, tick in enumerate(range(first, first + count))
    ]
    log.verify([(one.id, None) for one in log.record(episodes, now=NOW)])
    # Pending writes of recording are no cost of the pass after it.
    log.flush()


def _consolidate(facts: FactStore, log: EpisodeLog, tick: int) -> list[float]:
    """Milliseconds of processor time of each whole pass; what does not fill one waits."""
    spent = []
    waits = log.stats()["last_verification"] - facts.stats()["watermark"]
    for _ in range(waits // BATCH):
        begun = time.process_time()
        Curator(facts).consolidate(log, batch=BATCH, tick=tick, now=NOW)
        spent.append((time.process_time() - begun) * 1_000)
    return spent


def _draw(points: list[dict[str, float]], picture: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    sizes = [point["size"] for point in points]
    axes.plot(sizes, [point["median"] for point in points], marker="o", label="median of 20 passes")
    axes.plot(sizes, [point["longest"] for point in points], marker="s", label="the longest of them")
    axes.set(xscale="log", xlabel="episodes in the log", ylabel="ms of a pass over 256 episodes")
    axes.set_ylim(bottom=0)
    axes.set_title("What a pass of the Curator costs")
    axes.legend()
    figure.savefig(picture, dpi=110)
    plt.close(figure)
