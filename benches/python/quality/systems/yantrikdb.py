"""YantrikDB's `record` and `recall` with the given vectors and each turn's own time, as it documents for history.

It asks for 40 and keeps the first: its documentation measures that as better than asking for few. `expand_entities`
follows its graph, the default of `recall_text`; recall does not reinforce, so that questions do not depend on order.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import yantrikdb

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken

#: Minimum that its documentation asks for.
ASKED = 40


class YantrikDb:
    """A database file per corpus.

    Args:
        embedder: The model.
        dated: Whether turns are recorded at the time they were said, or now.
    """

    version = metadata.version("yantrikdb")

    def __init__(self, embedder: Embedder, *, dated: bool) -> None:
        self.name = "YantrikDB" if dated else "YantrikDB, recorded as of now"
        self._embedder = embedder
        self._dated = dated
        self._folder: Path | None = None

    def index(self, corpus: Corpus) -> None:
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="bardo-yantrikdb-"))
        dims = self._embedder.fingerprint.dims
        self._database = yantrikdb.YantrikDB(str(self._folder / "memory.db"), embedding_dim=dims)
        texts = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        vectors = self._embedder.embed_documents(texts)
        self._turn = {}
        for turn, text, vector in zip(corpus.turns, texts, vectors, strict=True):
            moment = turn.at / 1e6 if self._dated else None
            self._turn[self._record(text, vector.tolist(), moment)] = turn.id

    def _record(self, text: str, vector: list[float], moment: float | None) -> str:
        while True:
            try:
                return self._database.record(text, embedding=vector, created_at=moment)
            except yantrikdb.Backpressure:
                # It refuses writes that come faster than it indexes, and says so.
                time.sleep(0.05)

    def search(self, question: Question, limit: int) -> Sequence[str]:
        vector = self._embedder.embed_queries([question.text])[0]
        found = self._database.recall(
            query=question.text,
            query_embedding=vector.tolist(),
            top_k=max(limit, ASKED),
            expand_entities=True,
            skip_reinforce=True,
        )
        return [self._turn[hit["rid"]] for hit in found if hit["rid"] in self._turn][:limit]

    def close(self) -> None:
        if self._folder is not None:
            self._database.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [YantrikDb(embedder, dated=True), YantrikDb(embedder, dated=False)]
