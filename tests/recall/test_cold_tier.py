"""Beyond the hot limit: LanceDB proposes, the hot set decides."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo._core import EpisodeLog, HotSet
from bardo.config import Archive
from bardo.index.archive.lance_index import LanceIndex
from bardo.model import Episode, Fingerprint
from bardo.recall import cold_tier
from bardo.recall.filters import Filters
from helpers.models import WORD_DIMS, word_vectors

LIMIT = 60
MICROS = 1_000_000


def story(count: int) -> list[Episode]:
    return [
        Episode(
            f"the keeper of gate {n} met traveller {n * 7 % 101} near the {'river' if n % 2 else 'mountain'}",
            at=(n + 1) * MICROS,
            kind="turn" if n % 3 else "event",
            thread="it's quoted" if n % 5 == 0 else "plain",
            subjects=["o'neil"] if n % 4 == 0 else ["smith"],
        )
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grimoire of 200 episodes of which 60 are hot."""
    folder = tmp_path_factory.mktemp("agent")
    with reopen(folder) as grimoire:
        grimoire.remember(story(200))
        grimoire.sleep()
    return folder


def reopen(folder: Path, limit: int = LIMIT) -> bardo.Grimoire:
    return bardo.open(folder, embedder=word_vectors, seed=1, config={"index": {"hot_limit": limit}})


