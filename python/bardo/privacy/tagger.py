"""Finds secrets of any form by a linear model over tokens, their shapes and the words beside them.

The weights are fitted on labelled lines, `benches/python/privacy`; the features are the core's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bardo._core import SecretTagger

#: Start, end and kind of a span.
Found = tuple[int, int, str]
FILE = Path(__file__).with_name("secrets.npz")
#: Probability of a token that is a secret, and of one beside it that belongs to it.
ALONE, BESIDE = 0.4, 0.2
#: Address on a chain (EIP-55), which everybody may know.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def secrets(text: str) -> Iterator[Found]:
    """Finds the secrets that a text tells, in order and apart."""
    for start, end in _tagger().secrets(text, ALONE, BESIDE):
        if not _ADDRESS.fullmatch(text, start, end):
            yield start, end, "secret"


@cache
def _tagger() -> SecretTagger:
    import numpy as np

    with np.load(FILE) as table:
        return SecretTagger(table["weights"].tobytes(), float(table["scale"]))
