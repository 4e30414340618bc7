"""Embedding models for tests: small, without files, and the same in every process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bardo.index.embedding import embedders

#: Dimensions of the vectors by words.
WORD_DIMS = 32


def letter_vectors(texts: Sequence[str], dims: int = 16) -> np.ndarray:
    """Returns random unit vectors that depend on every letter: equal vectors mean equal texts."""
    rows = [np.random.default_rng(list(text.encode())).normal(size=dims) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def letters(dims: int = 16, name: str = "letters") -> embedders.TextEmbedder:
    """Returns a model of `letter_vectors`."""
    return embedders.function_embedder(lambda texts: letter_vectors(texts, dims), name=name, dims=dims)


def word_vectors(texts: Sequence[str]) -> np.ndarray:
    """Returns sums of a random vector for each word: texts that share words are near."""
    rows = np.zeros((len(texts), WORD_DIMS), np.float32)
    for at, text in enumerate(texts):
        for word in text.lower().split():
            seed = sum(word.encode("utf-8", "replace")) * 31 + len(word)
            rows[at] += np.random.default_rng(seed).standard_normal(WORD_DIMS)
    rows[np.abs(rows).sum(axis=1) == 0] = 1.0
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def length_vectors(texts: Sequence[str]) -> list[list[float]]:
    """Returns one of seven vectors, by the length of the text."""
    return [[float(len(text) % 7), 1.0] for text in texts]


def shape_vectors(texts: Sequence[str]) -> list[list[float]]:
    """Returns vectors by the length of a text and its letters e."""
    return [[1.0, float(len(text)), float(text.count("e"))] for text in texts]


def flat() -> embedders.TextEmbedder:
    """Returns a model that gives every text the same vector."""
    return embedders.function_embedder(lambda texts: [[1.0, 2.0]] * len(texts), name="flat", dims=2)
