"""LangGraph's store with vectors. It ranks nothing without a query: its hand-over are the latest items."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, Verdict, cut

SPACE = ("life",)
#: Items that one call reads.
PAGE = 1_000


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
        return [item.value["text"] for item in self._store.search(SPACE, query=query, limit=PASSAGES)]

    def export(self) -> list[str]:
        """Texts of all items, the latest first."""
        items = []
        while page := self._store.search(SPACE, limit=PAGE, offset=len(items)):
            items += page
        return [
            item.value["text"]
            for item in sorted(items, key=lambda item: (item.created_at, item.key), reverse=True)
        ]

    def gate(self, action: str) -> Verdict:
        return "allow"

    def close(self) -> None:
        pass


class Exported:
    """LangGraph's store, whose export is cut to length."""

    name = "LangGraph store"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def live(self, life: Life) -> None:
        self._store = Store(life.log, self._bench)

    def hand_over(self, tokens: int) -> HandOver:
        return HandOver(cut(self._store.export(), tokens))

    def heir(self, handed: HandOver) -> Store:
        return Store(handed.text.splitlines(), self._bench)

    def close(self) -> None:
        pass


def build(bench: Bench) -> list[Exported]:
    """The systems of this file."""
    return [Exported(bench)]
