"""Hits, positions and reports of the LanceDB index."""

from __future__ import annotations

from dataclasses import dataclass

from bardo.model import Episode
from bardo.ports import Vectors


@dataclass(frozen=True, slots=True)
class LanceHit:
    """A hit of the index.

    Args:
        episode: Without payload and affect, which only the log holds.
        score: Cosine, BM25 score, or fused relevance: higher is better, comparable within one answer only.
        vector: Of the whole text, float32 of shape (dims,), if it was asked for and is there.
    """

    episode: Episode
    score: float
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class IndexPosition:
    """How far the index has come.

    Args:
        seq: Number of the last arrival in it; 0 if it is empty.
        tick: The latest tick in it.
    """

    seq: int = 0
    tick: int = 0


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Report of a `sync`.

    Args:
        appended: Episodes added.
        embedded: Rows that were there without a vector and have one now.
        annotated: Rows whose verification or importance changed.
        without_vector: Rows that still have no vector; they are found by their words alone.
        compacted: Whether fragments were merged and old versions removed.
    """

    appended: int
    embedded: int
    annotated: int
    without_vector: int
    compacted: bool
