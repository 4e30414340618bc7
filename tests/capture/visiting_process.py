"""A process that does not own a grimoire: it recalls, lists facts, and drops episodes.

It reads a query per line and answers each with a line, until there are no more.
"""

import json
import sys
from pathlib import Path

import numpy as np

import bardo
from bardo import errors
from bardo.index.embedding import embedders
from bardo.model import Episode


def embed(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(list(text.encode())).normal(size=16) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


folder = Path(sys.argv[1])
model = embedders.from_callable(embed, name="letters")
try:
    bardo.open(folder, embedder=model)
    locked = False
except errors.StoreLockedError:
    locked = True
for number in range(10):
    bardo.drop(folder, Episode(f"dropped {number}", tick=1))
with bardo.visit(folder, embedder=model) as visitor:
    tell(locked=locked, agent=visitor.agent)
    for line in sys.stdin:
        query = json.loads(line)
        found = visitor.recall(query, limit=5)
        tell(
            texts=[memory.text for memory in found],
            layers=[memory.layer for memory in found],
            why=[str(memory.why) for memory in found],
            notes=found.notes,
            facts=[fact.text for fact in visitor.facts.list()],
            tick=visitor.now_tick,
        )
