"""What `remember` gives back for a batch."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode


def test_a_batch_comes_back_as_a_sequence_of_what_is_stored(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        own = Episode("brought along", subjects=("aave",))
        stored = grimoire.remember(["first", own, {"role": "user", "content": "said"}], tick=4, thread="t")
        assert [episode.text for episode in stored] == ["first", "brought along", "said"]
        assert [episode.thread for episode in stored] == ["t", None, "t"]
        assert stored[-1].role == "user"
        assert stored[1].subjects == ("aave",)
        assert stored[1:] == [stored[1], stored[2]]
        assert stored == list(stored)
        assert [grimoire.get(episode.id) for episode in stored] == stored
        assert len({episode.id for episode in stored}) == 3
        assert {episode.tick for episode in stored} == {4}
        with pytest.raises(IndexError, match="3"):
            stored[3]


def test_a_retried_batch_gives_back_what_was_stored_first(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        first = grimoire.remember(["one", "two"])
        again = grimoire.remember(["zero", "two", "one"])
        assert [again[2], again[1]] == first
        assert len(list(grimoire.episodes())) == 3


def test_nothing_of_a_batch_with_an_empty_text_is_stored(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        with pytest.raises(InvalidInputError, match="empty"):
            grimoire.remember(["one", " \n"])
        with pytest.raises(InvalidInputError, match="subjects"):
            grimoire.remember(["one", "two"], subjects="aave")
        assert list(grimoire.episodes()) == []
