"""Metrics of a ranked list against its evidence. A system that fails has an empty list."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def recall_all(ranked: Sequence[str], evidence: Collection[str], depth: int) -> float:
    """Share of the evidence among the first `depth`."""
    return len(set(ranked[:depth]) & set(evidence)) / len(evidence)


def recall_any(ranked: Sequence[str], evidence: Collection[str], depth: int) -> float:
    """1 if any of the evidence is among the first `depth`."""
    return float(bool(set(ranked[:depth]) & set(evidence)))


def complete(ranked: Sequence[str], evidence: Collection[str], depth: int) -> float:
    """1 if all of the evidence is among the first `depth`."""
    return float(set(evidence) <= set(ranked[:depth]))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """One over the rank of the first piece of evidence."""
    return next((1 / rank for rank, item in enumerate(ranked, 1) if item in evidence), 0.0)


def ndcg(ranked: Sequence[str], evidence: Collection[str], depth: int) -> float:
    """Discounted cumulative gain of the first `depth` over the best possible (Järvelin and Kekäläinen 2002)."""
    gain = sum(1 / math.log2(rank + 1) for rank, item in enumerate(ranked[:depth], 1) if item in evidence)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(evidence), depth) + 1))
    return gain / best


def first_of_each(items: Sequence[str]) -> list[str]:
    """The items without repetitions, in order: sessions out of the ranked turns."""
    return list(dict.fromkeys(items))
