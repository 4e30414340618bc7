"""Measures the cost of consolidation with a new subject in every episode, beside linear growth."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bardo._core import Curator, EpisodeLog, FactStore, Names
from bardo.model import Episode

SIZES = (10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
#: Episodes of a pass of the Curator.
BATCH = 256
#: Episodes of one write.
WRITTEN = 4_096
NOW = 1_700_000_000_000_000
CAVEAT = f"""\
Every episode is verified, has a number and a subject of its own. All of them are consolidated in passes of {BATCH}, as
`sleep` does, and read for what they name; processor time of this process. The ratio is to the time of the first size
times the number of episodes: 1.00 is linear growth."""


def section(most: int) -> str:
    """The table up to this size."""
    rows = ["| subjects | the Curator's passes | ratio | reading names | ratio |", "|---|---|---|---|---|"]
    first: tuple[float, float] | None = None
    for size in (size for size in SIZES if size <= most):
        spent = _measure(size)
        first = first or (spent[0] / size, spent[1] / size)
        ratios = [each / (part * size) for each, part in zip(spent, first, strict=True)]
        rows.append(f"| {size:,} | {spent[0]:.2f} s | {ratios[0]:.2f} | {spent[1]:.2f} s | {ratios[1]:.2f} |")
        print(rows[-1], flush=True)
    return "\n\n".join(["## What many subjects cost", CAVEAT, "\n".join(rows)])


def _measure(size: int) -> tuple[float, float]:
    """Seconds of the passes over so many episodes, and of reading what they name."""
    with tempfile.TemporaryDirectory() as folder:
        log = EpisodeLog(str(Path(folder) / "episodes.redb"), agent="elder", seed=1, now=NOW, durable=False)
        facts = FactStore(Path(folder) / "facts.db", agent="elder", seed=1, now=NOW)
        for first in range(1, size + 1, WRITTEN):
            episodes = [
                Episode(
                    f"reading {tick}", tick=tick, subjects=(f"subject {tick}",), payload={"level": tick % 7}
                )
                for tick in range(first, min(first + WRITTEN, size + 1))
            ]
            log.verify([(one.id, None) for one in log.record(episodes, now=NOW)])
        log.flush()
        begun = time.process_time()
        while Curator(facts).consolidate(log, batch=BATCH, tick=size, now=NOW).pending:
            pass
        consolidated = time.process_time()
        Names(facts).read(log)
        read = time.process_time()
        facts.close()
        log.close()
    return consolidated - begun, read - consolidated
