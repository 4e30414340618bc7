"""Recollections: a memory is decoded when it is first read, with the same content."""

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
from bardo._core import ChangeDetector, FactStore
from bardo.capture.inbox import drop
from bardo.model import Episode, Fact
from bardo.recall.recollection import Explanation, Memory
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
        retriever = Retriever(grimoire._session.hot, grimoire._session.log, grimoire._session.facts)
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


def test_a_record_that_left_its_store_leaves_the_answer_with_a_note(grimoire: bardo.Grimoire) -> None:
    (fact,) = grimoire.facts.list()
    retriever = Retriever(grimoire._session.hot, grimoire._session.log, grimoire._session.facts)
    assert fact.id in [memory.id for memory in retriever.recall("drained pool refills", limit=3)]
    grimoire._session.facts.forget_facts([fact.id])
    again = retriever.recall("drained pool refills", limit=3)
    assert len(again) == 2
    assert f"1 memories are no longer in their store: {fact.id}" in again.notes


def test_recent_episodes_are_returned_as_the_log_stores_them(tmp_path: Path) -> None:
    def asked(grimoire: bardo.Grimoire) -> list[tuple]:
        found = grimoire.recall("the drained pool number 7", limit=40)
        return sorted((memory.id, memory.text, memory.record) for memory in found)

    with bardo.open(tmp_path / "a", embedder=embed, clock=bardo.ManualClock(NOW)) as grimoire:
        pools = [
            Episode(
                f"the pool number {number} was drained",
                payload={"lag": number, "by": ["a", {"b": None}]},
                subjects=("pool",),
            )
            for number in range(600)
        ]
        stored = grimoire.remember(pools)
        grimoire.episodes.verify([episode.id for episode in stored[::2]], importance=0.7)
        at_hand = asked(grimoire)
    with bardo.open(tmp_path / "a", embedder=embed, clock=bardo.ManualClock(NOW)) as grimoire:
        assert grimoire._session.stores.snapshot.opened["replayed"] == 0
        assert asked(grimoire) == at_hand
        assert any(record.verified for *_, record in at_hand)


def test_an_index_beyond_the_answer_is_an_index_error(grimoire: bardo.Grimoire) -> None:
    found = grimoire._session.hot.search("pool")
    assert len(found) == len(found.hits) > 0
    for ask in (found.hit, found.record):
        with pytest.raises(IndexError):
            ask(999)
    # There is no source of the records.
    with pytest.raises(IndexError):
        found.outlines()
    assert found.with_notes(["one"]).notes == [*found.notes, "one"]


def test_a_change_detector_reports_every_change_and_nothing_else(tmp_path: Path) -> None:
    folder, long_ago = tmp_path / "a", time.time_ns() - 60_000_000_000
    watched = [folder / "inbox", folder / "facts.db-wal"]

    def pass_time() -> None:
        for path in watched:
            os.utime(path, ns=(long_ago, long_ago))

    with bardo.open(folder, embedder=embed) as grimoire:
        log, facts = grimoire._session.log, grimoire._session.facts
        detector = ChangeDetector(folder / "inbox", facts)

        def is_quiet() -> bool:
            return detector.changes(log, facts) is None

        def no_changes() -> bool:
            # Taking over writes, which is looked at once more.
            dropped = False
            for _ in range(2):
                pass_time()
                if (changes := detector.changes(log, facts)) is not None:
                    dropped |= changes.in_inbox
                    grimoire._session.embed()
                    detector.mark_seen(changes)
            pass_time()
            return dropped

        grimoire.learn("A drained pool refills within two days")
        assert no_changes()
        assert is_quiet()
        # A file may change again within the same moment of the file system's clock.
        drop(folder, Episode("one"), now=1)
        changes = detector.changes(log, facts)
        assert changes is not None
        assert changes.in_inbox
        detector.mark_seen(changes)
        assert not is_quiet()
        assert no_changes()
        assert is_quiet()
        grimoire._session.recorder.record([Episode("two")], tick=None, own_ticks=False)
        assert not is_quiet()
        assert not no_changes()
        assert is_quiet()
        # As another process would.
        other = FactStore(str(folder / "facts.db"), agent=grimoire.agent, seed=3)
        other.upsert([Fact("Pools are drained at night")], tick=9, now=9)
        assert not is_quiet()
        assert not no_changes()
        assert is_quiet()
        other.close()


def test_a_change_detector_separates_changes_of_facts_at_one_moment(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    with bardo.open(folder, embedder=embed) as grimoire:
        log, facts = grimoire._session.log, grimoire._session.facts
        detector = ChangeDetector(folder / "inbox", facts)
        other = FactStore(str(folder / "facts.db"), agent=grimoire.agent, seed=3)
        wal = folder / "facts.db-wal"

        def changed() -> bool:
            """Whether the facts changed, which is then taken over; the file does not show it."""
            os.utime(wal, ns=(time.time_ns(), time.time_ns()))
            if (changes := detector.changes(log, facts)) is None or not changes.in_facts:
                return False
            detector.mark_seen(changes)
            return True

        assert changed()
        assert not changed()
        for store in (facts, other, facts, other):
            store.upsert(
                [Fact(f"Pools are drained at night, and {time.time_ns()} of them by day")], tick=9, now=9
            )
            assert changed()
            assert not changed()
        # Reading by any process is no change.
        assert facts.list()
        assert other.list()
        assert not changed()
        other.close()


def test_an_episode_that_another_process_drops_is_found_by_the_next_recall(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=embed) as grimoire:
        assert len(grimoire.recall("liquidation")) == 0
        for number in range(3):
            text = f"a liquidation, the {number}th"
            drop(tmp_path / "a", Episode(text))
            assert text in [memory.text for memory in grimoire.recall("liquidation")]
