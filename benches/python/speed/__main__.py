"""`python -m speed`: the speed table, printed and written to a section of RESULTS.md, with the picture of growth.

python -m speed --peers --write ../RESULTS.md
python -m speed --quick                                  # small sizes, to see that everything runs
python -m speed --only vectors-real words-real --data FOLDER --peers
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import bardo
from bardo import config
from bardo.index.embedding import embedders
from common import report
from common.cached import CachedEmbedder
from quality.data import load_turns
from speed import arms, footprint, fresh, growth, hybrid, late, prompt, timing, world, writes

#: Episodes of the small and the large measurements.
SMALL, LARGE = 10_000, 100_000
PARTS = (
    "hybrid", "hybrid-large", "vectors", "vectors-real", "vectors-large", "words", "words-real", "words-large",
    "writes", "fresh", "prompt", "late", "memory", "memory-large", "starting", "opening", "disk", "growth",
)  # fmt: skip
#: Ending of the parts over turns of conversations, which are measured where the data is.
REAL = "-real"
CAVEATS = """\
One process on one core, every system in turns over the same texts and vectors: a call finds the caches full of what
the others did, as a recall between two calls of a model does. Searches are also asked `in a row`, all questions of
one system before the next one's, as latencies are usually given. Medians of processor time, which on one core is the
duration of a call on an idle machine (the machine was shared, see its load below); durable writes wait for the disk
and are medians of time passed. `ratio` is bardo's median over the system's (for context, memory and disk: over what
the note says), `bar` what it may be at most. Embedding is excluded: vectors are looked up. Texts here are one
sentence, so that bardo keeps one vector each; several sentences cost it as many. bardo's recall reads whole records
and keeps their reasons, of which id, score and text are looked at here; txtai returns ids alone, the composite rows.
bardo leaves stop words out of a question, tantivy and FTS5 here do not: on real texts they read more for it."""


def main() -> None:
    options = arguments()
    if options.part:
        timing.one_core()
        rows, origin = measure(options)
        print(json.dumps({"rows": [dataclasses.asdict(row) for row in rows], "origin": origin}))
        return
    for name in () if options.tables else options.only or PARTS:
        if name.endswith(REAL) and options.data is None:
            print(f"{name}: not measured, --data names no folder", file=sys.stderr)
            continue
        print(f"{name} ...", file=sys.stderr)
        keep(options.results, name, alone(name))
    text = table(options.results)
    print(text)
    if options.write:
        report.write_section(options.write, "speed", text)


def alone(name: str) -> dict[str, Any]:
    """Measures one part in a process of its own, so that what another part has loaded costs it nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "speed", *sys.argv[1:], "--part", name],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        failed = timing.Row(name, "failed", note=f"the process ended with {done.returncode}")
        return {"rows": [dataclasses.asdict(failed)], "origin": ""}
    return json.loads(done.stdout.splitlines()[-1])


