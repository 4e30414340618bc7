"""Recall straight after an add, as a multiple of the same system's recall with nothing added."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import ExitStack
from importlib import metadata, util
from pathlib import Path
from typing import cast

import bardo
from speed import timing
from speed.hybrid import BATCH, LIMIT, filled
from speed.world import Known, World

BAR = "1.2"


def ours(folder: Path, world: World, stack: ExitStack) -> tuple[Callable, Callable]:
    grimoire = stack.enter_context(filled(folder / "bardo", world))
    known = cast("Known", grimoire._session.embedder)
    # As the others: the added text has the vector of the question, which no model has to compute.
    for number, question in enumerate(world.questions):
        known.learn(f"added {number} {question}", question)
    return (
        lambda number: grimoire.remember(f"added {number} {world.questions[number]}"),
        lambda number: grimoire.recall(world.questions[number], limit=LIMIT),
    )


def chroma(folder: Path, world: World, stack: ExitStack) -> tuple[Callable, Callable]:
    import chromadb

    client = chromadb.PersistentClient(str(folder / "chroma"))
    collection = client.create_collection("rows", embedding_function=None)
    for start in range(0, len(world.texts), BATCH):
        texts = world.texts[start : start + BATCH]
        ids = [str(start + place) for place in range(len(texts))]
        collection.add(ids=ids, documents=texts, embeddings=world.vectors[start : start + BATCH])

    def add(number: int) -> None:
        collection.add(
            ids=[f"added {number}"],
            documents=[world.questions[number]],
            embeddings=world.question_vectors[number : number + 1],
        )

    return add, lambda number: collection.query(
        query_embeddings=world.question_vectors[number : number + 1], n_results=LIMIT
    )


def lance(folder: Path, world: World, stack: ExitStack) -> tuple[Callable, Callable]:
    import lancedb
    from lancedb.rerankers import RRFReranker

    rows = [{"text": text, "vector": vector} for text, vector in zip(world.texts, world.vectors, strict=True)]
    table = lancedb.connect(folder / "lancedb").create_table("rows", rows)
    table.create_fts_index("text")
    reranker = RRFReranker()

    def search(number: int) -> object:
        query = table.search(query_type="hybrid").vector(world.question_vectors[number])
        return query.text(world.questions[number]).rerank(reranker).limit(LIMIT).to_list()

    return (
        lambda number: table.add(
            [{"text": world.questions[number], "vector": world.question_vectors[number]}]
        ),
        search,
    )


PEERS = (("Chroma", "chromadb", chroma), ("LanceDB hybrid", "lancedb", lance))


def measure(folder: Path, world: World, *, peers: bool, rounds: int) -> list[timing.Row]:
    """Each system's median of a recall after an add over its median of a recall after a recall.

    Both are of questions that were not asked before: asked twice, a question finds all that it needs in the caches.
    """
    what = f"recall straight after an add, {len(world.texts):,} episodes"
    rounds = min(rounds, len(world.questions) // 3)
    report = []
    builders = [("bardo", "bardo", ours), *(PEERS if peers else ())]
    with ExitStack() as stack:
        pairs = {}
        for name, module, build in builders:
            if util.find_spec(module) is None:
                report.append(timing.Row(what, name, note="not installed"))
                continue
            pairs[name] = build(folder, world, stack)
        after: dict[str, list[float]] = {name: [] for name in pairs}
        plain: dict[str, list[float]] = {name: [] for name in pairs}
        for number in range(rounds):
            for name, (add, search) in pairs.items():
                search(number)
                plain[name].append(_seconds(search, rounds + number))
                add(2 * rounds + number)
                after[name].append(_seconds(search, 2 * rounds + number))
    modules = {name: module for name, module, _ in PEERS}
    for name in pairs:
        multiple = statistics.median(after[name]) / statistics.median(plain[name])
        version = bardo.__version__ if name == "bardo" else metadata.version(modules[name])
        report.append(
            timing.Row(
                what, name, statistics.median(after[name]),
                bar=BAR if name == "bardo" else "",
                note=f"{version}; {multiple:.2f}x its plain recall",
            )
        )  # fmt: skip
    return report


def _seconds(call: Callable[[int], object], argument: int) -> float:
    started = timing.CPU()
    call(argument)
    return timing.CPU() - started
