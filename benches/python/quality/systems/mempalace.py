"""MemPalace: drawers in its collection, searched by `search_memories` with stop words of English.

A turn is a drawer, cut into chunks where it is longer than the configured chunk size, as its own tool for filing
content does; a third variant leaves turns whole, as the other systems have them. Both of its strategies for candidates
are measured: `vector`, the default, and `union`, which adds what its words find. Its default model is all-MiniLM-L6-v2
through Chroma, downloaded on first use: the same model's vectors are handed to it instead.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

from mempalace import embedding
from mempalace.config import MempalaceConfig
from mempalace.palace import get_collection
from mempalace.searcher import search_memories

from bardo.ports import Embedder
from quality.data import Corpus, Question, Turn
from quality.metrics import first_of_each
from quality.systems import System, spoken

#: Drawers of one `upsert`.
BATCH = 500
#: Chunks asked for each turn that is wanted: a turn may be found by several.
CHUNKS_PER_TURN = 3


def _given_vectors(embedder: Embedder) -> object:
    """Its own embedding function, with the inference replaced."""

    class Given(embedding._build_ef_class()):
        def __call__(self, input: Sequence[str]) -> list:  # noqa: A002 - Chroma calls it by this name
            texts = list(input)
            embed = embedder.embed_queries if len(texts) == 1 else embedder.embed_documents
            return list(embed(texts))

    return Given()


class MemPalace:
    """A palace per corpus.

    Args:
        embedder: The model.
        strategy: `vector` or `union`.
        chunked: Whether long turns are cut.
    """

    version = metadata.version("mempalace")

    def __init__(self, embedder: Embedder, strategy: str, *, chunked: bool = True) -> None:
        self.name = f"MemPalace, {strategy}{'' if chunked else ', whole turns'}"
        self._chunked = chunked
        self._strategy = strategy
        self._folder: Path | None = None
        given = _given_vectors(embedder)
        embedding.get_embedding_function = lambda device=None, model=None: given

    def index(self, corpus: Corpus) -> None:
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="bardo-mempalace-"))
        size = MempalaceConfig().chunk_size if self._chunked else sys.maxsize
        # LongMemEval has sessions that come twice; ids of its turns are not unique.
        self._turns = {f"turn_{place}": turn.id for place, turn in enumerate(corpus.turns)}
        drawers = [
            drawer
            for place, turn in enumerate(corpus.turns)
            for drawer in _drawers(f"turn_{place}", turn, size)
        ]
        collection = get_collection(str(self._folder), create=True)
        for start in range(0, len(drawers), BATCH):
            ids, texts, metadatas = zip(*drawers[start : start + BATCH], strict=True)
            collection.upsert(ids=list(ids), documents=list(texts), metadatas=list(metadatas))

    def search(self, question: Question, limit: int) -> Sequence[str]:
        found = search_memories(
            question.text,
            str(self._folder),
            n_results=limit * CHUNKS_PER_TURN,
            candidate_strategy=self._strategy,
            lang="en",
        )
        if "error" in found:
            raise RuntimeError(found["error"])
        return first_of_each([self._turns[hit["drawer_id"]] for hit in found["results"]])[:limit]

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def _drawers(drawer: str, turn: Turn, size: int) -> list[tuple[str, str, dict]]:
    text = spoken(turn.speaker, turn.text)
    common = {
        "wing": "conversations",
        "room": turn.session,
        "source_file": turn.session,
        "added_by": "bench",
        "filed_at": datetime.fromtimestamp(turn.at / 1e6, UTC).isoformat(),
    }
    if len(text) <= size:
        return [(drawer, text, {**common, "chunk_index": 0})]
    return [
        (
            f"{drawer}_chunk_{place:06d}",
            text[start : start + size],
            {**common, "chunk_index": place, "parent_drawer_id": drawer},
        )
        for place, start in enumerate(range(0, len(text), size))
    ]


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [
        MemPalace(embedder, "vector"),
        MemPalace(embedder, "union"),
        MemPalace(embedder, "vector", chunked=False),
    ]
