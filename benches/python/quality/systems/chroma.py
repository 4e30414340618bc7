"""Chroma's local collection: cosine over its HNSW index, vectors given. Its hybrid search exists in its cloud only."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import chromadb
from chromadb.config import Settings

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken

#: Rows of one `add`; Chroma refuses batches over its own limit of about 5,400.
BATCH = 1_000
#: Effort of search and construction: so high that the index finds what an exact search would.
EFFORT = 400


class Chroma:
    """A collection per corpus in an ephemeral client."""

    name = "Chroma"
    version = chromadb.__version__

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
        self._collection = None

    def index(self, corpus: Corpus) -> None:
        self.close()
        self._collection = self._client.create_collection(
            f"turns-{uuid.uuid4().hex}",
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": EFFORT, "ef_construction": EFFORT}},
        )
        texts = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        vectors = self._embedder.embed_documents(texts)
        for start in range(0, len(texts), BATCH):
            part = slice(start, start + BATCH)
            places = [str(start + place) for place in range(len(texts[part]))]
            self._collection.add(ids=places, documents=texts[part], embeddings=vectors[part])
        # LongMemEval has sessions that come twice; ids of its turns are not unique.
        self._turns = [turn.id for turn in corpus.turns]

    def search(self, question: Question, limit: int) -> Sequence[str]:
        found = self._collection.query(
            query_embeddings=self._embedder.embed_queries([question.text]), n_results=limit
        )
        return [self._turns[int(place)] for place in found["ids"][0]]

    def close(self) -> None:
        if self._collection is not None:
            self._client.delete_collection(self._collection.name)
            self._collection = None


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [Chroma(embedder)]