def test_transient_rows_stay_after_another_load(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        ids = [episode.id for episode in grimoire.remember(story(100))]
        grimoire.sleep()
        hot, log = grimoire._session.hot, grimoire._session.log
        rows = hot.admit(ids[:3])
        assert len(rows) >= 3  # with turns beside them
        hot.evict(rows)
        assert len(hot) == LIMIT
        rows = hot.admit(ids[:3])
        # As `adopt`, `rebuild` and a migration do it, in another thread.
        hot.load(log, grimoire._session.facts)
        hot.evict(rows)
        assert len(hot) == 100


def test_vectors_that_come_late_bring_nothing_back_into_memory(tmp_path: Path) -> None:
    with reopen(tmp_path / "a") as grimoire:
        ids = [episode.id for episode in grimoire.remember(story(100))][:2]
        grimoire.sleep()
        assert not any(id_ in grimoire._session.hot for id_ in ids)
        whole = word_vectors([episode.text for episode in story(2)])
        empty = np.empty((0, WORD_DIMS), np.float32)
        grimoire._session.hot.embed(ids, whole, empty, [0, 0], grimoire._session.log.fingerprint)
        assert len(grimoire._session.hot) == LIMIT


def test_an_episode_that_left_memory_is_recalled_and_explained_as_any_other(limited: Path) -> None:
    with reopen(limited) as grimoire:
        assert len(grimoire._session.hot) == LIMIT
        found = grimoire.recall("did the keeper of gate 13 meet traveller 91?", limit=5)
        assert "gate 13 met" in found[0].text
        assert found[0].id not in grimoire._session.hot
        assert {reason.arm for reason in found[0].why.arms} >= {"dense", "lexical"}
        assert any("came from LanceDB" in note for note in found.notes)
        assert len(grimoire._session.hot) == LIMIT
        assert [memory.id for memory in grimoire.recall("did the keeper of gate 13 meet traveller 91?")] == [
            memory.id for memory in found
        ]


#: First turn of the dialogue, microseconds UTC.
NOON = 1_772_712_000 * MICROS


def dialogue(count: int) -> list[Episode]:
    """Ann asks, Bo answers; every fourth turn is of another session, and only the first ones are of a mode."""
    return [
        Episode(
            f"where is parcel {n}?" if n % 2 == 0 else f"in the shed behind door {n * 7}",
            at=NOON + n * 100 * MICROS,
            role="user" if n % 2 == 0 else "agent",
            speaker="Ann" if n % 2 == 0 else "Bo",
            thread="parcels",
            session="other" if n // 2 % 2 else "first",
            mode="chat" if n < 4 else None,
        )
        for n in range(count)
    ]


def test_a_cold_episode_keeps_its_conversation(tmp_path: Path) -> None:
    asked = {"query": "where is parcel 8?", "limit": 1, "layers": ["episode"]}
    with reopen(tmp_path, limit=20) as grimoire:
        grimoire.remember(dialogue(40))
        grimoire.sleep()
        grimoire.remember(story(LIMIT))  # nothing of the conversation is in memory any more
        grimoire.sleep()
        assert not any(
            episode.id in grimoire._session.hot for episode in grimoire.episodes.list(thread="parcels")
        )
        (found,) = grimoire.recall(**asked, window=3)
        around = ["where is parcel 4?", "in the shed behind door 35", "in the shed behind door 63"]
        assert [turn.text for turn in (*found.before[1:], found.after[0])] == around
        assert {turn.session for turn in (*found.before, *found.after)} == {"first"}
        best = [
            (memory.text, dict(memory.why.conversation)) for memory in grimoire.recall("where is parcel 8?")
        ]
        assert any("mode chat" in note for note in grimoire.recall("parcel", thread="parcels").notes)
        assert not any("begins" in note for note in grimoire.recall("parcel", session="first").notes)
        assert any("begins" in note for note in grimoire.recall("parcel", session="third").notes)
        assert len(grimoire._session.hot) == 20
    with reopen(tmp_path, limit=0) as grimoire:
        whole = [
            (memory.text, dict(memory.why.conversation)) for memory in grimoire.recall("where is parcel 8?")
        ]
    assert [text for text, _ in best] == [text for text, _ in whole]
    for (_, parts), (_, expected) in zip(best, whole, strict=True):
        assert parts == pytest.approx(expected, abs=0.02)


WHO = st.sampled_from([None, "Ann", "Bo"])
NAME = st.sampled_from([None, "a", "b"])
SAID = st.tuples(st.sampled_from(["user", "agent", "tool"]), WHO, NAME, NAME, st.integers(0, 5))


@given(said=st.lists(SAID, max_size=30), count=st.integers(0, 4))
@settings(max_examples=40, deadline=None)
def test_the_log_and_the_hot_set_know_the_same_conversations(
    said: list[tuple[Any, ...]], count: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    episodes = [
        Episode(f"said {n}", role=role, speaker=speaker, thread=thread, session=session, mode=thread, tick=1 + tick)
        for n, (role, speaker, thread, session, tick) in enumerate(said)
    ]  # fmt: skip
    folder = tmp_path_factory.mktemp("agent")
    log, hot = EpisodeLog(folder / "episodes.redb", agent="a", seed=1, now=1), HotSet()
    ids = [one.id for one in log.record(episodes, now=1, out_of_order=True)]
    hot.add_episodes([episode for episode in log.get(ids) if episode is not None])
    assert log.neighbours(ids, count) == hot.neighbours(ids, count)
    for thread in ("a", "b", "c"):
        assert log.posture(thread) == hot.posture(thread)
    log.close()


def test_the_answers_are_those_of_a_grimoire_that_holds_everything_in_memory(limited: Path) -> None:
    questions = [f"keeper of gate {n} and traveller {n * 7 % 101}" for n in range(0, 200, 17)]
    with reopen(limited) as grimoire:
        split = [[memory.id for memory in grimoire.recall(question, limit=3)] for question in questions]
    with reopen(limited, limit=0) as grimoire:
        assert len(grimoire._session.hot) == 200
        whole = [[memory.id for memory in grimoire.recall(question, limit=3)] for question in questions]
    assert [ids[0] for ids in split] == [ids[0] for ids in whole]
    shared = sum(len(set(one) & set(other)) for one, other in zip(split, whole, strict=True))
    assert shared >= 0.8 * 3 * len(questions)
    reopen(limited).close()


def unlike(texts: list[str]) -> np.ndarray:
    """Random vectors: each hit is found by its words."""
    rows = [np.random.default_rng(list(text.encode())).standard_normal(WORD_DIMS) for text in texts]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


SPELLED = [
    "0x7a250d5630b4cf539739df2c5dacb4c659f2488d",
    "0x" + "9f8e7d6c" * 8,
    "7",
    "NOT",
    "the WHO",
    "k8s",
    "don't",
]


def test_a_rare_name_is_found_by_its_letters_wherever_it_lies(tmp_path: Path) -> None:
    with bardo.open(tmp_path, embedder=unlike, seed=1, config={"index": {"hot_limit": 20}}) as grimoire:
        grimoire.remember([f"Zeta noted: {name} paid the fees" for name in SPELLED])
        grimoire.remember([f"filler sentence about nothing in particular {n * 'x'}" for n in range(150)])

        def missed(where: bardo.Grimoire | bardo.Visitor) -> list[str]:
            return [
                name for name in SPELLED if not any(name in hit.text for hit in where.recall(name, limit=10))
            ]

        assert missed(grimoire) == []
        grimoire.sleep()
        assert len(grimoire._session.hot) == 20
        assert missed(grimoire) == []
        with bardo.visit(tmp_path, embedder=unlike) as visitor:
            assert missed(visitor) == []


def test_an_episode_verified_beyond_the_hot_limit_stays_cold_and_is_found(limited: Path) -> None:
    question = "did the keeper of gate 21 meet traveller 46?"
    with reopen(limited) as grimoire:
        (found,) = grimoire.recall(question, limit=1)
        assert "gate 21 met" in found.text
        assert grimoire.remember(dataclasses.replace(found.record, verified=True)).verified  # type: ignore[type-var]
        assert grimoire.episodes.verify(found.id, importance=0.5) == 0
        assert len(grimoire._session.hot) == LIMIT
        (again,) = grimoire.recall(question, limit=1)
        assert again.id == found.id
        assert "dense" in {reason.arm for reason in again.why.arms}


def test_filters_are_applied_inside_lancedb(limited: Path) -> None:
    with reopen(limited) as grimoire:
        cold = grimoire._session.hot.cold_upto
        archive = grimoire._session.indexer.archive
        for filters, meets in (
            (Filters(thread="it's quoted"), lambda e: e.thread == "it's quoted"),
            (Filters(subjects=["o'neil", "x"]), lambda e: "o'neil" in e.subjects),
            (Filters(kinds=["event"], roles=["environment"]), lambda e: e.kind == "event"),
            (
                Filters(since=20 * MICROS, until=30 * MICROS),
                lambda e: 20 * MICROS <= e.at <= 30 * MICROS,
            ),
            (Filters(until=-(2**62), since=2**62), lambda e: False),
            (Filters(mode="chat", session=None), lambda e: True),
            (Filters(without_roles=["environment"]), lambda e: e.role != "environment"),
        ):
            where = cold_tier.condition(filters, cold)
            found = archive.search_vector(word_vectors(["keeper of the gate"])[0], 200, where=where)
            expected = {e.id for e in list(grimoire.episodes.list())[:cold] if meets(e)}
            assert {hit.episode.id for hit in found} == expected, where
        only = grimoire.recall("keeper near the river", subjects=["o'neil"], limit=20)
        assert only
        assert all("o'neil" in memory.record.subjects for memory in only)  # type: ignore[union-attr]


def test_both_indexes_find_the_same_by_vectors_and_nearly_the_same_by_words(tmp_path: Path) -> None:
    with reopen(tmp_path, limit=0) as grimoire:
        grimoire.remember(story(200))
        grimoire.sleep()
        archive = grimoire._session.indexer.archive
        overlap = 0
        for n in range(0, 200, 11):
            question = f"keeper of gate {n} near the river"
            near = archive.search_vector(word_vectors([question])[0], 10)
            hits = grimoire._session.hot.search("", word_vectors([question])[0], limit=50).hits
            ranked = sorted(
                (
                    (-(value or -1.0), hit.id)
                    for hit in hits
                    for arm, _, value, _ in hit.arms
                    if arm == "dense"
                )
            )
            scores = [round(-score, 2) for score, _ in ranked[:10]]
            assert scores == pytest.approx([hit.score for hit in near], abs=0.02)
            words = {hit.episode.id for hit in archive.search_text(question, 10)}
            overlap += len(words & {hit.id for hit in grimoire._session.hot.search(question, limit=10).hits})
        assert overlap >= 0.5 * 10 * 19


def test_a_lost_archive_is_said_and_what_is_hot_still_answers(
    limited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reopen(limited) as grimoire:
        monkeypatch.setattr(grimoire._retrieval.everything, "_open_archive", refuse)
        found = grimoire.recall("the keeper of gate 190")
        assert "gate 190" in found[0].text
        assert any("were not searched" in note for note in found.notes)


def refuse() -> LanceIndex:
    raise bardo.errors.StoreUnavailableError("the disk is away. Put it back")


def test_an_ivf_index_finds_nearly_all_that_a_scan_finds(tmp_path: Path) -> None:
    fingerprint = Fingerprint("toy", "1", "none", WORD_DIMS)
    numbers = np.random.default_rng(3)
    centers = numbers.standard_normal((40, WORD_DIMS))
    rows = centers[numbers.integers(0, 40, 3_000)] + 0.5 * numbers.standard_normal((3_000, WORD_DIMS))
    vectors = np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
    with bardo.open(tmp_path / "agent", embedder=lambda texts: vectors[: len(texts)], seed=1) as grimoire:
        stored = grimoire._session.log.record(
            [Episode(f"event {n}", tick=n + 1, at=n + 1) for n in range(len(vectors))], now=1
        )
        ids = [entry.id for entry in stored]
        empty = np.empty((0, WORD_DIMS), np.float32)
        grimoire._session.log.put_vectors(ids, vectors, empty, [0] * len(ids), fingerprint)
        archive = LanceIndex(
            tmp_path / "index", agent="agent", fingerprint=fingerprint, settings=Archive(ivf_rows=2_000)
        )
        archive.sync(grimoire._session.log)
        assert archive.stats()["ivf"] == 1
        found = 0
        for query in vectors[::100]:
            exact = {ids[at] for at in np.argsort(-(vectors @ query))[:10]}
            found += len(exact & {hit.episode.id for hit in archive.search_vector(query, 10)})
        assert found / 300 >= 0.95
        # A deletion keeps the partitions, and does not train them again for one episode.
        archive.delete(ids[:3])
        assert archive.stats()["ivf"] == 0
        assert archive.search_vector(vectors[3], 1)[0].episode.id == ids[3]
        archive.sync(grimoire._session.log)
        assert archive.stats()["ivf"] == 1


def test_facts_never_leave_and_ask_lancedb_for_nothing() -> None:
    assert not cold_tier.reaches_episodes(Filters(layers=["fact"]))
    assert not cold_tier.reaches_episodes(Filters(category="trading"))
    assert cold_tier.reaches_episodes(Filters())
    assert HotSet().cold_upto == 0


class Once:
    """An object of which one method does something else first, the first time it is called."""

    def __init__(self, whole: Any, name: str, first: Callable[[], Any]) -> None:
        self._whole, self._name, self._first = whole, name, [first]

    def __getattr__(self, name: str) -> Any:
        if name == self._name and self._first:
            elsewhere = threading.Thread(target=self._first.pop())
            elsewhere.start()
            elsewhere.join()
        return getattr(self._whole, name)


@pytest.mark.parametrize(("cold", "before"), [(0, "search"), (100, "admit"), (100, "search")])
def test_an_episode_that_becomes_cold_during_a_query_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cold: int, before: str
) -> None:
    with reopen(tmp_path) as grimoire:
        grimoire.remember(story(200)[:cold])
        grimoire.sleep()
        grimoire.remember(story(200)[cold:])
        question = "did the keeper of gate 130 meet traveller 1?"
        monkeypatch.setattr(
            grimoire._retrieval.everything, "_hot", Once(grimoire._session.hot, before, grimoire.sleep)
        )
        (found,) = grimoire.recall(question, limit=1)
        assert "gate 130 met" in found.text
        assert grimoire._session.hot.cold_upto == 200 - LIMIT
        assert found.id not in grimoire._session.hot


@pytest.mark.parametrize(
    "anew", [lambda grimoire: grimoire.maintenance.rebuild(), lambda grimoire: grimoire.lineage.adopt([])]
)
def test_a_reload_during_a_query_with_transient_rows_loses_nothing(
    limited: Path, monkeypatch: pytest.MonkeyPatch, anew: Callable[[bardo.Grimoire], Any]
) -> None:
    with reopen(limited) as grimoire:
        question = "did the keeper of gate 13 meet traveller 91?"
        monkeypatch.setattr(
            grimoire._retrieval.everything,
            "_hot",
            Once(grimoire._session.hot, "search", lambda: anew(grimoire)),
        )
        for _ in range(2):
            assert "gate 13 met" in grimoire.recall(question, limit=1)[0].text
        assert len(grimoire._session.hot) == LIMIT
        assert grimoire._session.hot.cold_upto == 200 - LIMIT
