"""Measures the phases of a death on a long log, with and without a consolidation before it.

    python benches/python/death.py [--episodes 10000 100000] [--write FILE]

The episodes are made up: outcomes of trades with two conditions, of 50 subjects. The embedder counts letters, so that
the time is that of bardo and not of a model. Texts are not read for facts (`curator.texts`).

`acceptance and settle` is the time of `death.begin`, `reflect` that of the last consolidation, `legacy` the rest of
`death.complete`. Of this, `choice` is the survey of the log and the worth of its episodes and facts, `account` the
reflection, `selection` the selection and redaction of what crosses, `testament` signature and reading back. The limits:
`bytes` is the time to read the file of the log, `log` that to decode every episode once in the core, count its words,
and make no object of it.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import bardo
from bardo import _core
from bardo.bequeath import legacy
from bardo.bequeath.content import reflect
from bardo.bequeath.testament import testament
from bardo.index.embedding import embedders
from common.report import machine, write_section

TITLE = "## How long a death takes"
DIMENSIONS = 64
#: Episodes of one call of `remember`, and those that are not consolidated when a rested agent dies.
BATCH, REST = 1_000, 256
SETTINGS = {"clock": {"unit": "loops"}, "curator": {"texts": False, "language": ""}}
PHASES = ("acceptance and settle", "reflect", "legacy")
LIMITS = ("bytes", "log")
#: Parts of the last phase, by the functions that do them.
PARTS = {
    "choice": (legacy, "_episodes"),
    "account": (reflect, "compose"),
    "selection": (legacy, "choose"),
    "testament": (testament, "write"),
}


def letters(texts: list[str]) -> np.ndarray:
    """Vectors that count letters."""
    found = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        np.add.at(found[row], np.frombuffer(text.encode(), np.uint8) % DIMENSIONS, 1.0)
    return found


def trades(count: int, first: int) -> Iterator[dict[str, Any]]:
    """Outcomes of trades under two conditions."""
    rng = random.Random(first)
    for number in range(first, first + count):
        hot, asset = rng.random() < 0.5, f"asset {rng.randrange(50)}"
        value = max(-1.0, min(1.0, rng.gauss(0.3 if hot else -0.1, 0.3)))
        yield {
            "text": f"Trade {number} of {asset} closed after {rng.randrange(1, 99)} blocks with {value:+.3f}",
            "kind": "outcome",
            "subjects": (asset,),
            "payload": {"value": value, "regime": "hot" if hot else "cold", "gas": rng.random()},
            "verified": True,
            "tick": number,
        }


def lived(folder: Path, episodes: int, *, rested: bool) -> bardo.Grimoire:
    """An agent with a long log; rested if all but the latest episodes are consolidated."""
    memory = bardo.open(
        folder, embedder=embedders.function_embedder(letters, name="letters"), config=SETTINGS, durable=False
    )
    for first in range(1, episodes + 1, BATCH):
        count = min(BATCH, episodes + 1 - first)
        memory.remember([bardo.Episode(**fields) for fields in trades(count, first)])
    if rested:
        memory.sleep()
        memory.remember([bardo.Episode(**fields) for fields in trades(REST, episodes + 1)])
    return memory


def death_of(memory: bardo.Grimoire, path: Path) -> tuple[dict[str, float], bardo.Testament]:
    """Seconds of each phase of a death and of the parts of the last one, and its testament."""
    parts: dict[str, float] = {}
    moments = [time.perf_counter()]
    memory.death.begin(cause="age", obligations=["Close the short"], path=path)
    moments.append(time.perf_counter())
    memory.on(bardo.CuratorCycleComplete, lambda _: moments.append(time.perf_counter()))
    with ExitStack() as stack:
        for name, (module, function) in PARTS.items():
            stack.enter_context(patch.object(module, function, timed(getattr(module, function), name, parts)))
        left = memory.death.complete(abandon=True)
    moments.append(time.perf_counter())
    spans = [end - start for start, end in itertools.pairwise(moments)]
    return dict(zip(PHASES, spans, strict=True)) | parts, left


def timed(work: Callable[..., Any], name: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """A function that notes how long it takes."""

    def run(*values: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return work(*values, **named)
        finally:
            seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start

    return run


def read_once(memory: bardo.Grimoire) -> tuple[float, float]:
    """Seconds to read the bytes of the log, and to read and decode every episode once in the core."""
    start = time.perf_counter()
    (memory.path / "episodes.redb").read_bytes()
    middle = time.perf_counter()
    _core.Survey(memory._session.log, kinds=(), latest=0)
    return middle - start, time.perf_counter() - middle


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--episodes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--write", type=Path, help="Markdown file in which the section is replaced")
    options = parser.parse_args()
    warnings.simplefilter("ignore", bardo.errors.BardoWarning)
    columns = (*PHASES, *PARTS, *LIMITS)
    lines = [
        f"Deaths, {machine()}, bardo {bardo.__version__}, seconds (`choice`, `account`, `selection` and "
        "`testament` are parts of `legacy`):",
        "",
        f"| episodes | before the death | {' | '.join(columns)} | testament |",
        f"|---:|---|{'---:|' * len(columns)}---:|",
    ]
    for episodes, rested in itertools.product(options.episodes, (True, False)):
        with (
            tempfile.TemporaryDirectory() as folder,
            lived(Path(folder) / "a", episodes, rested=rested) as g,
        ):
            once = read_once(g)
            seconds, left = death_of(g, Path(folder) / "left")
            size = left.path.stat().st_size // 1_024
        name = f"all consolidated but {REST}" if rested else "nothing consolidated"
        cells = " | ".join(f"{each:.2f}" for each in (*(seconds[part] for part in (*PHASES, *PARTS)), *once))
        lines.append(
            f"| {episodes:,} | {name} | {cells} | {len(left.facts)} facts, {len(left.episodes)} episodes, {size} KiB |"
        )
    table = "\n".join(lines)
    print(table)
    if options.write:
        write_section(options.write, "deaths", f"{TITLE}\n\n{table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
