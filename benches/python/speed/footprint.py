"""Memory, the time to open, and bytes on disk; each in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata, util
from pathlib import Path

import numpy as np

import bardo
from speed import timing
from speed.hybrid import filled, yantrikdb_filled
from speed.world import DIMS, Known, World

MEMORY_BARS = {10_000: "40 MB", 100_000: "200 MB"}
OPEN_BAR = "60 ms over bare Python"
HELP_BAR = "150 ms"
DISK_BAR = "2.5"
#: Appends between two consolidations, each of which brings LanceDB up to date.
SLEEPS_EVERY = 2_000
#: Times that a process is started.
STARTS = 11

_RSS = """
import os, sys
def rss():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1000
"""
#: An embedder of the fingerprint that the folder was filled with; it costs no import.
_KNOWN = """
class Known:
    @property
    def fingerprint(self):
        from bardo.model import Fingerprint
        return Fingerprint("known", "1", "none", 384)
    def embed_documents(self, texts):
        import numpy
        return numpy.full((len(texts), 384), 384 ** -0.5, "f4")
    embed_queries = embed_documents
embed = Known()
"""
_OURS = """
import numpy, bardo
folder, empty = sys.argv[1:3]
with bardo.open(empty, embedder=embed) as g:
    g.recall("anything")
    before = rss()
with bardo.open(folder, embedder=embed) as g:
    g.recall("anything at all")
    print(rss() - before)
"""
_BY_HAND = """
import sqlite3, numpy
folder = sys.argv[1]
numpy.ones(4) @ numpy.ones(4)
sqlite3.connect(":memory:").execute("select 1")
before = rss()
connection = sqlite3.connect(folder + "/hand.db")
vectors = numpy.load(folder + "/hand.npy")
best = numpy.argsort(-(vectors @ vectors[0]))[:10]
connection.execute("select text from words where words match 'anything' limit 10").fetchall()
print(rss() - before)
"""


def _run(script: str, *arguments: str) -> str:
    # An installed package is compiled: a setting of the measuring user must not prevent it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def memory(folder: Path, world: World) -> list[timing.Row]:
    """Growth of the resident memory by opening and asking once, the model aside."""
    import sqlite3

    count = len(world.texts)
    what = f"resident memory growth, {count:,} x {world.vectors.shape[1]}"
    filled(folder / "bardo", world).close()
    with sqlite3.connect(folder / "hand.db") as connection:
        connection.execute("create virtual table words using fts5(text)")
        connection.executemany("insert into words values (?)", ((text,) for text in world.texts))
    connection.close()
    np.save(folder / "hand.npy", world.vectors)
    own = float(_run(_RSS + _KNOWN + _OURS, str(folder / "bardo"), str(folder / "empty")))
    by_hand = float(_run(_RSS + _BY_HAND, str(folder)))
    return [
        timing.Row(
            what, "bardo", bar=MEMORY_BARS.get(count, ""), note=bardo.__version__, shown=f"{own:.0f} MB"
        ),
        timing.Row(
            what,
            "SQLite + numpy by hand",
            ratio=own / by_hand,
            note="float32 vectors, FTS5",
            shown=f"{by_hand:.0f} MB",
        ),
    ]


_OPEN = {
    "bardo": f"""
import sys, bardo
{_KNOWN}
bardo.open(sys.argv[1] + "/bardo", embedder=embed)
""",
    "LanceDB": """
import sys, lancedb
lancedb.connect(sys.argv[1] + "/lancedb").open_table("rows").count_rows()
""",
    "YantrikDB": """
