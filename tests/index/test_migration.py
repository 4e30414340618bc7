"""From one embedding model to another: never half done, resumed after a kill, and invisible before the switch."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from word_vectors import SENTENCES, model

import bardo
from bardo.errors import EmbedderUnavailableError, EmbeddingMismatchError, InvalidInputError
from bardo.index.embedding import embedders, migration
from bardo.index.embedding.drift import DriftWatch
from bardo.model import Fingerprint

OLD, NEW, THIRD = model("old", 48), model("new", 32), model("third", 48)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with bardo.open(tmp_path / "agent", embedder=OLD) as opened:
        opened.remember(SENTENCES)
        opened.learn(["Trains are missed at midnight", "Kitchens are painted in Vienna"])
    return tmp_path / "agent"


def test_every_vector_is_the_new_models_after_a_migration(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        report = opened.embedding.migrate(NEW)
        assert report.switched
        assert report.done == report.total == len(SENTENCES) + 2
        assert opened.stats()["model"] == "new"
        assert opened.recall("Who painted the kitchen near the harbour?", limit=3)
    with pytest.raises(EmbeddingMismatchError):
        bardo.open(folder, embedder=OLD)
    with bardo.open(folder, embedder=NEW) as opened:
        found = opened.recall(SENTENCES[17], limit=1)[0]
        assert found.text == SENTENCES[17]
        assert found.why.arms[0].value == pytest.approx(1.0, abs=0.01)
        whole, _, _ = opened._session.log.vectors([found.id])
        assert whole.shape == (1, 32)


def test_until_the_switch_the_old_vectors_are_in_force_and_new_memories_join_them(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        before = [memory.id for memory in opened.recall("Ben lagged two blocks", limit=5)]
        report = opened.embedding.migrate(NEW, steps=1)
        assert not report.switched
        assert 0 < report.done < report.total
        assert report.serving == "old model"
        assert [memory.id for memory in opened.recall("Ben lagged two blocks", limit=5)] == before
        opened.remember("Dora repaired the lighthouse")
        assert opened.recall("lighthouse", limit=1)[0].text == "Dora repaired the lighthouse"
        assert opened.stats()["embedding"]["migration"]["to"] == "new"
        with pytest.raises(InvalidInputError, match="under way"):
            opened.embedding.migrate(THIRD)
    with bardo.open(folder, embedder=OLD) as opened:
        assert opened.embedding.migrate(NEW).switched
        assert opened.recall("Dora repaired the lighthouse", limit=1)[0].why.arms[0].value == pytest.approx(
            1, abs=0.01
        )


def test_a_new_model_given_too_early_is_served_through_the_adapter(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        opened.embedding.migrate(NEW, steps=1)
    with bardo.open(folder, embedder=NEW) as opened:
        assert opened.stats()["embedding"]["migration"]["serving"] == "adapter"
        hits = sum(opened.recall(text, limit=5)[0].text == text for text in SENTENCES[::7])
        assert hits >= 0.9 * len(SENTENCES[::7])
        assert any("adapter" in note for note in opened.recall("Ann", limit=1).notes)
        with pytest.raises(EmbeddingMismatchError):
            opened._session.log.put_vectors(
                [opened.recall("Ann", limit=1)[0].id],
                np.zeros((1, 32), np.float32), np.zeros((0, 32), np.float32), [0], NEW.fingerprint,
            )  # fmt: skip
        assert opened.embedding.migrate(NEW).switched
        assert opened.recall("Ann", limit=1).notes == ()
    assert not (folder / migration.ADAPTER_FILE).exists()
    assert not (folder / migration.MIGRATION_FILE).exists()


def test_a_look_at_what_came_is_settled_while_the_adapter_serves(folder, monkeypatch):
    with bardo.open(folder, embedder=OLD) as opened:
        opened.embedding.migrate(NEW, steps=1)
    with bardo.open(folder, embedder=NEW) as opened:
        detector, settled = opened._retrieval._detector, []
        monkeypatch.setattr(
            opened._retrieval,
            "_detector",
            SimpleNamespace(changes=detector.changes, mark_seen=settled.append),
        )
        bardo.drop(folder, bardo.Episode("Dora repaired the lighthouse"))
        assert opened.recall("lighthouse", limit=1)[0].text == "Dora repaired the lighthouse"
        assert len(settled) == 1


def test_fewer_steps_than_none_are_refused(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        with pytest.raises(InvalidInputError, match="steps is -1"):
            opened.embedding.migrate(NEW, steps=-1)
        assert "migration" not in opened.stats()["embedding"]


def test_a_migration_given_up_leaves_no_trace(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        opened.embedding.migrate(NEW, steps=1)
        opened.embedding.abandon()
        assert opened._session.log.staged() is None
        assert "migration" not in opened.stats()["embedding"]
        with pytest.raises(InvalidInputError):
            opened.embedding.abandon()
        with pytest.raises(InvalidInputError, match="already"):
            opened.embedding.migrate(OLD)


CHILD = """
    import os, sys
    sys.path[:0] = [{tests!r}]
    from test_migration import NEW, OLD
    import bardo
    from bardo import _core
    from bardo.index.embedding.migration import Migration

    point = {point!r}
    opened = bardo.open({folder!r}, embedder=OLD)
    if point == "staging":
        opened.embedding.migrate(NEW, steps=1)
        os._exit(9)
    if point == "before the log":
        Migration.complete_switch = lambda self: os._exit(9)
    else:
        # Between the two stores: the log has switched, the facts have not.
        from bardo.index.embedding import migration
        real = migration.is_same_space
        def fatal(left, right):
            if opened._session.log.fingerprint.model == "new":
                os._exit(9)
            return real(left, right)
        migration.is_same_space = fatal
    opened.embedding.migrate(NEW)
