"""Sentences worth keeping as facts: a logistic regression over their grammar and vectors, and a cross-encoder.

The regression (`worth.json`) is fitted by `benches/python/knowledge/fit_worth.py` on chats whose facts people labelled,
the cross-encoder by `fit_worth_reader.py` on the same. Without the cross-encoder the regression decides, and without
vectors of the model that it was fitted with, grammar alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bardo._weights import read_weights
from bardo.consolidate.texts.sentence import Sentence
from bardo.model import Fingerprint
from bardo.ports import Vectors

if TYPE_CHECKING:
    from bardo.consolidate.cross_encoder import CrossEncoder

#: Minimum score of a sentence that is kept: by grammar and vector, by grammar alone, and with the cross-encoder.
LEAST_BOTH, LEAST_GRAMMAR, LEAST_READ = 0.6, 0.6, 1.2
#: Share of the log odds by the cross-encoder in the score of a sentence, beside those by the regression.
READ_SHARE = 0.45


def worth(
    sentences: Sequence[Sentence],
    vectors: Vectors | None,
    fingerprint: Fingerprint | None,
    encoder: CrossEncoder | None = None,
    text: str = "",
) -> list[float]:
    """Worth of each sentence: 0 or more if it is worth keeping.

    Args:
        sentences: Sentences that state something.
        vectors: Their vectors, shape (len(sentences), dims); None without an embedder.
        fingerprint: Model of the vectors.
        encoder: Cross-encoder of worth; None without one.
        text: Text in which the sentences stand.
    """
    weights = read_weights("bardo.consolidate.texts", "worth.json")
    is_fitted = fingerprint is not None and bool(weights["model"]) and fingerprint.model == weights["model"]
    usable = vectors if is_fitted else None
    table: Mapping[str, float] = weights["grammar" if usable is None else "both"]
    scores = [
        table["bias"] + sum(table.get(name, 0.0) * value for name, value in sentence.features.items())
        for sentence in sentences
    ]
    if usable is not None and sentences:
        scores = list(np.asarray(scores) + np.asarray(usable, dtype=np.float64) @ weights["vector"])
    if usable is None or encoder is None:
        least = LEAST_GRAMMAR if usable is None else LEAST_BOTH
        return [float(score) - least for score in scores]
    odds = encoder.read([(sentence.before(text), sentence.text) for sentence in sentences])
    return [
        float((1 - READ_SHARE) * score + READ_SHARE * read) - LEAST_READ
        for score, read in zip(scores, odds, strict=True)
    ]
