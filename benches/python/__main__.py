"""`make bench`: one agent's verbs beside SQLite with FTS5, the peer that every Python brings along.

Both store each text durably before they go on (`synchronous=FULL`), and both find it by its words at once. bardo also
writes a record with its indexes, embeds, and ranks by four factors; SQLite stores and ranks rows. The embedder is a
hash, so that what is measured is bardo and not a model.
"""

import hashlib
import platform
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import bardo

TEXTS = 2_000
QUERIES = 200
WORDS_PER_TEXT = 18
WORDS_PER_QUERY = 9
LIMIT = 10
DIMENSIONS = 384
SEED = 7

CAVEATS = f"""\
Medians of {TEXTS} writes and {QUERIES} queries ({WORDS_PER_QUERY} words), over texts of {WORDS_PER_TEXT} random words.
Random words are harder on a posting list than prose, and say nothing about what is found. Recall of bardo answers from
words, vectors and time; that of SQLite from words alone. One process, one thread, this machine's disk."""


def made_up_texts(count: int, words: int, chance: random.Random) -> list[str]:
    """Texts whose word frequencies follow a Zipf-like law, as those of prose do."""
    vocabulary = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(8_000)
    ]
    weights = [1.0 / (rank + 10) for rank in range(len(vocabulary))]
    return [" ".join(chance.choices(vocabulary, weights, k=words)) for _ in range(count)]


def hash_embedding(texts: Sequence[str]) -> np.ndarray:
    seeds = [int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) for text in texts]
    return np.stack(
        [np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32) for seed in seeds]
    )


def median_microseconds(call: Callable[[str], object], arguments: Sequence[str]) -> float:
    def seconds(argument: str) -> float:
        started = time.perf_counter()
        call(argument)
        return time.perf_counter() - started

    return statistics.median(map(seconds, arguments)) * 1e6


def of_bardo(folder: Path, texts: Sequence[str], queries: Sequence[str]) -> tuple[float, float]:
    with bardo.open(folder / "agent", embedder=hash_embedding) as grimoire:
        remember = median_microseconds(grimoire.remember, texts)
        grimoire.recall("everything is embedded before the clock starts")
        return remember, median_microseconds(lambda query: grimoire.recall(query, limit=LIMIT), queries)


def of_sqlite(folder: Path, texts: Sequence[str], queries: Sequence[str]) -> tuple[float, float]:
    connection = sqlite3.connect(folder / "peer.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE VIRTUAL TABLE memory USING fts5(text, tokenize='porter unicode61')")
    search = f"SELECT text FROM memory WHERE memory MATCH ? ORDER BY rank LIMIT {LIMIT}"
    try:
        remember = median_microseconds(
            lambda text: connection.execute("INSERT INTO memory VALUES (?)", (text,)), texts
        )
        recall = median_microseconds(
            lambda query: connection.execute(search, (" OR ".join(query.split()),)).fetchall(), queries
        )
    finally:
        connection.close()
    return remember, recall


def main() -> None:
    chance = random.Random(SEED)
    texts = made_up_texts(TEXTS, WORDS_PER_TEXT, chance)
    queries = [" ".join(chance.choices(" ".join(texts).split(), k=WORDS_PER_QUERY)) for _ in range(QUERIES)]
    print(f"bardo {bardo.__version__}, SQLite {sqlite3.sqlite_version}, Python {platform.python_version()}")
    print(f"{platform.platform()}, {platform.processor() or platform.machine()}")
    with tempfile.TemporaryDirectory(prefix="bardo-bench-") as name:
        rows = zip(
            ("remember, durable, one at a time", f"recall, {LIMIT} of {TEXTS}"),
            of_bardo(Path(name), texts, queries),
            of_sqlite(Path(name), texts, queries),
            strict=True,
        )
        print(f"\n{'':34}{'bardo':>12}{'SQLite FTS5':>14}{'ratio':>9}")
        for what, ours, peer in rows:
            print(f"{what:34}{ours:9.0f} us{peer:11.0f} us{ours / peer:9.2f}")
    print(f"\n{CAVEATS}")


if __name__ == "__main__":
    sys.exit(main())
