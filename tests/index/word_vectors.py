"""Models for tests: each word is a direction, and a text is the sum of its words."""

from __future__ import annotations

import hashlib

import numpy as np

from bardo.index.embedding import embedders

SENTENCES = [
    f"{who} {what} {where} on day {day}"
    for day, (who, what, where) in enumerate(
        (who, what, where)
        for who in ("Ann", "Ben", "Carol", "the oracle", "our landlord")
        for what in ("bought a bicycle", "lagged two blocks", "painted the kitchen", "missed the train")
        for where in ("in Vienna", "near the harbour", "after the storm", "before lunch", "at midnight")
    )
]


def words_as_vectors(dims: int, salt: str):
    """A model of no understanding: every word a direction of its own, a text their sum."""

    def embed(texts: list[str]) -> np.ndarray:
        rows = []
        for text in texts:
            seeds = [
                hashlib.blake2b(f"{salt}{word}".encode(), digest_size=8).digest() for word in text.split()
            ]
            parts = [
                np.random.default_rng(int.from_bytes(seed)).standard_normal(dims) for seed in seeds or [b"\1"]
            ]
            rows.append(np.sum(parts, axis=0))
        return np.stack(rows)

    return embed


def model(name: str, dims: int) -> embedders.TextEmbedder:
    return embedders.function_embedder(words_as_vectors(dims, name), name=name, dims=dims)


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
