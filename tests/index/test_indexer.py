"""Concurrency of the indexer: long work over the indexes in one thread, capture, recall and deletion in another."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo._atomic import write_atomically
from bardo.errors import EmbedderUnavailableError
from bardo.index.archive import lance_index
from bardo.index.archive.lance_index import LanceIndex

DIMS = 32
#: How long work that is held up waits, in seconds, before it goes on by itself.
PATIENCE = 10


class Gate:
    """Holds up who comes to it until it is opened; a test that waits for them in vain finds that out."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        self.was_opened = True

    def __call__(self) -> None:
        self.reached.set()
        self.was_opened &= self.opened.wait(PATIENCE)


def direction(word: str) -> np.ndarray:
    return np.random.default_rng(list(word.encode())).standard_normal(DIMS)


class Words:
    """A model of no understanding, which stops at a gate where a text says `slow`."""

    def __init__(self) -> None:
        self.gate = Gate()

    def __call__(self, texts: list[str]) -> np.ndarray:
        if any("slow" in text for text in texts):
            self.gate()
        rows = [np.sum([direction(word) for word in text.lower().split()], axis=0) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


def opened(
    folder: Path, model: Callable[[list[str]], Any], *, hot_limit: int = 0, batch: int = 64
) -> bardo.Grimoire:
    return bardo.open(
        folder, embedder=model, seed=1, config={"index": {"hot_limit": hot_limit}, "embedding": {"batch": batch}}
    )  # fmt: skip


def started(work: Callable[[], Any]) -> tuple[threading.Thread, list[BaseException]]:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, failures


def texts_of(found: bardo.Recollection) -> list[str]:
    return [memory.text for memory in found]


@pytest.mark.parametrize("hot_limit", [0, 20])
@pytest.mark.parametrize("work", ["sync", "rebuild", "delete"])
def test_capture_and_recall_wait_for_no_run_over_lancedb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: str, hot_limit: int
) -> None:
    with opened(tmp_path / "agent", Words(), hot_limit=hot_limit) as grimoire:
        first = grimoire.remember([f"parcel p{n}x came" for n in range(60)])
        grimoire.sleep()
        grimoire.remember("a letter came")
        assert texts_of(grimoire.recall("parcel p3x", limit=1)) == ["parcel p3x came"]
        gate, real = Gate(), getattr(LanceIndex, work)

        def held_up(index: LanceIndex, *given: Any, **options: Any) -> Any:
            with index._handle.lock:
                gate()
                return real(index, *given, **options)

        monkeypatch.setattr(LanceIndex, work, held_up)
        verbs = {
            "sync": grimoire.sleep,
            "rebuild": grimoire.maintenance.rebuild,
            "delete": lambda: grimoire.forget(first[7], reason="asked to"),
        }
        thread, failures = started(verbs[work])
        assert gate.reached.wait(PATIENCE)
        grimoire.remember([f"meanwhile m{n}x came" for n in range(64)])
        grimoire.learn("Letters come at noon")
        for text in ("meanwhile m63x came", "parcel p3x came", "a letter came", "Letters come at noon"):
            found = grimoire.recall(text, limit=2)
            assert text in texts_of(found)
            assert not any("no vectors yet" in note for note in found.notes)
        gate.opened.set()
        thread.join()
        assert not failures
        assert gate.was_opened, "they waited for the run to end"
        grimoire.sleep()
        assert grimoire.stats()["log"]["with_vectors"] == len(list(grimoire.episodes.list()))
        assert texts_of(grimoire.recall("meanwhile m1x", limit=1)) == ["meanwhile m1x came"]


def test_an_episode_that_another_thread_embeds_is_found_by_words_with_a_note(tmp_path: Path) -> None:
    model = Words()
    with opened(tmp_path / "agent", model, batch=0) as grimoire:
        grimoire.remember("the kettle whistled")
        grimoire.recall("kettle")
        grimoire.remember("a slow train came")
        thread, failures = started(grimoire.sleep)
        assert model.gate.reached.wait(PATIENCE)
        grimoire.remember("a fast train came")
        found = grimoire.recall("trains that came by")
        assert {"a slow train came", "a fast train came"} <= set(texts_of(found))
        assert [note for note in found.notes if note.startswith("2 memories have no vectors yet")]
        model.gate.opened.set()
        thread.join()
        assert not failures
        assert model.gate.was_opened
        again = grimoire.recall("trains that came by")
        assert not any("no vectors yet" in note for note in again.notes)
        assert grimoire.stats()["log"]["with_vectors"] == 3


def test_a_batch_is_not_embedded_while_another_thread_embeds_but_later(tmp_path: Path) -> None:
    model = Words()
    with opened(tmp_path / "agent", model, batch=2) as grimoire:
        grimoire.remember("a slow train came")
        thread, failures = started(grimoire.sleep)
        assert model.gate.reached.wait(PATIENCE)
        grimoire.remember(["one", "two"])
        model.gate.opened.set()
        thread.join()
        assert not failures
        assert model.gate.was_opened
        grimoire.remember(["three", "four"])
        assert grimoire.stats()["log"]["with_vectors"] == 5


