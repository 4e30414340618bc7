"""Systems without a memory: nothing, and parts of the log. Their heirs find passages as bardo's do."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import bardo
from bardo.ports import Embedder
from inherit.lives import Life
from inherit.systems import PASSAGES, Bench, HandOver, cut

#: Damping of the walk over sentences and its number of steps (Erkan and Radev 2004, LexRank).
DAMPING, STEPS = 0.85, 30
#: Cosine from which two lines are neighbours in LexRank.
NEIGHBOURS = 0.3
#: Lines that LexRank compares at once, and at most: a life has some thousands.
BLOCK = 512

Choose = Callable[[Life, int, Embedder], str]


def nothing(life: Life, tokens: int, embedder: Embedder) -> str:
    """Hands nothing over."""
    return ""


def last(life: Life, tokens: int, embedder: Embedder) -> str:
    """Hands the last lines of the log over."""
    lines = cut(life.log[::-1], tokens).splitlines()
    return "\n".join(lines[::-1])


def first(life: Life, tokens: int, embedder: Embedder) -> str:
    """Hands the log over, cut at its length."""
    return cut(life.log, tokens)


def at_random(life: Life, tokens: int, embedder: Embedder) -> str:
    """Drops lines at random until the rest fits."""
    log = life.log
    return cut(random.Random(life.name).sample(log, len(log)), tokens)


def summary(life: Life, tokens: int, embedder: Embedder) -> str:
    """Hands over the most central lines by LexRank, without lines that are told already."""
    log = list(dict.fromkeys(life.log))
    vectors = embedder.embed_documents(log)
    rank = np.full(len(log), 1 / len(log), np.float32)
    blocks = range(0, len(log), BLOCK)
    alike = np.concatenate([vectors[at : at + BLOCK] @ vectors.T >= NEIGHBOURS for at in blocks])
    degree = alike.sum(axis=1, dtype=np.float32)
    for _ in range(STEPS):
        rank = (1 - DAMPING) / len(log) + DAMPING * (alike @ (rank / degree))
    chosen: list[int] = []
    for place in np.argsort(-rank, kind="stable"):
        # Without this step (maximal marginal relevance) the central lines would be copies of one line.
        if not chosen or (vectors[chosen] @ vectors[place]).max() < 0.8:
            chosen.append(int(place))
        if len(chosen) * 8 > tokens:
            break
    return cut([log[place] for place in chosen], tokens)


class Reader:
    """Heir that reads lines of text into a memory of bardo, as plain episodes."""

    def __init__(self, text: str, embedder: Embedder) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="inherit-reader-"))
        self.memory = bardo.open(self.folder / "heir", agent="heir", embedder=embedder)
        if lines := [line for line in text.splitlines() if line.strip()]:
            self.memory.remember([{"text": line} for line in lines])

    def answer(self, query: str) -> Sequence[str]:
        return [memory.text for memory in self.memory.recall(query, limit=PASSAGES)]

    def refuses(self, action: str) -> bool:
        return False

    def close(self) -> None:
        self.memory.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Log:
    """System that hands over a part of the log."""

    def __init__(self, name: str, choose: Choose, bench: Bench) -> None:
        self.name, self._choose, self._embedder = name, choose, bench.embedder

    def live(self, life: Life) -> None:
        self._life = life

    def hand_over(self, tokens: int) -> HandOver:
        return HandOver(self._choose(self._life, tokens, self._embedder))

    def heir(self, handed: HandOver) -> Reader:
        return Reader(handed.text, self._embedder)

    def close(self) -> None:
        pass


def build(bench: Bench) -> list[Log]:
    """The systems of this file."""
    return [
        Log("nothing", nothing, bench),
        Log("random lines", at_random, bench),
        Log("last lines", last, bench),
        Log("log, cut", first, bench),
        Log("summary (LexRank)", summary, bench),
    ]