import sys, yantrikdb
yantrikdb.YantrikDB(sys.argv[1] + "/yantrik.db", embedding_dim=384)
""",
}


def opening(folder: Path, world: World, *, peers: bool) -> list[timing.Row]:
    """From the start of Python to an open memory, over the start of bare Python; the processes take turns."""
    count = len(world.texts)
    what = f"import and open, {count:,} episodes"
    filled(folder / "bardo", world).close()
    versions = {"bardo": bardo.__version__}
    if peers and util.find_spec("lancedb"):
        import lancedb

        versions["LanceDB"] = metadata.version("lancedb")
        rows = [
            {"text": text, "vector": vector} for text, vector in zip(world.texts, world.vectors, strict=True)
        ]
        lancedb.connect(folder / "lancedb").create_table("rows", rows)
    if peers and util.find_spec("yantrikdb"):
        versions["YantrikDB"] = metadata.version("yantrikdb")
        yantrikdb_filled(folder / "yantrik.db", world).close()
    bare, over = _over_bare({name: _OPEN[name] for name in versions}, str(folder))
    return timing.rows(
        what,
        over,
        bars={"bardo": OPEN_BAR},
        notes={
            name: f"{version}; over bare Python ({bare * 1e3:.0f} ms)" for name, version in versions.items()
        },
    )


_START = {
    "import bardo": "import bardo",
    "bardo --help": """
import os, sys
from bardo.__main__ import main
sys.argv, sys.stdout = ["bardo", "--help"], open(os.devnull, "w")
main()
""",
    "import typer": "import typer.main",
    "import numpy": "import numpy",
}


def starting() -> list[timing.Row]:
    """From the start of Python to the package and to the help, beside libraries that others need for the same."""
    bare, over = _over_bare(_START)
    note = f"over bare Python ({bare * 1e3:.0f} ms)"
    return [
        *timing.rows(
            "start of the package",
            {name: over[name] for name in ("import bardo", "import numpy")},
            ours="import bardo",
            notes={"import bardo": f"{bardo.__version__}; {note}"},
        ),
        *timing.rows(
            "start of the command line",
            {name: over[name] for name in ("bardo --help", "import typer")},
            ours="bardo --help",
            bars={"bardo --help": HELP_BAR},
            notes={"bardo --help": f"{bardo.__version__}; {note}"},
        ),
    ]


def _over_bare(scripts: Mapping[str, str], *arguments: str) -> tuple[float, dict[str, float]]:
    """Median seconds of bare Python, and those of each script on top of it; the processes take turns."""
    started = {"": "pass", **scripts}
    taken: dict[str, list[float]] = {name: [] for name in started}
    for _ in range(STARTS):
        for name, script in started.items():
            before = _children()
            _run(script, *arguments)
            taken[name].append(_children() - before)
    bare = statistics.median(taken[""])
    return bare, {name: max(statistics.median(taken[name]) - bare, 1e-6) for name in scripts}


def _children() -> float:
    """Processor time of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def disk(folder: Path, world: World) -> list[timing.Row]:
    """Bytes per episode after appending one by one, LanceDB's table included."""
    count = len(world.texts)
    raw = 0
    with bardo.open(folder / "bardo", embedder=Known(world), durable=False) as grimoire:
        for place, text in enumerate(world.texts):
            payload = {"number": place, "source": "bench"}
            raw += len(text.encode()) + len(json.dumps(payload).encode()) + 2 * DIMS
            grimoire.remember(text, payload=payload)
            if place % SLEEPS_EVERY == SLEEPS_EVERY - 1:
                grimoire.sleep()
        grimoire.sleep()
    parts = {
        child.name: sum(file.stat().st_size for file in _files(child)) / count
        for child in sorted((folder / "bardo").iterdir())
    }
    largest = ", ".join(
        f"{name} {size:.0f}" for name, size in sorted(parts.items(), key=lambda part: -part[1]) if size >= 1
    )
    total, floor = sum(parts.values()), raw / count
    return [
        timing.Row(
            f"bytes on disk per episode after {count:,} one-by-one appends", "bardo", ratio=total / floor,
            bar=DISK_BAR, note=f"{bardo.__version__}; over text + payload + f16 vector ({floor:.0f}); {largest}",
            shown=f"{total:.0f} B",
        )
    ]  # fmt: skip


def _files(path: Path) -> Sequence[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
