"""Bytes and time of the LanceDB index after many one-by-one appends through its batches.

    python benches/python/archive_index.py --episodes 10000

Texts are generated (about 140 bytes, words by Zipf's law), vectors are random directions of MiniLM's size: the text
and the vector of real episodes compress no better. The log is opened without a sync per record, as it is not measured.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from bardo._core import EpisodeLog
from bardo.index.archive.lance_index import LanceIndex
from bardo.model import Episode, Fingerprint

DIMS = 384
MODEL = Fingerprint("random", "1", "none", DIMS)
NOW = 1_700_000_000_000_000
QUERIES = 20


def texts(count: int, rng: np.random.Generator) -> list[str]:
    letters = np.array(list("etaoinshrdlu"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(5_000)])
    return [" ".join(words[np.minimum(rng.zipf(1.3, 24) - 1, len(words) - 1)]) for _ in range(count)]


def median_ms(call) -> float:
    seconds = []
    for _ in range(QUERIES):
        started = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds)) * 1e3


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--episodes", type=int, default=10_000)
    count = options.parse_args().episodes
    rng = np.random.default_rng(0)
    written = texts(count, rng)
    raw = sum(len(text.encode()) for text in written) / count
    with tempfile.TemporaryDirectory() as folder:
        log = EpisodeLog(f"{folder}/episodes.redb", agent="bench", seed=1, now=NOW, durable=False)
        index = LanceIndex(Path(folder) / "index.lance", agent="bench", fingerprint=MODEL)
        syncs = []
        for tick, text in enumerate(written):
            (recorded,) = log.record([Episode(text, tick=tick, at=NOW + tick * 1_000_000)], now=NOW)
            vector = rng.normal(size=(1, DIMS)).astype(np.float32)
            vector /= np.linalg.norm(vector)
            log.put_vectors([recorded.id], vector, np.empty((0, DIMS), np.float32), [0], MODEL)
            if index.due(recorded.seq):
                started = time.perf_counter()
                index.sync(log)
                syncs.append(time.perf_counter() - started)
        before = index.stats()
        index.sync(log)
        index.compact()
        after = index.stats()
        floor = raw + 2 * DIMS
        print(f"{count} episodes, {raw:.0f} bytes of text and {2 * DIMS} of vector each")
        print(
            f"{len(syncs)} syncs on the way, {sum(syncs):.2f} s in all, the longest {max(syncs, default=0):.2f} s"
        )
        for name, stats in (("as appended", before), ("compacted", after)):
            ratio = stats["bytes_per_memory"] / floor
            print(
                f"{name:12} {stats['bytes_per_memory']:6.0f} bytes a memory ({ratio:.2f}x text + vector), "
                f"{stats['fragments']} fragments, {stats['versions']} versions"
            )
        query, words = vector[0], written[count // 2][:40]
        print(
            f"search: vector {median_ms(lambda: index.search_vector(query, 10)):.1f} ms, "
            f"text {median_ms(lambda: index.search_text(words, 10)):.1f} ms (medians of {QUERIES})"
        )
        started = time.perf_counter()
        purged = index.delete([recorded.id])
        print(f"delete of 1: {time.perf_counter() - started:.2f} s, {purged.rewritten} rows copied")
        started = time.perf_counter()
        index.rebuild(log)
        print(f"rebuild: {time.perf_counter() - started:.2f} s")
        log.close()


if __name__ == "__main__":
    main()