"""


@pytest.mark.parametrize("point", ["staging", "before the log", "between the stores"])
def test_a_killed_migration_goes_on_and_the_store_is_never_half_of_each(folder, point):
    script = textwrap.dedent(CHILD).format(tests=str(Path(__file__).parent), folder=str(folder), point=point)
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert child.returncode == 9, child.stderr
    switching = json.loads((folder / migration.MIGRATION_FILE).read_bytes())["switching"]
    assert switching == (point != "staging")
    with bardo.open(folder, embedder=NEW if switching else OLD) as opened:
        if not switching:
            assert opened._session.log.fingerprint.model == opened._session.facts.fingerprint.model == "old"
            assert opened.embedding.migrate(NEW).switched
        assert opened._session.log.fingerprint.model == opened._session.facts.fingerprint.model == "new"
        assert not opened._session.log.without_vectors()
        assert not opened._session.facts.without_vectors()
        assert opened.recall(SENTENCES[30], limit=1)[0].text == SENTENCES[30]
    assert not (folder / migration.MIGRATION_FILE).exists()


def test_a_curator_pass_moves_a_named_migration_on(tmp_path, monkeypatch):
    named = {"minilm": OLD, "wordllama": NEW}
    monkeypatch.setattr(
        embedders, "load", lambda settings=None: named[settings.model if settings else "minilm"]
    )
    with bardo.open(tmp_path / "agent") as opened:
        opened.remember(SENTENCES)
        assert not opened.embedding.migrate("wordllama", steps=1).switched
        opened.sleep()
        opened.sleep()
        assert opened.stats()["model"] == "new"
    settings = tomllib.loads((tmp_path / "agent" / "bardo.toml").read_text())
    assert settings["embedding"]["model"] == "wordllama"
    with bardo.open(tmp_path / "agent") as opened:
        assert opened.stats()["model"] == "new"


def test_recall_goes_on_in_other_threads_while_the_model_is_switched(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        wrong: list[object] = []
        over = threading.Event()

        def ask() -> None:
            while not over.is_set():
                try:
                    found = opened.recall(SENTENCES[42], limit=1)[0].text
                except Exception as error:
                    found = repr(error)
                if found != SENTENCES[42]:
                    wrong.append(found)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        opened.embedding.migrate(NEW)
        over.set()
        for thread in threads:
            thread.join()
        assert not wrong


def test_a_memory_deleted_during_a_migration_has_no_staged_vector(folder):
    with bardo.open(folder, embedder=OLD) as opened:
        opened.embedding.migrate(NEW, steps=1)
        first = next(iter(opened.episodes.list(last=len(SENTENCES))))
        staged = opened._session.log.staged()[1]
        opened.forget(first, reason="asked to")
        assert opened._session.log.staged()[1] == staged - 1
        assert opened.embedding.migrate(NEW).switched


def test_a_model_named_when_a_memory_is_made_is_found_again_by_a_plain_open(tmp_path, monkeypatch):
    named = {"minilm": OLD, "wordllama": NEW}
    monkeypatch.setattr(
        embedders, "load", lambda settings=None: named[settings.model if settings else "minilm"]
    )
    with bardo.open(tmp_path / "agent", config={"embedding": {"model": "wordllama"}}) as opened:
        opened.remember("what was embedded by the named model")
        opened.recall("named model")
    with bardo.open(tmp_path / "agent") as opened:
        assert opened.recall("named model")[0].text == "what was embedded by the named model"


def test_when_the_old_model_is_gone_the_new_one_serves_through_the_adapter(tmp_path, monkeypatch):
    class Gone:
        @property
        def fingerprint(self) -> Fingerprint:
            raise EmbedderUnavailableError("the old model is not here any more. Migrate")

        def embed_documents(self, texts):
            raise EmbedderUnavailableError("the old model is not here any more. Migrate")

        embed_queries = embed_documents

    named: dict[str, object] = {"minilm": OLD, "wordllama": NEW}
    monkeypatch.setattr(
        embedders, "load", lambda settings=None: named[settings.model if settings else "minilm"]
    )
    with bardo.open(tmp_path / "agent") as opened:
        opened.remember(SENTENCES)
        opened.embedding.migrate("wordllama", steps=1)
    named["minilm"] = Gone()
    with bardo.open(tmp_path / "agent") as opened:
        assert opened.stats()["embedding"]["migration"]["serving"] == "adapter"
        assert opened.recall(SENTENCES[3], limit=3)[0].text == SENTENCES[3]
        assert opened.embedding.migrate("wordllama").switched


def test_real_models_migrate_with_the_recall_of_a_fresh_index(tmp_path, minilm):
    texts = SENTENCES[:60]
    with bardo.open(tmp_path / "moved", embedder=minilm) as opened:
        opened.remember(texts)
        opened.recall("warm")
        light = embedders.load(bardo.Config(embedding=bardo.config.Embedding("wordllama")).embedding)
        report = opened.embedding.migrate(light)
        assert report.switched
        assert report.adapter in {"procrustes", "affine", "residual"}
        with bardo.open(tmp_path / "fresh", embedder=light) as fresh:
            fresh.remember(texts)
            for query in ("who missed a train?", "painting at midnight", "the oracle"):
                moved = [memory.text for memory in opened.recall(query, limit=5)]
                assert moved == [memory.text for memory in fresh.recall(query, limit=5)]


class SlowToRead:
    """The old model, which waits where a text says `slow`."""

    def __init__(self) -> None:
        self.asked, self.answer = threading.Event(), threading.Event()
        self.fingerprint = OLD.fingerprint

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        if any("slow" in text for text in texts):
            self.asked.set()
            assert self.answer.wait(30)
        return OLD.embed_documents(texts)

    def embed_queries(self, texts: list[str]) -> np.ndarray:
        return OLD.embed_queries(texts)


def test_a_switch_waits_for_what_is_being_learned(folder):
    slow = SlowToRead()
    with bardo.open(folder, embedder=slow) as opened:
        learning = threading.Thread(target=lambda: opened.learn("The slow train leaves at eight"))
        learning.start()
        assert slow.asked.wait(30)
        moving = threading.Thread(target=lambda: opened.embedding.migrate(NEW))
        moving.start()
        moving.join(2)
        assert moving.is_alive(), "it switched while a vector of the old model was being made"
        slow.answer.set()
        learning.join()
        moving.join()
        assert_all_is_of_the_new_model(opened, "The slow train leaves at eight")


def assert_all_is_of_the_new_model(opened: bardo.Grimoire, learned: str) -> None:
    assert opened._session.log.fingerprint.model == opened._session.facts.fingerprint.model == "new"
    assert opened._session.facts.without_vectors(10) == []
    assert learned in [memory.text for memory in opened.recall(learned)]
    opened.remember("Ann came by on day 100")
    assert opened.recall("Who came by on day 100?").notes == ()
    assert opened.sleep().notes == ()


def test_a_fact_learned_by_another_process_during_the_switch_is_switched(folder, monkeypatch):
    with bardo.open(folder, embedder=OLD) as opened:
        late, remove = "The harbour freezes in January", migration.shutil.rmtree

        def learn_elsewhere(*path, **options):
            remove(*path, **options)
            vectors = np.ascontiguousarray(OLD.embed_documents([late]), np.float32)
            fact = bardo.Fact(late, created_tick=1, reinforced_tick=1, origin=opened.agent)
            opened._session.facts.upsert([fact], tick=1, now=1, vectors=vectors, fingerprint=OLD.fingerprint)

        monkeypatch.setattr(migration.shutil, "rmtree", learn_elsewhere)
        assert opened.embedding.migrate(NEW).switched
        monkeypatch.undo()
        assert_all_is_of_the_new_model(opened, late)


def test_a_switch_that_is_done_is_in_force_even_where_its_end_fails(folder, monkeypatch):
    with bardo.open(folder, embedder=OLD) as opened:
        monkeypatch.setattr(DriftWatch, "forget", broken)
        with pytest.raises(OSError, match="the disk is away"):
            opened.embedding.migrate(NEW)
        monkeypatch.undo()
        assert_all_is_of_the_new_model(opened, "Kitchens are painted in Vienna")


def broken(*given: object) -> None:
    raise OSError("the disk is away")


def test_a_switch_that_is_half_done_says_so_mixes_nothing_and_is_ended_by_the_next_try(folder, monkeypatch):
    with bardo.open(folder, embedder=OLD) as opened:
        switch = migration.Migration._switch

        def first_alone(moving, store):
            if store is opened._session.facts:
                broken()
            switch(moving, store)

        monkeypatch.setattr(migration.Migration, "_switch", first_alone)
        with pytest.raises(OSError, match="the disk is away"):
            opened.embedding.migrate(NEW)
        opened.remember("Ann came by on day 99")
        found = opened.recall("day 99")
        assert found[0].text == "Ann came by on day 99"
        assert any("the switch to new began and did not end" in note for note in found.notes)
        opened.learn("Ann comes by on Mondays")
        monkeypatch.undo()
        opened.embedding.migrate(NEW)
        assert_all_is_of_the_new_model(opened, "Ann comes by on Mondays")
