"""LangGraph's store with vectors. Its hand-over is what its own search finds for a list of queries."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, Verdict, asked

SPACE = ("life",)


class Store:
    """A store with an item per line."""

    def __init__(self, lines: Sequence[str], bench: Bench) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return bench.embedder.embed_documents(list(texts)).tolist()

        dims = bench.embedder.fingerprint.dims
        self._store = InMemoryStore(index={"dims": dims, "embed": embed, "fields": ["text"]})
        self._store.batch(
            [PutOp(SPACE, f"{place:08d}", {"text": line}) for place, line in enumerate(dict.fromkeys(lines))]
        )

    def answer(self, query: str) -> Sequence[str]:
        return self.search(query, PASSAGES)

    def search(self, query: str, limit: int) -> Sequence[str]:
        """Texts of the nearest items, best first."""
        return [item.value["text"] for item in self._store.search(SPACE, query=query, limit=limit)]

    def gate(self, action: str) -> Verdict:
        return "allow"

    def close(self) -> None:
        pass


class Exported:
    """LangGraph's store, asked for a hand-over."""

    name = "LangGraph store"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def live(self, life: Life) -> None:
        self._store = Store(life.log, self._bench)

    def hand_over(self, tokens: int) -> HandOver:
        return HandOver(asked(self._store.search, tokens))

    def heir(self, handed: HandOver) -> Store:
        return Store(handed.text.splitlines(), self._bench)

    def close(self) -> None:
        pass


def build(bench: Bench) -> list[Exported]:
    """The systems of this file."""
    return [Exported(bench)]
