"""Each arm alone: the nearest vectors beside simsimd, hnswlib and numpy, and BM25 beside tantivy and FTS5."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path

import numpy as np

import bardo
from bardo._core import HotSet
from bardo.model import Episode
from speed import timing
from speed.hybrid import BEGIN, LIMIT, STEP, tantivy_index
from speed.world import World

Search = Callable[[int], list[int]]
VECTOR_BARS = {10_000: {"simsimd int8": "0.6"}, 100_000: {"simsimd int8": "0.7"}}
WORD_BAR = {"tantivy": "0.4"}
#: hnswlib: links of a node, effort of construction and of search.
LINKS, EFFORT, SEARCH_EFFORT = 16, 200, 128
#: Episodes of one call while filling.
BATCH = 5_000


def hot_set(folder: Path, world: World) -> tuple[HotSet, dict[str, int]]:
    """The index in memory of a grimoire, alone, and the row of each id."""
    hot = HotSet()
    rows: dict[str, int] = {}
    with bardo.open(
        folder,
        embedder=lambda texts: np.ones((len(texts), 8), "f4"),
        durable=False,
        config={"embedding": {"batch": 0}},
    ) as grimoire:
        for start in range(0, len(world.texts), BATCH):
            stored = grimoire.remember(
                [
                    Episode(text, at=BEGIN + (start + place) * STEP)
                    for place, text in enumerate(world.texts[start : start + BATCH])
                ]
            )
            hot.add_episodes(stored)
            ids = [episode.id for episode in stored]
            hot.set_vectors(ids, world.vectors[start : start + BATCH])
            rows.update(zip(ids, range(start, start + BATCH), strict=False))
    return hot, rows


def rows(found: list, row_of: dict[str, int]) -> set[int]:
    """The rows that a system found: bardo tells ids with their scores, the others rows. Not part of what is timed."""
    return {one if isinstance(one, int) else row_of[one[0]] for one in found}


def simsimd_int8(world: World) -> Search:
    """Codes of eight bits, the same scale for all, every dot product by `cdist`, the best by a partial sort."""
    import simsimd

    scale = 127 / np.abs(world.vectors).max()
    codes = np.round(world.vectors * scale).astype(np.int8)
    query_codes = np.clip(np.round(world.question_vectors * scale), -127, 127).astype(np.int8)

    def search(number: int) -> list[int]:
        distances = np.asarray(simsimd.cdist(query_codes[number : number + 1], codes, metric="cosine"))[0]
        best = np.argpartition(distances, LIMIT)[:LIMIT]
        return best[np.argsort(distances[best])].tolist()

    return search


def hnsw(world: World) -> Search:
    import hnswlib

    index = hnswlib.Index(space="cosine", dim=world.vectors.shape[1])
    index.init_index(max_elements=len(world.vectors), M=LINKS, ef_construction=EFFORT, random_seed=7)
    index.set_num_threads(1)
    index.add_items(world.vectors)
    index.set_ef(SEARCH_EFFORT)
    return lambda number: index.knn_query(world.question_vectors[number], k=LIMIT)[0][0].tolist()


def plain_numpy(world: World) -> Search:
    def search(number: int) -> list[int]:
        scores = world.vectors @ world.question_vectors[number]
        best = np.argpartition(-scores, LIMIT)[:LIMIT]
        return best[np.argsort(-scores[best])].tolist()

    return search


def vectors(folder: Path, world: World, *, peers: bool) -> list[timing.Row]:
    """The ten nearest, with the share of the true ten that was found."""
    count, dims = world.vectors.shape
    what = f"vector arm, {count:,} x {dims}{', real embeddings' if world.is_real else ''}"
    hot, row_of = hot_set(folder / "bardo", world)
    exact = plain_numpy(world)
    calls: dict[str, Callable[[int], list]] = {
        "bardo": lambda number: hot.nearest(world.question_vectors[number], LIMIT),
        "numpy float32": exact,
    }
    versions = {"bardo": bardo.__version__, "numpy float32": np.__version__}
    for name, module, build in (("simsimd int8", "simsimd", simsimd_int8), ("hnswlib", "hnswlib", hnsw)):
        if peers and util.find_spec(module):
            calls[name] = build(world)
            versions[name] = metadata.version(module)
    numbers = list(range(len(world.questions)))
    medians = timing.both_ways(calls, numbers)
    true = [set(exact(number)) for number in numbers]
    found = [{name: rows(call(number), row_of) for name, call in calls.items()} for number in numbers]
    notes = {
        name: f"{versions[name]}; recall@10 "
        f"{np.mean([len(true[number] & found[number][name]) / LIMIT for number in numbers]):.4f}"
        for name in calls
    }
    return timing.rows_of_both(what, medians, bars=VECTOR_BARS.get(count), notes=notes)


def words(folder: Path, world: World, *, peers: bool) -> list[timing.Row]:
    """The ten best by BM25 for a question of nine words."""
    what = f"BM25, 9-word question, {len(world.texts):,} {'real ' if world.is_real else ''}texts"
    hot, row_of = hot_set(folder / "bardo", world)
    calls: dict[str, Callable[[int], list]] = {
        "bardo": lambda number: hot.matching(world.questions[number], LIMIT),
    }
    versions = {"bardo": bardo.__version__, "SQLite FTS5": sqlite3.sqlite_version}
    with ExitStack() as stack:
        if peers and util.find_spec("tantivy"):
            index = tantivy_index(world.texts)
            calls["tantivy"] = lambda number: index(world.questions[number], LIMIT)
            versions["tantivy"] = metadata.version("tantivy")
        connection = sqlite3.connect(folder / "fts.db")
        stack.callback(connection.close)
        connection.execute(
            "create virtual table words using fts5(text, content='', tokenize='porter unicode61')"
        )
        with connection:
            connection.executemany("insert into words (rowid, text) values (?, ?)", enumerate(world.texts))
        any_word = [" OR ".join(f'"{word}"' for word in question.split()) for question in world.questions]
        command = f"select rowid from words where words match ? order by rank limit {LIMIT}"
        calls["SQLite FTS5"] = lambda number: [
            row for (row,) in connection.execute(command, (any_word[number],))
        ]
        numbers = list(range(len(world.questions)))
        medians = timing.both_ways(calls, numbers)
        found = [{name: rows(call(number), row_of) for name, call in calls.items()} for number in numbers]
    notes = {
        name: f"{versions[name]}; shares {np.mean([len(one['bardo'] & one[name]) / LIMIT for one in found]):.2f} "
        "of its ten with bardo"
        if name != "bardo"
        else versions[name]
        for name in calls
    }
    return timing.rows_of_both(what, medians, bars=WORD_BAR, notes=notes)