def test_a_recall_does_not_wait_for_what_is_being_learned(tmp_path: Path) -> None:
    model = Words()
    with opened(tmp_path / "agent", model) as grimoire:
        grimoire.learn("Trains leave at noon")
        thread, failures = started(lambda: grimoire.learn("The slow train leaves at eight"))
        assert model.gate.reached.wait(PATIENCE)
        grimoire.remember("a train came")
        assert {"Trains leave at noon", "a train came"} <= set(texts_of(grimoire.recall("train")))
        model.gate.opened.set()
        thread.join()
        assert not failures
        assert model.gate.was_opened
        assert "The slow train leaves at eight" in texts_of(grimoire.recall("train"))


def test_an_episode_deleted_while_it_is_archived_stays_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "agent", Words()) as grimoire:
        kept, gone = grimoire.remember(["the kettle whistled", "the password is tangerine"])
        gate, real = Gate(), lance_index._vectors_of

        def held_up(*given: Any) -> Any:
            gate()
            return real(*given)

        monkeypatch.setattr(lance_index, "_vectors_of", held_up)
        sleeping, asleep = started(grimoire.sleep)
        assert gate.reached.wait(PATIENCE)
        forgetting, refused = started(lambda: grimoire.forget(gone, reason="asked to"))
        gate.opened.set()
        sleeping.join()
        forgetting.join()
        assert asleep == refused == []
        assert not grimoire._session.indexer.archive.holds(f"id = '{gone.id}'")
        assert grimoire._session.indexer.archive.holds(f"id = '{kept.id}'")


def test_an_episode_deleted_while_it_is_embedded_stays_deleted(tmp_path: Path) -> None:
    model = Words()
    with opened(tmp_path / "agent", model, batch=0) as grimoire:
        gone, _ = grimoire.remember(["the slow password is tangerine", "the kettle whistled"])
        sleeping, asleep = started(grimoire.sleep)
        assert model.gate.reached.wait(PATIENCE)
        forgetting, refused = started(lambda: grimoire.forget(gone, reason="asked to"))
        model.gate.opened.set()
        sleeping.join()
        forgetting.join()
        assert asleep == refused == []
        assert gone.id not in grimoire._session.hot
        assert grimoire.stats()["log"]["with_vectors"] == 1


def test_two_deletions_a_sleep_and_a_rebuild_at_once_leave_what_is_to_stay(tmp_path: Path) -> None:
    with opened(tmp_path / "agent", Words(), hot_limit=20) as grimoire:
        stored = grimoire.remember([f"parcel p{n}x came" for n in range(80)])
        grimoire.sleep()
        verbs = [
            lambda: grimoire.forget(list(stored[:3]), reason="asked to"),
            lambda: grimoire.forget(list(stored[70:73]), reason="asked to"),
            grimoire.sleep,
            grimoire.maintenance.rebuild,
            lambda: [grimoire.remember(f"meanwhile m{n}x came") for n in range(70)],
            lambda: [grimoire.recall("parcel p40x") for _ in range(20)],
        ]
        at_work = [started(verb) for verb in verbs]
        for thread, _ in at_work:
            thread.join()
        assert [failure for _, failures in at_work for failure in failures] == []
        gone = {episode.id for episode in (*stored[:3], *stored[70:73])}
        assert not any(id_ in grimoire._session.hot for id_ in gone)
        assert {episode.id for episode in grimoire.episodes.list()}.isdisjoint(gone)
        grimoire.sleep()
        assert grimoire._session.indexer.archive.stats()["rows"] == 80 - 6 + 70


def test_a_deletion_leaves_what_another_thread_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "agent", Words()) as grimoire:
        gone = grimoire.remember("the password is tangerine")
        gate, real = Gate(), os.fsync

        def held_up(handle: int) -> None:
            if threading.current_thread() is not threading.main_thread():
                gate()
            real(handle)

        monkeypatch.setattr(os, "fsync", held_up)
        thread, failures = started(lambda: write_atomically(grimoire.path / "drift.json", b"{}"))
        assert gate.reached.wait(PATIENCE)
        grimoire.forget(gone, reason="asked to")
        gate.opened.set()
        thread.join()
        assert not failures


def test_rows_that_reached_lancedb_without_vectors_get_them_though_nothing_new_arrives(
    tmp_path: Path,
) -> None:
    model = Words()
    away = False

    def embed(texts: list[str]) -> np.ndarray:
        if away:
            raise EmbedderUnavailableError("the model is away. Bring it back")
        return model(texts)

    with opened(tmp_path / "agent", embed) as grimoire:
        grimoire.remember("the kettle whistled")
        grimoire.recall("kettle")
        away = True
        grimoire.remember([f"parcel p{n}x came" for n in range(5)])
        grimoire.sleep()
        assert grimoire._session.indexer.archive.stats()["without_vector"] == 5
        away = False
        grimoire.recall("kettle")
        assert grimoire.sleep().archived == 0
        assert grimoire._session.indexer.archive.stats()["without_vector"] == 0


def test_a_pass_between_two_actions_appends_a_few_batches_and_says_what_is_left(tmp_path: Path) -> None:
    config = {"archive": {"batch": 10}, "curator": {"every_ticks": 1}}
    with bardo.open(tmp_path / "agent", embedder=Words(), seed=1, config=config) as grimoire:
        grimoire.remember([f"parcel p{n}x came" for n in range(95)], tick=1)
        for tick, archived, left in ((2, 40, 55), (3, 40, 15), (4, 15, 0)):
            report = grimoire.tick(tick)
            assert report is not None
            assert (report.archived, grimoire.stats()["archive"]["missing"]) == (archived, left)
            assert any(f"{left} episodes are not in LanceDB yet" in note for note in report.notes) == bool(
                left
            )
