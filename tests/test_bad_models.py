"""A broken or a different embedding model is refused, and what was stored stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo import errors
from bardo.ports import Embedder


@pytest.mark.parametrize(
    "vectors",
    [
        lambda texts: np.ones((len(texts), 9), np.float32),
        lambda texts: np.ones((len(texts) + 1, 8), np.float32),
        lambda texts: "not an array",
    ],
    ids=["dimensions", "one too many", "not an array"],
)
@pytest.mark.filterwarnings("ignore::bardo.errors.BardoWarning")
def test_a_broken_model_is_refused_and_what_was_stored_stays(
    tmp_path: Path, vectors: Callable[[list[str]], Any]
) -> None:
    from bardo.index.embedding.embedders import function_embedder

    broken = function_embedder(vectors, name="broken", dims=8)
    with bardo.open(tmp_path / "agent", embedder=broken) as opened:
        opened.remember("the relayer ran out of gas")
        with pytest.raises(errors.InvalidVectorError):
            opened.recall("gas")
        assert opened.episodes.get(opened.episodes.list(limit=1)[0].id).text == "the relayer ran out of gas"


@pytest.mark.parametrize("component", [np.nan, np.inf, 0.0])
def test_vectors_without_a_direction_are_refused_and_the_words_are_still_found(
    tmp_path: Path, component: float
) -> None:
    from bardo.index.embedding.embedders import function_embedder

    def silent(texts: list[str]) -> Any:
        return np.full((len(texts), 8), component, np.float32)

    with bardo.open(tmp_path / "agent", embedder=function_embedder(silent, name="silent", dims=8)) as opened:
        opened.remember("the relayer ran out of gas")
        found = opened.recall("gas")
        assert [memory.text for memory in found] == ["the relayer ran out of gas"]
        assert "searched by words alone" in found.notes[0]
        assert "1 episodes without a vector" in opened.sleep().notes[-1]


def test_vectors_of_two_models_never_meet(tmp_path: Path, minilm: Embedder) -> None:
    from bardo.index.embedding.embedders import function_embedder

    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("made with the first model")
        opened.recall("first")
    other = function_embedder(lambda texts: np.eye(len(texts), 384, dtype=np.float32), name="other", dims=384)
    with pytest.raises(errors.EmbeddingMismatchError, match="other"):
        bardo.open(tmp_path / "agent", embedder=other)
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        assert len(opened.recall("first model")) == 1


def test_a_function_that_moved_is_told_how_it_keeps_its_name(tmp_path: Path) -> None:
    from bardo.index.embedding.embedders import function_embedder

    def embed(texts: list[str]) -> Any:
        return np.eye(len(texts), 8, dtype=np.float32)

    embed.__module__ = "__main__"
    with bardo.open(tmp_path / "agent", embedder=embed) as opened:
        opened.remember("made with the first model")
        opened.recall("first")
    embed.__module__ = "tools"
    with pytest.raises(errors.EmbeddingMismatchError, match="known by its module and name") as refused:
        bardo.open(tmp_path / "agent", embedder=embed)
    name = str(refused.value).rpartition("name='")[2].rstrip("')")
    with bardo.open(tmp_path / "agent", embedder=function_embedder(embed, name=name)) as opened:
        assert len(opened.recall("first model")) == 1
