"""txtai with `hybrid: true`, as its documentation has it: BM25 and vectors, normalised and summed with equal weights.

The vectors come through its `external` method, so that the model is the same as every other system's.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata

import numpy as np
from txtai import Embeddings

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken


class TxtAi:
    """An in-memory index per corpus."""

    name = "txtai hybrid"
    version = metadata.version("txtai")

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asking = False

    def _vectors(self, texts: Sequence[str]) -> np.ndarray:
        embed = self._embedder.embed_queries if self._asking else self._embedder.embed_documents
        return embed(list(texts))

    def index(self, corpus: Corpus) -> None:
        self.close()
        embed = self._vectors

        # A plain function: txtai takes any other callable, a bound method too, for a class to be made.
        def transform(texts: Sequence[str]) -> np.ndarray:
            return embed(texts)

        self._index = Embeddings(method="external", transform=transform, hybrid=True, content=False)
        self._index.index((turn.id, spoken(turn.speaker, turn.text), None) for turn in corpus.turns)

    def search(self, question: Question, limit: int) -> Sequence[str]:
        self._asking = True
        try:
            return [turn for turn, _ in self._index.search(question.text, limit)]
        finally:
            self._asking = False

    def close(self) -> None:
        self._index = None


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [TxtAi(embedder)]
