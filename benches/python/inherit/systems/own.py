"""bardo: a testament of so many tokens, and the heir that inherits it."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import bardo
from bardo import Grimoire
from bardo.bequeath.testament import testament
from inherit.arms import LifeClock, Plain, configured, live_whole
from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, Verdict


class Heir:
    """Heir of a testament."""

    def __init__(self, memory: Grimoire, embedder: object) -> None:
        self._memory = memory
        self._door = bardo.gate(memory.path, embedder=embedder)

    def answer(self, query: str) -> Sequence[str]:
        return [memory.text for memory in self._memory.recall(query, limit=PASSAGES)]

    def gate(self, action: str) -> Verdict:
        return self._door.before(action).decision

    def close(self) -> None:
        self._door.close()
        self._memory.close()


class Bardo:
    """An agent with a memory of bardo."""

    name = "bardo"

    def __init__(self, bench: Bench) -> None:
        self._embedder, self._lived = bench.embedder, bench.lived
        self._folder: Path | None = None

    def live(self, life: Life) -> None:
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="inherit-bardo-"))
        self._life, self._clock = life, LifeClock()
        live_whole(life, self._folder / "ancestor", self._clock, Plain(self._embedder), self._lived)

    def hand_over(self, tokens: int) -> HandOver:
        assert self._folder is not None
        # A life ends once, so each limit gets a copy of the folder.
        name = f"ancestor-{tokens}"
        shutil.copytree(self._folder / "ancestor", self._folder / name)
        path = self._folder / f"{name}.testament"
        with warnings.catch_warnings(action="ignore"), self._open(name, tokens) as memory:
            memory.bequeath(path, cause="age")
        return HandOver(testament.read(path).markdown, path)

    def heir(self, handed: HandOver) -> Heir:
        assert handed.file is not None
        folder = handed.file.with_suffix(".heir")
        with warnings.catch_warnings(action="ignore"):
            memory = bardo.inherit(handed.file, folder, clock=self._clock, embedder=self._embedder)
        return Heir(memory, self._embedder)

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _open(self, name: str, tokens: int) -> Grimoire:
        assert self._folder is not None
        return bardo.open(
            self._folder / name, agent="ancestor", clock=self._clock, embedder=Plain(self._embedder),
            config=configured(self._life, tokens),
        )  # fmt: skip


def build(bench: Bench) -> list[Bardo]:
    """The systems of this file."""
    return [Bardo(bench)]
