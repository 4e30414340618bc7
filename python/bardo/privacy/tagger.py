"""Finds secrets of any form by a linear model over tokens, their shapes and the words beside them.

The weights are fitted on labelled lines, `benches/python/privacy`; the features are the core's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bardo._core import SecretTagger

#: Start, end and kind of a span.
Found = tuple[int, int, str]
FILE = Path(__file__).with_name("secrets.npz")
#: Probability of a token that is a secret, and of one beside it that belongs to it.
ALONE, BESIDE = 0.45, 0.2


def secrets(text: str) -> Iterator[Found]:
    """Finds the secrets that a text tells, in order and apart."""
    yield from ((start, end, "secret") for start, end in _tagger().secrets(text, ALONE, BESIDE))


@cache
def _tagger() -> SecretTagger:
    import numpy as np

    with np.load(FILE) as table:
        return SecretTagger(table["weights"].tobytes(), float(table["scale"]))
