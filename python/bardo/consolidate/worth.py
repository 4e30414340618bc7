"""Sentences worth keeping as facts, by a logistic regression over their grammar and their vectors (`worth.json`).

The regression is fitted by `benches/python/knowledge/fit_worth.py` on chats whose facts people labelled. Without
vectors of the model that it was fitted with, grammar alone decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bardo._weights import read_weights
from bardo.consolidate.sentence import Sentence
from bardo.model import Fingerprint
from bardo.ports import Vectors

#: Minimum score of a sentence that is kept: by grammar and vector, and by grammar alone.
LEAST_BOTH, LEAST_GRAMMAR = 0.6, 0.6


def worth(
    sentences: Sequence[Sentence], vectors: Vectors | None, fingerprint: Fingerprint | None
) -> list[float]:
    """Worth of each sentence: 0 or more if it is worth keeping.

    Args:
        sentences: Sentences that state something.
        vectors: Their vectors, shape (len(sentences), dims); None without an embedder.
        fingerprint: Model of the vectors.
    """
    weights = read_weights("bardo.consolidate", "worth.json")
    is_fitted = fingerprint is not None and bool(weights["model"]) and fingerprint.model == weights["model"]
    usable = vectors if is_fitted else None
    table: Mapping[str, float] = weights["grammar" if usable is None else "both"]
    scores = [
        table["bias"] + sum(table.get(name, 0.0) * value for name, value in sentence.features.items())
        for sentence in sentences
    ]
    if usable is not None and sentences:
        scores = list(np.asarray(scores) + np.asarray(usable, dtype=np.float64) @ weights["vector"])
    least = LEAST_GRAMMAR if usable is None else LEAST_BOTH
    return [float(score) - least for score in scores]
