"""mem0 with `infer=False`: no language model. Its hand-over is what its own search finds for a list of queries."""

from __future__ import annotations

from collections.abc import Sequence

from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, Verdict, asked
from quality.data import Corpus, Question, Turn
from quality.systems.mem0 import Mem0

#: Microseconds between two turns.
STEP = 60_000_000


class Store:
    """A store of mem0 that answers."""

    def __init__(self, lines: Sequence[str], roles: Sequence[str], bench: Bench) -> None:
        self.lines = lines
        self.mem0 = Mem0(bench.embedder)
        turns = tuple(
            Turn(str(place), line, "", role, place * STEP, "life")
            for place, (line, role) in enumerate(zip(lines, roles, strict=True))
        )
        if turns:
            self.mem0.index(Corpus("life", turns, ()))

    def answer(self, query: str) -> Sequence[str]:
        return self.search(query, PASSAGES)

    def search(self, query: str, limit: int) -> Sequence[str]:
        """Texts that mem0's hybrid search finds, best first."""
        if not self.lines:
            return []
        found = self.mem0.search(Question(query, frozenset(), frozenset(), "", 0), limit)
        return [self.lines[int(place)] for place in found]

    def gate(self, action: str) -> Verdict:
        return "allow"

    def close(self) -> None:
        self.mem0.close()


class Exported:
    """mem0, asked for a hand-over."""

    name = "mem0 (infer=False)"

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._store: Store | None = None

    def live(self, life: Life) -> None:
        self.close()
        roles = [str(event.fields.get("role", "agent")) for event in life.events]
        self._store = Store(life.log, roles, self._bench)

    def hand_over(self, tokens: int) -> HandOver:
        assert self._store is not None
        return HandOver(asked(self._store.search, tokens))

    def heir(self, handed: HandOver) -> Store:
        lines = handed.text.splitlines()
        return Store(lines, ["user"] * len(lines), self._bench)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def build(bench: Bench) -> list[Exported]:
    """The systems of this file."""
    return [Exported(bench)]