def measure(options: argparse.Namespace) -> tuple[list[timing.Row], str]:
    """The lines of one part, and where its texts and vectors come from."""
    quick, peers = options.quick, options.peers
    rounds = 20 if quick else options.rounds
    small, large = (500, 1_000) if quick else (SMALL, LARGE)
    count = large if options.part.endswith("-large") or options.part == "disk" else small
    worldless = options.part in {"growth", "starting"}
    if options.part.endswith(REAL):
        model = CachedEmbedder(embedders.load(config.Embedding()), options.cache / "minilm.sqlite")
        there = world.real(count, rounds, load_turns(options.data), model)
    else:
        there = world.made(1, 1) if worldless else world.made(count, rounds)
    with tempfile.TemporaryDirectory(prefix="bardo-speed-") as name:
        folder = Path(name)
        calls: dict[str, Callable[[], list[timing.Row]]] = {
            "hybrid": lambda: hybrid.measure(folder, there, peers=peers),
            "vectors": lambda: arms.vectors(folder, there, peers=peers),
            "words": lambda: arms.words(folder, there, peers=peers),
            "writes": lambda: writes.measure(folder, there, peers=peers, rounds=rounds),
            "fresh": lambda: fresh.measure(folder, there, peers=peers, rounds=min(rounds, 100)),
            "prompt": lambda: prompt.measure(folder, there, rounds=min(rounds, 50)),
            "late": lambda: late.measure(folder, there),
            "memory": lambda: footprint.memory(folder, there),
            "starting": footprint.starting,
            "opening": lambda: footprint.opening(folder, there, peers=peers),
            "disk": lambda: footprint.disk(folder, there),
            "growth": lambda: growth.measure(
                folder,
                growth.SIZES[:3] if quick else tuple(n for n in growth.SIZES if n <= options.largest),
                minutes=options.minutes,
                picture=picture_of(options),
            ),
        }
        rows = calls[options.part.removesuffix("-large").removesuffix(REAL)]()
    return rows, "" if worldless else there.origin


def picture_of(options: argparse.Namespace) -> Path | None:
    """Where the growth is drawn: as asked, or beside the report."""
    return options.picture or (options.write.parent / "growth.png" if options.write else None)


def keep(folder: Path, name: str, measured: dict[str, Any]) -> None:
    """Replaces what was kept of a part."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = f"bardo {bardo.__version__}, numpy {np.__version__}"
    about = {
        "machine": report.machine(), "versions": versions, "date": datetime.now(UTC).date().isoformat(),
        "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip
    (folder / f"speed.{name}.json").write_text(
        json.dumps({**about, **measured}, indent=1) + "\n", encoding="utf-8"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", action="store_true", help="the peers too, where they are installed")
    parser.add_argument("--quick", action="store_true", help="small sizes; the numbers mean nothing")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, help="only these parts; the others from what is kept"
    )
    parser.add_argument(
        "--tables", action="store_true", help="measure nothing, draw the table of what is kept"
    )
    parser.add_argument("--results", type=Path, default=Path.home() / ".cache" / "bardo" / "speed")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=200, help="calls of each system")
    parser.add_argument("--data", type=Path, help="folder with the evaluation files, for real texts")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path.home() / ".cache" / "bardo" / "quality",
        help="where vectors of texts are kept",
    )
    parser.add_argument("--largest", type=int, default=1_000_000, help="largest size of the growth")
    parser.add_argument(
        "--minutes", type=float, default=20.0, help="no size of the growth is begun after so long"
    )
    parser.add_argument("--picture", type=Path, help="PNG of the growth; beside the report if not given")
    parser.add_argument("--write", type=Path, help="Markdown file whose section `speed` is replaced")
    return parser.parse_args()


def table(folder: Path) -> str:
    """The report as Markdown, out of every part that is kept."""
    kept = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (folder / f"speed.{name}.json" for name in PARTS)
        if path.is_file()
    ]
    lines = ["## Speed", ""]
    for about in dict.fromkeys(f"{part['machine']}; {part['versions']}; {part['date']}" for part in kept):
        lines += [f"{about}.", ""]
    origins = ", ".join(dict.fromkeys(part["origin"] for part in kept if part["origin"])) or "none"
    loads = [part["load"] for part in kept]
    lines += [
        f"{CAVEATS} Data: {origins}. Load of the machine while measuring: {min(loads)} to {max(loads)}.",
        "",
    ]
    lines += ["| what | system | median | ratio | bar | note |", "|---|---|--:|--:|--:|---|"]
    for row in (timing.Row(**row) for part in kept for row in part["rows"]):
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append(f"| {row.what} | {row.system} | {row.value} | {ratio} | {row.bar} | {row.note} |")
    if any(row["what"].startswith("growth of") for part in kept for row in part["rows"]):
        lines += ["", "![What a call costs as the memory grows](growth.png)"]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
