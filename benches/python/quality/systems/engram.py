"""engram-search's pipeline: dense and BM25 rankings of all documents, names, quotes and dates, fused by RRF.

Its default model (bge-large) and its cross-encoder cannot be had offline: it runs with the vectors given and without
the reranker, which its documentation calls optional. A document is a turn, with its date, and the question has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata

import numpy as np
from engram.backends.base import Document
from engram.retrieval.pipeline import RetrievalPipeline

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken


class Queries:
    """The side of its embedder that the pipeline calls."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def encode_query(self, text: str) -> np.ndarray:
        return self._embedder.embed_queries([text])[0]


class Engram:
    """A list of documents per corpus."""

    name = "engram-search"
    version = metadata.version("engram-search")

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._pipeline = RetrievalPipeline(embedder=Queries(embedder), use_reranker=False)

    def index(self, corpus: Corpus) -> None:
        texts = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        vectors = self._embedder.embed_documents(texts)
        self._documents = [
            Document(id=turn.id, text=text, embedding=vector, metadata={"timestamp": _day(turn.at)})
            for turn, text, vector in zip(corpus.turns, texts, vectors, strict=True)
        ]

    def search(self, question: Question, limit: int) -> Sequence[str]:
        found = self._pipeline.search(
            question.text, self._documents, top_k=limit, question_date=_day(question.at)
        )
        return [document.id for document in found]

    def close(self) -> None:
        self._documents = []


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d")


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [Engram(embedder)]
