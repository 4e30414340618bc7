"""Measures the three bars of a testament: selection, writing, reading.

    python benches/python/testament.py [--facts 30000] [--write FILE]

The first row is the choice of 2,048 of the facts by coverage and value, with vectors of 384 dimensions. The second is
choosing, redacting, signing and reading back 2,048 entries and 128 episodes, the third reading and
verifying the file. Texts are sentences with names, numbers, and a secret in every fiftieth. Each is the least of three
runs, in CPU seconds of the process.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import bardo
from bardo import _core
from bardo.bequeath.lineage import Lineage
from bardo.bequeath.selection.selection import Estate, choose
from bardo.bequeath.testament import testament
from bardo.config import Bequeath
from bardo.model import Episode, Fact
from common.report import machine, write_section

TITLE = "## How long a testament takes"
DIMENSIONS, ENTRIES, EPISODES, RUNS = 384, 2_048, 128, 3
NOW, TICK = 1_772_712_000_000_000, 100_000
THINGS, DAYS = ("pool", "queue", "host", "oracle", "order"), ("Mondays", "Fridays", "holidays")
VERBS = ("rises after", "falls before", "follows", "breaks with", "depends on", "is paid by", "waits for")


def sentence(rng: random.Random, number: int) -> str:
    """A sentence of a life."""
    one, other = (f"{rng.choice(THINGS)} {rng.randrange(900)}" for _ in "ab")
    minutes, day = rng.randrange(2, 90), rng.choice(DAYS)
    text = f"The {one} {rng.choice(VERBS)} the {other} within {minutes} minutes on {day}"
    return f"{text}, with the token sk-{number:024d}a" if number % 50 == 0 else text


def seconds(work: Callable[[], Any]) -> float:
    """Least CPU seconds of a few runs."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--facts", type=int, default=30_000)
    parser.add_argument("--write", type=Path, help="Markdown file in which the section is replaced")
    options = parser.parse_args()
    rng, numbers = random.Random(1), np.random.default_rng(1)
    facts = [
        Fact(
            sentence(rng, number), id=f"{number:032x}", subjects=(f"asset {number % 50}",), confidence=0.8,
            support=1 + number % 9, importance=rng.random(), created_at=NOW, created_tick=number,
        )
        for number in range(options.facts)
    ]  # fmt: skip
    confidences = [0.6 + 0.4 * rng.random() for _ in facts]
    vectors = numbers.standard_normal((len(facts), DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    episodes = [
        Episode(
            sentence(rng, number),
            id=f"{number:032x}",
            tick=number,
            at=NOW,
            payload={"lag": number},
            verified=True,
        )
        for number in range(EPISODES)
    ]
    lineage = Lineage.founder("bench").died(tick=TICK, cause="age")

    def select() -> Any:
        return _core.select_entries(
            facts,
            confidences,
            vectors,
            cap=ENTRIES,
            insight_threshold=0.6,
            heuristic_threshold=0.7,
            tick=TICK,
        )

    chosen = [place for place, _ in zip(select().chosen, range(ENTRIES), strict=False)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.testament"

        def write() -> Any:
            estate = Estate(
                facts=[facts[place] for place in chosen], confidences=[confidences[place] for place in chosen],
                vectors=vectors[chosen], episodes=episodes,
                reflection="# What worked\n\nNothing in the record speaks to this.",
            )  # fmt: skip
            choice = choose(estate, lineage.life, Bequeath())
            return testament.write(
                path, choice, lineage=lineage, signing_key=Ed25519PrivateKey.generate(), now=NOW
            )

        rows = [
            (f"select {ENTRIES:,} of {len(facts):,} facts", seconds(select), 1.0),
            (f"write {ENTRIES:,} entries and {EPISODES} episodes", seconds(write), 2.0),
            ("read and verify them", seconds(lambda: testament.read(path)), 0.2),
        ]
        size = path.stat().st_size >> 10
    lines = [
        f"Testaments, {machine()}, bardo {bardo.__version__}, CPU seconds; the file has {size:,} KiB:",
        "",
        "| work | CPU seconds | bar |",
        "|---|---:|---:|",
        *(f"| {name} | {taken:.2f} | {bar:g} |" for name, taken, bar in rows),
    ]
    table = "\n".join(lines)
    print(table)
    if options.write:
        write_section(options.write, "testaments", f"{TITLE}\n\n{table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
