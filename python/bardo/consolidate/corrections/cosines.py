"""Cosines of a sentence with others, by the vectors of the embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bardo.model import Fingerprint
from bardo.ports import Vectors


def cosines(
    embed: Callable[[Sequence[str]], tuple[Vectors, Fingerprint] | tuple[None, None]],
    sentence: str,
    others: Sequence[str],
) -> list[float]:
    """Cosines of a sentence with others; 0 without an embedder.

    Args:
        embed: Embeds texts; returns None while the model is not available.
        sentence: Sentence.
        others: Sentences that it is compared with.
    """
    vectors, _ = embed([sentence, *others])
    if vectors is None:
        return [0.0] * len(others)
    table = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(table, axis=1)
    lengths[lengths == 0] = 1.0
    table /= lengths[:, None]
    return [float(value) for value in table[1:] @ table[0]]
