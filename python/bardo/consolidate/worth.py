"""Clauses worth keeping as facts, by a logistic regression over their grammar and their vectors (`worth.json`).

The regression is fitted by `benches/python/knowledge/fit_worth.py` on chats whose facts people labelled. Without
vectors of the model that it was fitted with, grammar alone decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from bardo.consolidate.clause import Clause
from bardo.model import Fingerprint
from bardo.ports import Vectors

#: Minimum score of a clause that is kept: by grammar and vector, and by grammar alone.
LEAST_BOTH, LEAST_GRAMMAR = 1.1, 1.4


def worth_keeping(
    clauses: Sequence[Clause], vectors: Vectors | None, fingerprint: Fingerprint | None
) -> list[bool]:
    """Whether each clause is worth keeping.

    Args:
        clauses: Clauses that can stand alone.
        vectors: Vectors of their sentences, shape (len(clauses), dims); None without an embedder.
        fingerprint: Model of the vectors.
    """
    weights = _weights()
    is_fitted = fingerprint is not None and bool(weights["model"]) and fingerprint.model == weights["model"]
    usable = vectors if is_fitted else None
    table: Mapping[str, float] = weights["grammar" if usable is None else "both"]
    scores = [
        table["bias"] + sum(table.get(name, 0.0) * value for name, value in clause.features.items())
        for clause in clauses
    ]
    if usable is not None and clauses:
        scores = list(
            np.asarray(scores) + np.asarray(usable, dtype=np.float64) @ np.asarray(weights["vector"])
        )
    least = LEAST_GRAMMAR if usable is None else LEAST_BOTH
    return [bool(score >= least) for score in scores]


@cache
def _weights() -> Mapping[str, Any]:
    """The fitted weights."""
    text = resources.files("bardo.consolidate").joinpath("worth.json").read_text(encoding="utf-8")
    weights: Mapping[str, Any] = json.loads(text)
    return weights
