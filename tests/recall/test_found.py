"""What recall returns is made when it is looked at, and is no different for it."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.capture.inbox import CLOCK_GRAIN, Watch, drop
from bardo.model import Episode
from bardo.recall.found import Explanation, Memory
from bardo.recall.retriever import Retriever

DIMS = 16
NOW = 1_700_000_000_000_000


def embed(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(len(text)).standard_normal(DIMS) for text in texts]
    return np.array(rows, np.float32)


@pytest.fixture
def grimoire(tmp_path: Path) -> bardo.Grimoire:
    with bardo.open(tmp_path / "a", embedder=embed, clock=bardo.ManualClock(NOW)) as grimoire:
        grimoire.remember([f"the pool number {number} was drained" for number in range(12)])
        grimoire.learn("A drained pool refills within two days", category="pools", confidence=0.8)
        yield grimoire


def test_a_memory_not_looked_at_yet_can_be_copied_replaced_and_pickled(grimoire: bardo.Grimoire) -> None:
    def fresh() -> Memory:
        # Past the grimoire, which would count each recall in the fact.
        retriever = Retriever(grimoire._hot, grimoire._log, grimoire._facts)
        return retriever.recall("drained pool", now_tick=9, now=NOW)[0]

    seen = fresh()
    assert isinstance(seen.why, Explanation)
    for memory in (pickle.loads(pickle.dumps(fresh())), copy.deepcopy(fresh()), copy.copy(fresh())):
        assert memory == seen
    assert dataclasses.replace(fresh(), score=2.0) == dataclasses.replace(seen, score=2.0)
    assert dataclasses.asdict(fresh()) == dataclasses.asdict(seen)
    assert fresh().before == ()
    with pytest.raises(AttributeError):
        fresh().nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(dataclasses.FrozenInstanceError):
        fresh().text = "other"  # type: ignore[misc]


def test_a_record_that_left_the_log_leaves_the_answer_with_a_note(grimoire: bardo.Grimoire) -> None:
    row = Episode("an oracle told nobody of it", id="019f0000-0000-7000-8000-000000000001", at=NOW)
    grimoire._hot.add_episodes([row])
    again = grimoire.recall("the oracle of the pool", layers=["episode"], limit=3)
    assert len(again) == 2
    assert row.id not in [memory.id for memory in again]
    assert f"1 memories are no longer in their store: {row.id}" in again.notes


def test_what_is_asked_beyond_the_answer_is_an_index_error(grimoire: bardo.Grimoire) -> None:
    found = grimoire._hot.search("pool")
    assert len(found) == len(found.hits) > 0
    for ask in (found.hit, found.outline, found.record):
        with pytest.raises(IndexError):
            ask(999)
    assert found.with_notes(["one"]).notes == [*found.notes, "one"]


def test_an_inbox_is_read_again_only_after_it_changed(tmp_path: Path) -> None:
    watch = Watch(tmp_path)
    assert not watch.has_changed()
    drop(tmp_path, Episode("one"), now=1)
    # What has just changed may change again within the same moment of the file system's clock.
    assert watch.has_changed()
    assert watch.has_changed()
    long_ago = time.time_ns() - 2 * CLOCK_GRAIN
    os.utime(tmp_path / "inbox", ns=(long_ago, long_ago))
    assert watch.has_changed()
    assert not watch.has_changed()
    watch.look_again()
    assert watch.has_changed()
    drop(tmp_path, Episode("two"), now=2)
    assert watch.has_changed()


def test_an_episode_that_another_process_drops_is_found_by_the_next_recall(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=embed) as grimoire:
        assert len(grimoire.recall("liquidation")) == 0
        for number in range(3):
            text = f"a liquidation, the {number}th"
            drop(tmp_path / "a", Episode(text))
            assert text in [memory.text for memory in grimoire.recall("liquidation")]
