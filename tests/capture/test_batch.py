"""Result of `remember` for a batch."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import bardo
from bardo.errors import BardoWarning, InvalidInputError
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
        assert [grimoire.episodes.get(episode.id) for episode in stored] == stored
        assert len({episode.id for episode in stored}) == 3
        assert {episode.tick for episode in stored} == {4}
        with pytest.raises(IndexError, match="3"):
            stored[3]


def test_a_retried_batch_gives_back_what_was_stored_first(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        first = grimoire.remember(["one", "two"])
        again = grimoire.remember(["zero", "two", "one"])
        assert [again[2], again[1]] == first
        assert len(list(grimoire.episodes.list())) == 3


def test_the_same_words_at_another_tick_are_another_observation(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        for tick in (1, 2, 2, 3):
            grimoire.remember("the price is unchanged", tick=tick)
        grimoire.remember("the price is unchanged")  # of the tick that it is
        grimoire.remember([Episode("the price is unchanged", tick=tick) for tick in (3, 4)])
        assert [episode.tick for episode in grimoire.episodes.list()] == [1, 2, 3, 4]
        assert len(grimoire.recall("price unchanged")) == 1  # near-duplicates collapse


def test_a_history_that_is_handed_over_again_each_tick_is_stored_once(tmp_path: Path) -> None:
    history = [
        {"role": "user", "content": "hello", "timestamp": 1_700_000_000},
        {"role": "assistant", "content": "good morning", "timestamp": 1_700_000_100},
    ]
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        for tick in (1, 2, 3):
            grimoire.tick(tick)
            grimoire.remember(history, thread="t")
            grimoire.remember("a heartbeat")
        assert [episode.text for episode in grimoire.episodes.list()].count("a heartbeat") == 3
        assert len(list(grimoire.episodes.list())) == 5


def test_a_retry_verifies_nothing_that_was_only_heard_of(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        seen = grimoire.remember("the harbour froze")
        grimoire._session.log.record(
            [Episode("the harbour burnt", kind="inherited", id="0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f")],
            now=1,
            out_of_order=True,
        )
        heard = grimoire.episodes.get("0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f")
        assert isinstance(heard, Episode)
        assert not grimoire.remember(dataclasses.replace(heard, verified=True)).verified
        assert grimoire.remember(dataclasses.replace(seen, verified=True)).verified


def test_a_retry_that_was_verified_meanwhile_verifies(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        first = grimoire.remember("the trade closed at +3")
        again = grimoire.remember("the trade closed at +3", verified=True, importance=0.75)
        assert (again.id, again.verified, again.importance) == (first.id, True, 0.75)
        assert grimoire.episodes.get(first.id) == again
        third = grimoire.remember(["the trade closed at +3"])[0]
        assert (third.verified, third.importance) == (True, 0.75)  # nothing is taken back
        (found,) = grimoire.recall("trade closed")
        assert found.why.importance == 0.75
        assert grimoire.sleep().episodes == 1


def test_nothing_of_a_batch_with_a_field_out_of_range_is_stored(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        with pytest.raises(InvalidInputError, match="subjects"):
            grimoire.remember(["one", "two"], subjects="aave")
        assert list(grimoire.episodes.list()) == []


def test_an_empty_text_is_left_out_of_a_batch(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=None) as grimoire:
        with pytest.warns(BardoWarning, match=r"2 of 4 were left out, at 1, 3 \(from 0\)"):
            grimoire.remember(["one", " \n", "two", Episode("")])
        with pytest.raises(InvalidInputError, match="each of 12 is empty"):
            grimoire.remember([""] * 12)
        assert [episode.text for episode in grimoire.episodes.list()] == ["one", "two"]
