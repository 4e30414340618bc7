"""What bardo asks of the outside: a clock, an embedder, a listener. Any object of this shape will do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bardo.model import Fingerprint

Vectors = npt.NDArray[np.float32]


class Clock(Protocol):
    """Tells the wall clock."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC."""
        return time.time_ns() // 1_000


class ManualClock:
    """A clock that stands still until it is moved: for tests, replays and simulations."""

    def __init__(self, now: int = 0) -> None:
        self._now = now

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC, as last set."""
        return self._now

    def set(self, now: int) -> None:
        """Moves the clock to `now`, in microseconds since the epoch."""
        self._now = now

    def advance(self, seconds: float) -> None:
        """Moves the clock forward."""
        self._now += round(seconds * 1_000_000)


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity of the model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that will be searched, float32 of shape (len(texts), dims), each of length 1."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to search with, float32 of shape (len(texts), dims), each of length 1."""
        ...


class Progress(Protocol):
    """Told how far a long work has come."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` items of a named stage are ready; a total that is not known yet grows."""
        ...


def quiet(stage: str, done: int, total: int) -> None:
    """A progress that tells nobody."""
