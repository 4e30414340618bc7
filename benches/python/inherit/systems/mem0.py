"""mem0 with `infer=False`: no language model. Its hand-over are the latest memories that it exports."""

from __future__ import annotations

from collections.abc import Sequence

from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, cut
from quality.data import Corpus, Question, Turn
from quality.systems.mem0 import USER, Mem0

#: Memories that one export may have.
EXPORTED = 100_000
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
        if not self.lines:
            return []
        found = self.mem0.search(Question(query, frozenset(), frozenset(), "", 0), PASSAGES)
        return [self.lines[int(place)] for place in found]

    def export(self) -> list[str]:
        """Texts of all memories, the latest first."""
        found = self.mem0._memory.get_all(filters={"user_id": USER}, top_k=EXPORTED)["results"]
        return [one["memory"] for one in sorted(found, key=lambda one: one["created_at"], reverse=True)]

    def refuses(self, action: str) -> bool:
        return False

    def close(self) -> None:
        self.mem0.close()


class Exported:
    """mem0, whose export is cut to length."""

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
        return HandOver(cut(self._store.export(), tokens))

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
