"""A memory as it is seen by who does not own it: the same answers, and not a byte of it changed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo import errors
from bardo._core import FactStore
from bardo.model import Episode
from helpers.models import WORD_DIMS, word_vectors

HOSTILE = [
    "", " \n\t ", "\0", "'; DROP TABLE facts; --", '" OR text:*', "a' OR '1'='1", "(((", "*", "NEAR/3", "\\", "%_",
    "\ud800 lone", "\u202eelddim", "日本語 на русском", "x" * 100_000, "word " * 20_000,
]  # fmt: skip


def other(texts: list[str]) -> np.ndarray:
    return word_vectors(texts)[:, : WORD_DIMS // 2] + 1.0


def by_vectors(memory: bardo.Memory) -> bool:
    """Whether its vector was compared."""
    return any(reason.arm == "dense" and reason.value is not None for reason in memory.why.arms)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A grimoire that has slept, and that no process owns at present."""
    with bardo.open(tmp_path / "agent", embedder=word_vectors, seed=1) as grimoire:
        grimoire.remember(
            [
                Episode(
                    f"the keeper of gate {n} met traveller {n * 7 % 101}",
                    at=n + 1,
                    subjects=["o'neil"] if n % 4 else (),
                )
                for n in range(60)
            ]
        )
        grimoire.learn(["Keepers meet travellers at gates", "Gates close at dusk"], category="gates/keepers")
        grimoire.sleep()
    return tmp_path / "agent"


