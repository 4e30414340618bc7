"""Hybrid recall: bardo beside txtai, LanceDB and a composite made by hand, over the same texts and vectors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path
from typing import Any

import numpy as np

import bardo
from bardo.model import Episode
from speed import timing
from speed.world import Known, World

LIMIT = 10
#: Length of the lists that the composite fuses, and the constant of its reciprocal ranks.
DEPTH, RRF_K = 50, 60
#: First moment of the episodes, microseconds UTC, and the time between two of them.
BEGIN, STEP = 1_700_000_000_000_000, 60_000_000
#: Texts of one call of `remember` while filling.
BATCH = 5_000
MEMPALACE_BATCH = 500
#: Seconds.
UNTIL_SETTLED = 2.1

Search = Callable[[int], object]
BARS = {
    10_000: {"txtai hybrid": "0.10", "composite": "0.33"},
    100_000: {"txtai hybrid": "0.25", "composite": "0.48"},
}


def filled(folder: Path, world: World, **options: Any) -> bardo.Grimoire:
    """A grimoire with all of a world's texts, embedded."""
    grimoire = bardo.open(folder, embedder=Known(world), durable=False, **options)
    for start in range(0, len(world.texts), BATCH):
        grimoire.remember(
            [
                Episode(
                    text,
                    at=BEGIN + (start + place) * STEP,
                    tick=(BEGIN + (start + place) * STEP) // 1_000_000,
                )
                for place, text in enumerate(world.texts[start : start + BATCH])
            ]
        )
    grimoire.recall("everything is embedded before the clock starts")
    # Every recall looks again at files that changed within two seconds: their times may not tell the next change.
    time.sleep(UNTIL_SETTLED)
    grimoire.recall("nothing changed since")
    return grimoire


def ours(folder: Path, world: World, stack: ExitStack) -> Search:
    grimoire = stack.enter_context(filled(folder / "bardo", world))

    def search(number: int) -> object:
        # The text of a memory is decoded on access, so access it.
        found = grimoire.recall(world.questions[number], limit=LIMIT)
        return [(memory.id, memory.score, memory.text) for memory in found]

    return search


def composite(folder: Path, world: World, stack: ExitStack) -> Search:
    """faiss with fp16 vectors, tantivy, reciprocal ranks and rows of SQLite: what an engineer would put together."""
    import faiss

    index = faiss.IndexScalarQuantizer(
        world.vectors.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    index.train(world.vectors[:1])
    index.add(world.vectors)
    words = tantivy_index(world.texts)
    connection = sqlite3.connect(folder / "composite.db")
    stack.callback(connection.close)
    connection.execute("create table rows (id integer primary key, at integer, text text)")
    with connection:
        connection.executemany(
            "insert into rows values (?, ?, ?)",
            ((place, BEGIN + place * STEP, text) for place, text in enumerate(world.texts)),
        )
    marks = ",".join("?" * LIMIT)

    def search(number: int) -> object:
        _, near = index.search(world.question_vectors[number : number + 1], DEPTH)
        scores: dict[int, float] = {}
        for arm in (near[0].tolist(), words(world.questions[number], DEPTH)):
            for rank, row in enumerate(arm, 1):
                scores[row] = scores.get(row, 0.0) + 1.0 / (RRF_K + rank)
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:LIMIT]
        found = connection.execute(f"select id, at, text from rows where id in ({marks})", best).fetchall()
        by_id = {row[0]: row for row in found}
        return [by_id[row] for row in best]

    return search


