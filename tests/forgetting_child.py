"""Forgets one episode, to be killed at any moment."""

import os
import sys

import numpy as np

import bardo
from bardo.index.embedding import embedders


def embed(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(list(text.encode())).normal(size=16) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


with bardo.open(sys.argv[1], embedder=embedders.from_callable(embed, name="letters"), seed=3) as grimoire:
    os.write(1, b"ready\n")
    grimoire.forget(sys.argv[2], reason="to be killed")
    os.write(1, b"done\n")
