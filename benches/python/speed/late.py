"""Measures the cost of late interaction: the tokens of the best hundred candidates and of the turns beside them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import bardo
from bardo._core import RecallSettings
from bardo.model import Episode
from bardo.ports import Tokens
from speed import timing
from speed.world import DIMS, Known, World, unit

#: Turns of a conversation.
TURNS = 40
BATCH = 1_000
BAR = "1.5 ms"
BEGIN, STEP = 1_700_000_000_000_000, 60_000_000


class TokenKnown(Known):
    """`Known` with a vector for each word: its own, bent towards that of the text, as a model's would be."""

    gives_tokens = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._words: dict[str, np.ndarray] = {}

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        return [text]

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[np.ndarray, list[Tokens]]:
        vectors = self.embed_documents(texts)
        return vectors, [self._tokens(text, vector) for text, vector in zip(texts, vectors, strict=True)]

    embed_late_queries = embed_late_documents

    def _tokens(self, text: str, vector: np.ndarray) -> Tokens:
        words = text.split()
        own = np.stack([self._word(word) for word in words])
        return Tokens(words, [1] * len(words), unit(own + 0.5 * vector))

    def _word(self, word: str) -> np.ndarray:
        if word not in self._words:
            chance = np.random.default_rng(zlib.crc32(word.encode()))
            self._words[word] = unit(chance.standard_normal((1, DIMS), np.float32))[0]
        return self._words[word]


def measure(folder: Path, world: World) -> list[timing.Row]:
    """The same searches with and without, in turns; the difference of each pair is what late interaction takes."""
    count = len(world.texts)
    known = TokenKnown(world)
    with bardo.open(folder / "late", embedder=known, durable=False) as grimoire:
        turns = [
            Episode(text, at=BEGIN + place * STEP, role="user", speaker="Ann", session=f"s{place // TURNS}")
            for place, text in enumerate(world.texts)
        ]
        for start in range(0, count, BATCH):
            grimoire.remember(turns[start : start + BATCH])
        grimoire.recall("everything is embedded before the clock starts")
        hot, log = grimoire._session.hot, grimoire._session.log
        settings = {"with": RecallSettings(), "without": RecallSettings(late=0.0)}
        now = BEGIN + count * STEP
        taken: list[float] = []
        whole: list[float] = []
        for question, vector in zip(world.questions, world.question_vectors, strict=True):
            tokens = known._tokens(question, vector)
            given = (list(tokens.words), list(tokens.counts), tokens.vectors)
            passed = {}
            for name, setting in settings.items():
                started = timing.CPU()
                hot.search(
                    question,
                    vector,
                    limit=10,
                    now=now,
                    settings=setting,
                    tokens=given,
                    log=log,
                )
                passed[name] = timing.CPU() - started
            taken.append(passed["with"] - passed["without"])
            whole.append(passed["with"])
    note = f"{bardo.__version__}; a search with it {1e3 * float(np.median(whole)):.2f} ms"
    what = f"late interaction over 100 candidates and their neighbours, {count:,} turns"
    return [timing.Row(what, "bardo", float(np.median(taken)), bar=BAR, note=note)]