def tantivy_index(texts: Iterable[str]) -> Callable[[str, int], list[int]]:
    """A tantivy index in memory in one segment; searches for any of the words."""
    import tantivy

    schema = (
        tantivy.SchemaBuilder()
        .add_integer_field("row", stored=False, fast=True)
        .add_text_field("text", tokenizer_name="en_stem", index_option="freq")
        .build()
    )
    index = tantivy.Index(schema)
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for row, text in enumerate(texts):
        writer.add_document(tantivy.Document(row=row, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(question: str, limit: int) -> list[int]:
        query = index.parse_query(question, ["text"])
        hits = searcher.search(query, limit, count=False).hits
        return searcher.fast_field_values("row", [address for _, address in hits])

    return search


def txtai(folder: Path, world: World, stack: ExitStack) -> Search:
    """`hybrid: true`, ids only: it is faster so than when it returns texts."""
    from txtai import Embeddings

    known = Known(world)

    # A plain function: txtai takes any other callable, a bound method too, for a class to be made.
    def transform(texts: list[str]) -> np.ndarray:
        return known.embed_documents(texts)

    index = Embeddings(method="external", transform=transform, hybrid=True, content=False)
    stack.callback(index.close)
    index.index(enumerate(world.texts))
    return lambda number: index.search(world.questions[number], LIMIT)


def lance(folder: Path, world: World, stack: ExitStack) -> Search:
    """A hybrid query with the RRF reranker over a table on disk with an FTS index; vectors are searched exactly."""
    import lancedb
    import pyarrow as pa
    from lancedb.rerankers import RRFReranker

    flat = pa.array(world.vectors.reshape(-1))
    rows = pa.table(
        {"text": world.texts, "vector": pa.FixedSizeListArray.from_arrays(flat, world.vectors.shape[1])}
    )
    table = lancedb.connect(folder / "lancedb").create_table("rows", rows)
    table.create_fts_index("text")
    reranker = RRFReranker()

    def search(number: int) -> object:
        return (
            table.search(query_type="hybrid")
            .vector(world.question_vectors[number])
            .text(world.questions[number])
            .rerank(reranker)
            .limit(LIMIT)
            .to_list()
        )

    return search


def chroma(folder: Path, world: World, stack: ExitStack) -> Search:
    """Vectors alone, its only local search, over its HNSW index with the settings that it comes with."""
    import chromadb

    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.create_collection("rows", embedding_function=None)
    for start in range(0, len(world.texts), BATCH):
        texts = world.texts[start : start + BATCH]
        ids = [str(start + place) for place in range(len(texts))]
        collection.add(ids=ids, documents=texts, embeddings=world.vectors[start : start + BATCH])
    return lambda number: collection.query(
        query_embeddings=world.question_vectors[number : number + 1], n_results=LIMIT
    )


def yantrikdb(folder: Path, world: World, stack: ExitStack) -> Search:
    """`recall` of text and vector, without reinforcing."""
    database = yantrikdb_filled(folder / "yantrik.db", world)
    stack.callback(database.close)
    vectors = world.question_vectors.tolist()
    return lambda number: database.recall(
        query=world.questions[number], query_embedding=vectors[number], top_k=LIMIT, skip_reinforce=True
    )


def yantrikdb_filled(path: Path, world: World) -> Any:
    """A YantrikDB with all of a world's texts; it refuses writes that come faster than it indexes."""
    import yantrikdb

    database = yantrikdb.YantrikDB(str(path), embedding_dim=world.vectors.shape[1])
    for text, vector in zip(world.texts, world.vectors.tolist(), strict=True):
        while True:
            try:
                database.record(text, embedding=vector)
                break
            except yantrikdb.Backpressure:
                time.sleep(0.05)
    return database


def langgraph(folder: Path, world: World, stack: ExitStack) -> Search:
    """LangGraph's SQLite store: vectors alone, by sqlite-vec."""
    from langgraph.store.sqlite import SqliteStore

    known = Known(world)
    index = {
        "dims": world.vectors.shape[1],
        "embed": lambda texts: known.embed_documents(texts).tolist(),
        "fields": ["text"],
    }
    store = stack.enter_context(SqliteStore.from_conn_string(str(folder / "langgraph.db"), index=index))
    store.setup()
    for place, text in enumerate(world.texts):
        store.put(("rows",), str(place), {"text": text})
    return lambda number: store.search(("rows",), query=world.questions[number], limit=LIMIT)


def mempalace(folder: Path, world: World, stack: ExitStack) -> Search:
    """`search_memories` over drawers, with its default candidates."""
    from mempalace import embedding
    from mempalace.palace import get_collection
    from mempalace.searcher import search_memories

    known = Known(world)

    class Given(embedding._build_ef_class()):
        def __call__(self, input: list[str]) -> list:  # noqa: A002 - Chroma calls it by this name
            return list(known.embed_documents(list(input)))

    given = Given()
    embedding.get_embedding_function = lambda device=None, model=None: given
    palace = str(folder / "palace")
    drawers = get_collection(palace, create=True)
    for start in range(0, len(world.texts), MEMPALACE_BATCH):
        texts = world.texts[start : start + MEMPALACE_BATCH]
        about = {"wing": "bench", "room": "bench", "source_file": "bench"}
        drawers.upsert(
            ids=[str(start + place) for place in range(len(texts))],
            documents=texts,
            metadatas=[{**about, "chunk_index": start + place} for place in range(len(texts))],
        )

    def search(number: int) -> object:
        found = search_memories(world.questions[number], palace, n_results=LIMIT)
        if "error" in found:
            raise RuntimeError(found["error"])
        return found

    return search


#: Name, module, package, how it is set up, and up to how many texts it is measured.
PEERS = (
    ("composite", "faiss", "faiss-cpu", composite, 1_000_000),
    ("txtai hybrid", "txtai", "txtai", txtai, 1_000_000),
    ("LanceDB hybrid", "lancedb", "lancedb", lance, 1_000_000),
    ("Chroma (vectors alone)", "chromadb", "chromadb", chroma, 20_000),
    ("YantrikDB", "yantrikdb", "yantrikdb", yantrikdb, 20_000),
    ("MemPalace", "mempalace", "mempalace", mempalace, 20_000),
    ("LangGraph SQLite (vectors alone)", "langgraph.store", "langgraph-checkpoint-sqlite", langgraph, 20_000),
)


def measure(folder: Path, world: World, *, peers: bool) -> list[timing.Row]:
    """Hybrid recall of ten, with the question's vector at hand."""
    count = len(world.texts)
    what = f"hybrid recall, {count:,} {'real ' if world.is_real else ''}episodes"
    missing = []
    with ExitStack() as stack:
        calls = {"bardo": ours(folder, world, stack)}
        versions = {"bardo": bardo.__version__}
        for name, module, package, build, most in PEERS if peers else ():
            if count > most:
                continue
            if util.find_spec(module.partition(".")[0]) is None:
                missing.append(timing.Row(what, name, note=f"{package} is not installed"))
                continue
            versions[name] = f"{package} {metadata.version(package)}"
            try:
                calls[name] = build(folder, world, stack)
            except Exception as error:
                reason = f"{versions[name]} cannot run here: {type(error).__name__}: {error}"
                missing.append(timing.Row(what, name, note=reason[:200]))
        numbers = [int(number) for number in np.arange(len(world.questions))]
        medians = timing.both_ways(calls, numbers)
    return timing.rows_of_both(what, medians, bars=BARS.get(count), notes=versions) + missing
