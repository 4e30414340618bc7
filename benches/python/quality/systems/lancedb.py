"""LanceDB's hybrid search as its documentation sets it up: an FTS index with stemming and stop words removed (its
defaults), exact vectors, both arms fused by `RRFReranker`. It embeds nothing itself here: the vectors are given.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence

import lancedb
from lancedb.rerankers import RRFReranker

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken


class LanceDb:
    """A table per corpus."""

    name = "LanceDB hybrid (RRF)"
    version = lancedb.__version__

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folder: str | None = None

    def index(self, corpus: Corpus) -> None:
        self.close()
        self._folder = tempfile.mkdtemp(prefix="bardo-lancedb-")
        texts = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        vectors = self._embedder.embed_documents(texts)
        rows = [
            {"turn": turn.id, "text": text, "vector": vector}
            for turn, text, vector in zip(corpus.turns, texts, vectors, strict=True)
        ]
        self._table = lancedb.connect(self._folder).create_table("turns", rows)
        self._table.create_fts_index("text", language="English", stem=True, remove_stop_words=True)

    def search(self, question: Question, limit: int) -> Sequence[str]:
        rows = (
            self._table.search(query_type="hybrid")
            .vector(self._embedder.embed_queries([question.text])[0])
            .text(question.text)
            .distance_type("cosine")
            .rerank(RRFReranker())
            .limit(limit)
            .to_list()
        )
        return [row["turn"] for row in rows][:limit]

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [LanceDb(embedder)]