def everything_in(folder: Path) -> dict[str, bytes]:
    """The bytes of every file but those that SQLite makes for its readers."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("facts.db-")
    }


def test_a_visitor_finds_what_the_owner_finds_and_explains_it_alike(folder: Path) -> None:
    questions = [f"keeper of gate {n} and traveller {n * 7 % 101}" for n in range(0, 60, 7)]
    config = {"embedding": {"late_interaction": False}}
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        seen = [visitor.recall(question, limit=3) for question in questions]
    with bardo.open(folder, embedder=word_vectors, config=config) as grimoire:
        known = [grimoire.recall(question, limit=3) for question in questions]
    for ours, theirs in zip(seen, known, strict=True):
        assert ours[0].text == theirs[0].text
        assert ours[0].id == theirs[0].id
        assert {arm.arm for arm in ours[0].why.arms} == {arm.arm for arm in theirs[0].why.arms}
        assert ours[0].why.matched == theirs[0].why.matched
        assert ours[0].why.provenance == theirs[0].why.provenance


def test_a_visitor_changes_no_byte_and_leaves_no_sign_that_anything_was_recalled(folder: Path) -> None:
    before = everything_in(folder)
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        assert visitor.recall("keepers at gates")
        assert not visitor.recall("zebra", layers=["fact"], category="gates", min_confidence=1.0)
        visitor.recall("zebras on bicycles")
        visitor.recall("zebras on bicycles")
        assert visitor.facts.list(category="gates")
        assert visitor.stats()["archive"]["rows"] == 60
    assert everything_in(folder) == before
    with bardo.open(folder, embedder=word_vectors) as grimoire:
        lease, change = (folder / "lease.json").read_bytes(), grimoire._session.facts.last_change
        with bardo.visit(folder, embedder=word_vectors) as visitor:
            assert visitor.recall("keepers at gates", layers=["fact"])
        assert grimoire._session.facts.last_change == change
        assert grimoire._session.facts.unanswered_questions() == []
        assert (folder / "lease.json").read_bytes() == lease
        assert all(fact.mentions == 0 for fact in grimoire.facts.list())


def test_the_conditions_are_those_of_a_recall_by_the_owner(folder: Path) -> None:
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        about = visitor.recall("the keeper of a gate", subjects=["o'neil"], limit=20)
        assert about
        assert all("o'neil" in memory.record.subjects for memory in about)
        assert all(
            10 <= memory.at <= 20
            for memory in visitor.recall("keeper", layers=["episode"], since=10, until=20)
        )
        assert {memory.layer for memory in visitor.recall("keepers", layers=["fact"])} == {"fact"}
        assert {memory.layer for memory in visitor.recall("keepers", category="gates")} == {"fact"}
        assert visitor.recall("keepers of gates", layers=["fact"]).notes == ()
        assert not visitor.recall("keepers of gates", layers=["fact"], as_of=0)
        assert len(visitor.recall("keeper of gate", limit=2)) == 2
        with pytest.raises(errors.InvalidInputError):
            visitor.recall("keeper", limit=0)
        with pytest.raises(errors.InvalidInputError):
            visitor.recall("keeper", kinds="event")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_a_query(folder: Path, text: str) -> None:
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        if text.strip():
            visitor.recall(text)
        else:
            with pytest.raises(errors.InvalidInputError, match="the query is"):
                visitor.recall(text)
        name = text.encode("utf-8", "replace").decode()
        assert not visitor.recall("keeper", subjects=[name], kinds=[name], thread=name, mode=name)
        assert [memory.layer for memory in visitor.recall("the keeper of gate 5", limit=1)] == ["episode"]


def test_with_another_model_memories_are_found_by_their_words(folder: Path) -> None:
    with bardo.visit(folder, embedder=other) as visitor:
        found = visitor.recall("the keeper of gate 13")
        assert "gate 13 " in found[0].text
        assert not by_vectors(found[0])
        assert any(
            "searched by words alone" in note and "but the embedder is" in note for note in found.notes
        )


def test_a_visitor_goes_over_to_another_model_with_the_owner(folder: Path) -> None:
    with (
        bardo.open(folder, embedder=word_vectors) as grimoire,
        bardo.visit(folder, embedder=word_vectors) as before,
        bardo.visit(folder, embedder=other) as after,
    ):
        assert by_vectors(before.recall("the keeper of gate 13")[0])
        assert after.recall("the keeper of gate 13")
        grimoire.embedding.migrate(other)
        grimoire.sleep()
        for visitor, has_vectors in ((before, False), (after, True)):
            found = visitor.recall("the keeper of gate 13")
            assert "gate 13 " in found[0].text, found.notes
            assert by_vectors(found[0]) == has_vectors, found.notes


def test_ticks_of_the_callers_own_are_seen(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "agent", embedder=word_vectors) as grimoire:
        grimoire.learn("Gates close at dusk")
        with bardo.visit(tmp_path / "agent", embedder=word_vectors) as visitor:
            assert visitor.now_tick > 1_000_000_000
    with bardo.open(tmp_path / "loops", embedder=word_vectors) as grimoire:
        fact = grimoire.learn("Gates close at dusk", tick=7)
        grimoire.remember("the gate closed", tick=700)
        with bardo.visit(tmp_path / "loops", embedder=word_vectors) as visitor:
            assert visitor.now_tick == 7
            assert visitor.facts.confidence(fact) == pytest.approx(0.7)
            grimoire.sleep()
            assert visitor.now_tick == 700
            assert visitor.facts.confidence(fact) == pytest.approx(grimoire.facts.confidence(fact))
            assert visitor.facts.confidence(fact.id) == pytest.approx(grimoire.facts.confidence(fact.id))


def test_ticks_are_told_to_visitors_of_a_memory_that_is_older_than_they(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with bardo.open(folder, embedder=word_vectors) as grimoire:
        grimoire.remember("the gate closed", tick=7)
        fact = grimoire.learn("Gates close at dusk")
        grimoire._session.facts.upsert([], tick=7, now=0, actor="clock", marks={"clock.loops": 0})
    bardo.open(folder, embedder=word_vectors).close()
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        assert visitor.now_tick == fact.created_tick == 7


def test_a_folder_that_cannot_be_visited_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match="no grimoire"):
        bardo.visit(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").write_text("I am not a folder")
    with pytest.raises(errors.StoreUnavailableError, match="is a file"):
        bardo.visit(tmp_path / "file")
    with bardo.open(tmp_path / "agent", embedder=word_vectors):
        pass
    with pytest.raises(errors.StoreForeignError):
        bardo.visit(tmp_path / "agent", agent="somebody else")
    visitor = bardo.visit(tmp_path / "agent", embedder=word_vectors)
    assert visitor.facts.list() == []
    assert visitor.recall("anything").notes[-2].startswith("no episodes of LanceDB were searched")
    assert visitor.stats()["archive"] is None
    visitor.close()
    visitor.close()
    with pytest.raises(errors.GrimoireClosedError, match="Visit it again"):
        visitor.recall("anything")
    (tmp_path / "agent" / "facts.db").unlink()
    with pytest.raises(errors.NotFoundError, match="no facts"):
        bardo.visit(tmp_path / "agent")


def test_facts_of_an_earlier_bardo_are_left_to_their_owner(tmp_path: Path) -> None:
    bardo.open(tmp_path / "agent", embedder=word_vectors).close()
    facts = tmp_path / "agent" / "facts.db"
    with closing(sqlite3.connect(facts)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version - 1}")
        # With the tables of this version the header would be damaged.
        connection.execute("DROP INDEX facts_by_category")
    before = facts.read_bytes()
    with pytest.raises(
        errors.StoreUnavailableError, match=f"schema version {version - 1}, of an earlier bardo"
    ):
        bardo.visit(tmp_path / "agent", embedder=word_vectors)
    assert facts.read_bytes() == before


def test_lost_episodes_are_said_and_facts_still_answer(folder: Path) -> None:
    versions = folder / "index.lance" / "episodes.lance" / "_versions"
    for file in versions.iterdir():
        file.write_bytes(b"scribbles")
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        found = visitor.recall("keepers at gates")
        assert found.facts
        assert any("no episodes of LanceDB were searched" in note for note in found.notes)


def test_facts_that_another_process_learned_and_deleted_are_synchronised(folder: Path) -> None:
    with bardo.visit(folder, embedder=word_vectors) as visitor:
        assert "Gates close at dusk" in [memory.text for memory in visitor.recall("gates at dusk")]
        facts = FactStore(str(folder / "facts.db"), agent=visitor.agent, seed=3)
        facts.forget_facts([fact.id for fact in facts.list() if "dusk" in fact.text])
        facts.upsert([bardo.Fact("Dawn opens gates")], tick=2_000_000_000, now=1)
        facts.close()
        assert "Dawn opens gates" in [memory.text for memory in visitor.recall("dawn opens gates")]
        found = visitor.recall("gates at dusk")
        assert "Gates close at dusk" not in [memory.text for memory in found]
