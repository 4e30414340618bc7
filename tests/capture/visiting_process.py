"""What a process that does not own a grimoire may do with it: read facts and LanceDB, and drop episodes."""

import json
import sys
from pathlib import Path

import numpy as np

import bardo
from bardo import errors
from bardo._core import FactStore
from bardo.index import embedders
from bardo.index.lance import LanceIndex
from bardo.model import Episode


def embed(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(list(text.encode())).normal(size=16) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


folder = Path(sys.argv[1])
model = embedders.from_callable(embed, name="letters")
try:
    bardo.open(folder, embedder=model)
    locked = False
except errors.StoreLockedError:
    locked = True
facts = FactStore(str(folder / "facts.db"), agent="agent", seed=2)
known = [fact.text for fact in facts.list()]
facts.close()
for number in range(10):
    bardo.drop(folder, Episode(f"dropped {number}", tick=1))
index = LanceIndex(folder / "index.lance", agent="agent", fingerprint=model.fingerprint, reader=True)
found = index.search_vector(embed(["the owner saw event 7"])[0], 1)
print(json.dumps({"locked": locked, "facts": known, "found": found[0].episode.text}))  # noqa: T201
