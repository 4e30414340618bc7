"""Hits, positions and reports of the LanceDB index."""

from __future__ import annotations

from dataclasses import dataclass

from bardo._printed import printed
from bardo.model import Episode
from bardo.ports import Vectors


@dataclass(frozen=True, slots=True)
class LanceHit:
    """Hit of the index.

    Args:
        episode: Episode without payload and affect, which only the log holds.
        score: Cosine, BM25 score, or fused relevance: higher is better, comparable within one answer only.
        vector: Vector of the whole text, float32 of shape (dims,), if requested and stored.
    """

    episode: Episode
    score: float
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class IndexPosition:
    """Position of the index.

    Args:
        seq: Number of the last arrival in the index; 0 if it is empty.
        tick: Latest tick in the index.
    """

    seq: int = 0
    tick: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Report of a `sync`.

    Args:
        appended: Number of appended episodes.
        embedded: Number of existing rows that got their vector.
        annotated: Number of rows whose verification or importance changed.
        without_vector: Number of rows without a vector; they are found by their words alone.
        compacted: Whether fragments were merged and old versions removed.
    """

    appended: int
    embedded: int
    annotated: int
    without_vector: int
    compacted: bool

    __str__ = printed
