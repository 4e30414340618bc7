"""Each arm of a recall can be asked alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo._core import HotSet
from bardo.errors import InvalidVectorError
from bardo.model import Episode


def hot_set(folder: Path) -> tuple[HotSet, list[str]]:
    hot = HotSet()
    with bardo.open(folder, embedder=lambda texts: np.ones((len(texts), 2), np.float32)) as grimoire:
        stored: list[Episode] = grimoire.remember(["the kayak is red", "bread wants time"])
    hot.add_episodes(stored)
    ids = [episode.id for episode in stored]
    hot.set_vectors(ids, np.eye(2, dtype=np.float32))
    return hot, ids


def test_the_vectors_alone_find_the_nearest_with_its_cosine(tmp_path: Path) -> None:
    hot, ids = hot_set(tmp_path / "agent")
    found = hot.nearest(np.array([0.6, 0.8], np.float32), 1)
    assert found == [(ids[1], pytest.approx(0.8, abs=1e-3))]
    assert hot.nearest(np.zeros(2, np.float32)) == []
    with pytest.raises(InvalidVectorError):
        hot.nearest(np.ones(3, np.float32))


def test_the_words_alone_find_what_holds_them(tmp_path: Path) -> None:
    hot, ids = hot_set(tmp_path / "agent")
    assert [found for found, _ in hot.matching("which kayak?")] == [ids[0]]
    assert hot.matching("nobody said this") == []
