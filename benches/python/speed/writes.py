"""Durable writes: each call returns when the disk has the text, and it can be found by its words at once."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path

import bardo
from speed import timing
from speed.world import Known, World

#: Texts of one group.
GROUP = 256
#: Writes whose syncs are counted.
COUNTED = 50

Write = Callable[[Sequence[str]], object]
BARS = {1: {"SQLite WAL FULL + FTS5": "1.0"}, GROUP: {"SQLite WAL FULL + FTS5": "0.5"}}


def ours(folder: Path, world: World, stack: ExitStack) -> Write:
    """The log with its indexes, and the words in memory; embedding comes with the next recall."""
    grimoire = stack.enter_context(
        bardo.open(folder / "bardo", embedder=Known(world), config={"embedding": {"batch": 0}})
    )
    return lambda texts: grimoire.remember(texts[0] if len(texts) == 1 else texts)


def sqlite_fts(folder: Path, world: World, stack: ExitStack) -> Write:
    """A row and its FTS5 entry in one transaction, WAL, `synchronous=FULL`."""
    connection = sqlite3.connect(folder / "peer.db", isolation_level=None)
    stack.callback(connection.close)
    connection.execute("pragma journal_mode=wal")
    connection.execute("pragma synchronous=full")
    connection.execute("create table episodes (id integer primary key, at integer, text text)")
    connection.execute("create virtual table words using fts5(text, content='', tokenize='porter unicode61')")

    def write(texts: Sequence[str]) -> None:
        connection.execute("begin")
        for text in texts:
            row = connection.execute(
                "insert into episodes (at, text) values (?, ?)", (time.time_ns(), text)
            ).lastrowid
            connection.execute("insert into words (rowid, text) values (?, ?)", (row, text))
        connection.execute("commit")

    return write


def plain_file(folder: Path, world: World, stack: ExitStack) -> Write:
    """Append and `fdatasync`: the floor, without any index."""
    file = stack.enter_context((folder / "plain.log").open("ab", buffering=0))

    def write(texts: Sequence[str]) -> None:
        file.write("\n".join(texts).encode() + b"\n")
        os.fdatasync(file.fileno())

    return write


def lmdb_store(folder: Path, world: World, stack: ExitStack) -> Write:
    """A transaction per call with its sync; no words."""
    import lmdb

    environment = lmdb.open(str(folder / "lmdb"), map_size=4 << 30)
    stack.callback(environment.close)
    count = 0

    def write(texts: Sequence[str]) -> None:
        nonlocal count
        with environment.begin(write=True) as transaction:
            for text in texts:
                count += 1
                transaction.put(count.to_bytes(8, "big"), text.encode())

    return write


def measure(folder: Path, world: World, *, peers: bool, rounds: int) -> list[timing.Row]:
    """Single writes, then groups."""
    report = []
    for size in (1, GROUP):
        what = "durable remember, one at a time" if size == 1 else f"durable remember, {GROUP} at once"
        turns = rounds if size == 1 else max(5, min(rounds // 10, len(world.texts) // GROUP - timing.WARM))
        groups = [world.texts[turn * size : (turn + 1) * size] for turn in range(turns + timing.WARM)]
        groups = [group for group in groups if group]
        place = folder / f"writes-{size}"
        place.mkdir()
        builders = {
            "bardo": ours,
            "SQLite WAL FULL + FTS5": sqlite_fts,
            "file append + fdatasync": plain_file,
        }
        notes = {
            "bardo": f"{bardo.__version__}; {syncs(size)} syncs a call",
            "SQLite WAL FULL + FTS5": sqlite3.sqlite_version,
        }
        if peers and util.find_spec("lmdb"):
            builders["LMDB"] = lmdb_store
            notes["LMDB"] = metadata.version("lmdb")
        with ExitStack() as stack:
            calls = {name: _fresh(build(place, world, stack)) for name, build in builders.items()}
            medians = timing.in_turns(calls, groups, clock=timing.WALL)
        report += timing.rows(what, medians, bars=BARS[size], notes=notes)
    return report


def _fresh(write: Write) -> Write:
    """Warming up writes the first groups too: a number in front keeps every text different from the ones before."""
    count = 0

    def numbered(texts: Sequence[str]) -> object:
        nonlocal count
        count += 1
        return write([f"{count} {text}" for text in texts])

    return numbered


def syncs(size: int) -> str:
    """`fsync` and `fdatasync` per call of `remember`, counted by strace in a process of its own."""
    if shutil.which("strace") is None:
        return "uncounted (no strace)"
    counted = [_syncs_of(calls, size) for calls in (0, COUNTED)]
    if None in counted:
        return "uncounted (strace failed)"
    return f"{(counted[1] - counted[0]) / COUNTED:.2f}"


_SCRIPT = """
import sys, tempfile, bardo, numpy
calls, size = int(sys.argv[1]), int(sys.argv[2])
embed = lambda texts: numpy.ones((len(texts), 8), "f4")
with tempfile.TemporaryDirectory() as folder:
    with bardo.open(folder + "/a", embedder=embed, config={"embedding": {"batch": 0}}) as g:
        for call in range(calls):
            texts = [f"text {call} of {place}" for place in range(size)]
            g.remember(texts if size > 1 else texts[0])
"""


def _syncs_of(calls: int, size: int) -> int | None:
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            "trace=fsync,fdatasync",
            sys.executable,
            "-c",
            _SCRIPT,
            str(calls),
            str(size),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return None
    return len(re.findall(r"\b(?:fsync|fdatasync)\(", done.stderr))
