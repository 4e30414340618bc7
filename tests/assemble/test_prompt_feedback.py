"""Outcomes of prompts: kept, and used only with enough evidence and only if switched on."""

from __future__ import annotations

import json
import sqlite3
import types

import pytest

import bardo
from bardo.assemble import prompt_feedback as kept
from bardo.assemble.learned_weights import FACTORS, LARGEST_FACTOR, caps
from bardo.assemble.prompt_feedback import WAITING, PromptFeedback
from bardo.errors import InvalidInputError, NotFoundError, StoreDamagedError
from helpers.models import flat


def open_agent(folder, **feedback):
    embedder = flat()
    return bardo.open(folder, embedder=embedder, config={"feedback": feedback})


def fill(folder, *, outcomes: int, task: str = "routine") -> None:
    """Records of prompts that went well when their memories were fresh, and badly when they were old."""
    records = PromptFeedback(folder, learn=True, evidence=1)
    with records._database.writing() as connection:
        for number in range(outcomes):
            fresh = number % 2
            blocks = json.dumps(
                [["past_events", 400 + 300 * fresh, 800, False], ["knowledge", 200, 400, False]]
            )
            memories = json.dumps([["m", "episode", 0.5, float(fresh), 0.5, 0.5]])
            connection.execute(
                "INSERT INTO prompts (id, at, tick, task, phase, window, blocks, memories, acted, value) "
                "VALUES (?, 0, 0, ?, '', 2700, ?, ?, 1, ?)",
                (f"p{number}", task, blocks, memories, 1.0 if fresh else -1.0),
            )
    records.close()


def test_a_prompt_its_memories_and_its_outcome_are_on_record_after_reopening(tmp_path):
    with open_agent(tmp_path / "a") as opened:
        opened.remember(["Lag was two blocks", "Liquidations followed"])
        prompt = opened.context("What follows an oracle update?", task_type="anomaly")
        opened.context("Something else?")
        opened.prompts.acted(prompt)
        with pytest.raises(NotFoundError, match=r"List them"):
            opened.prompts.acted(opened_elsewhere(prompt))
        opened.outcome(prompt, value=0.4)
    with sqlite3.connect(tmp_path / "a" / "feedback.db") as connection:
        rows = connection.execute("SELECT id, task, acted, value, blocks, memories FROM prompts").fetchall()
    assert [row[2:4] for row in rows] == [(1, 0.4), (None, None)]
    assert rows[0][:2] == (prompt.id, "anomaly")
    assert {name for name, *_ in json.loads(rows[0][4])} >= {"instruction", "past_events"}
    assert [memory[0] for memory in json.loads(rows[0][5])] == [memory.id for memory in prompt.memories]
    with open_agent(tmp_path / "a") as opened:
        stats = opened.stats()["feedback"]
        assert (stats["prompts"], stats["outcomes"], stats["learning"]) == (2, 1, False)


def opened_elsewhere(prompt):
    return bardo.assemble.context.assemble({"instruction": "another prompt"})


def test_weights_move_towards_what_went_with_good_outcomes_within_bounds(tmp_path):
    fill(tmp_path, outcomes=60)
    learned = PromptFeedback(tmp_path, learn=True, evidence=30).learned("routine")
    assert learned.in_force
    assert learned.outcomes == 60
    assert learned.defaults == FACTORS
    assert learned.factors["temporal"] > 1.3 * FACTORS["temporal"]
    assert sum(learned.factors.values()) == pytest.approx(1, abs=1e-3)
    assert all(
        1 / LARGEST_FACTOR**2 <= learned.factors[name] / weight <= LARGEST_FACTOR**2
        for name, weight in FACTORS.items()
    )
    assert learned.shares["past_events"] > 1
    assert "knowledge" not in learned.shares
    given = caps(learned, 2_700, ["past_events", "knowledge", "instruction"])
    assert 800 < given["past_events"] <= 1_200
    assert set(given) == {"past_events"}


@pytest.mark.parametrize(("learn", "evidence"), [(False, 10), (True, 100)])
def test_learned_weights_are_unused_while_off_or_with_thin_evidence(tmp_path, learn, evidence):
    (tmp_path / "a").mkdir()
    fill(tmp_path / "a", outcomes=60)
    with open_agent(tmp_path / "a", learn=learn, evidence=evidence) as opened:
        (shown,) = opened.stats()["feedback"]["tasks"]
        assert shown["task_type"] == "routine"
        assert not shown["in_force"]
        assert shown["factors"] != shown["defaults"] == FACTORS
        opened.remember("Lag was two blocks")
        memory = opened.context("lag of blocks?", task_type="routine").memories[0]
        assert memory.score == pytest.approx(opened.recall("lag of blocks?")[0].score)


def test_learned_weights_are_gone_by_in_their_kind_of_task_and_can_be_unlearned(tmp_path):
    (tmp_path / "a").mkdir()
    fill(tmp_path / "a", outcomes=200)
    with open_agent(tmp_path / "a", learn=True) as opened:
        opened.remember("Lag was two blocks")
        scores = [
            opened.context("lag of blocks?", task_type=task).memories[0].score
            for task in ("routine", "anomaly")
        ]
        assert scores[0] != pytest.approx(scores[1], abs=1e-6)
        opened.prompts.reset_weights()
        again = opened.context("lag of blocks?", task_type="routine").memories[0].score
        assert again == pytest.approx(scores[1])
        assert opened.stats()["feedback"]["outcomes"] == 0


def test_a_forgotten_memory_is_in_no_record(tmp_path):
    with open_agent(tmp_path / "a") as opened:
        first = opened.remember("Lag was two blocks")
        opened.outcome(opened.context("lag?"), value=1.0)
        opened.forget(first, reason="asked to")
    assert first.id.encode() not in (tmp_path / "a" / "feedback.db").read_bytes()


def test_old_prompts_are_dropped_those_with_an_outcome_later_and_by_kind_of_task(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "KEPT_OPEN", 100)
    monkeypatch.setattr(kept, "KEPT_SETTLED", 30)
    fill(tmp_path, outcomes=80)
    fill(tmp_path, outcomes=20, task="anomaly")
    with open_agent(tmp_path) as opened:
        doomed = opened.remember("Lag was two blocks")
        prompts = [opened.context(f"What follows update {number}?") for number in range(4 * WAITING)]
        stats = opened.stats()["feedback"]
        assert (stats["prompts"], stats["outcomes"]) == (100 + 50, 50)
        assert {each["task_type"]: each["outcomes"] for each in stats["tasks"]} == {
            "routine": 30,
            "anomaly": 20,
        }
        opened.prompts.acted(prompts[-1])
        with pytest.raises(NotFoundError):
            opened.prompts.acted(prompts[0])
        opened.forget(doomed, reason="asked to")
        for path in tmp_path.glob("feedback.db*"):
            assert doomed.id.encode() not in path.read_bytes()


def test_dropped_prompt_records_leave_no_ids_of_deleted_memories(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "KEPT_OPEN", 10)
    with open_agent(tmp_path) as opened:
        doomed = opened.remember("Lag was two blocks")
        opened.context("What was the lag?")
        opened.remember("Liquidations followed")
        for number in range(2 * WAITING):
            opened.context(f"Update {number}?", layers=("fact",))
        opened.forget(doomed, reason="asked to")
        for path in tmp_path.glob("feedback.db*"):
            assert doomed.id.encode() not in path.read_bytes()


def test_recording_can_be_switched_off_and_damage_is_a_typed_error(tmp_path):
    with open_agent(tmp_path / "a", record=False) as opened:
        opened.outcome(opened.context("anything?"), value=1.0)
        assert opened.stats()["feedback"]["prompts"] == 0
    (tmp_path / "a" / "feedback.db").write_bytes(b"no database at all" * 100)
    with open_agent(tmp_path / "a") as opened, pytest.raises(StoreDamagedError, match=r"feedback\.db"):
        opened.stats()


def test_an_outcome_leaves_out_the_facts_that_were_forgotten_meanwhile(tmp_path):
    with open_agent(tmp_path / "a") as opened:
        kept, gone = opened.learn(["Lag follows updates", "Gas is cheap at night"], confidence=0.5)
        prompt = opened.context("When is gas cheap, and what follows updates?")
        assert {memory.id for memory in prompt.memories} == {kept.id, gone.id}
        opened.forget(gone, reason="test")

        report = opened.outcome(prompt, value=1.0)
        assert (report.ids, report.missing, report.reinforced) == ((kept.id,), (gone.id,), 1)
        assert "not there any more" in report.notes[0]
        assert opened.facts.get(kept.id).confidence > 0.5
        assert [episode.kind for episode in opened.episodes.list()] == ["outcome"]


def test_an_outcome_is_taken_though_the_record_of_prompts_is_damaged(tmp_path):
    with open_agent(tmp_path / "a") as opened:
        fact = opened.learn("Lag follows updates", confidence=0.5)
        found = opened.recall("What follows updates?")
        (tmp_path / "a" / "feedback.db").write_bytes(b"no database at all" * 100)

        report = opened.outcome(found, value=1.0)
        assert report.reinforced == 1
        assert "damaged" in report.notes[0]
        assert opened.facts.get(fact.id).confidence > 0.5


def test_an_outcome_that_is_refused_stores_nothing(tmp_path):
    with open_agent(tmp_path / "a") as opened:
        told = types.SimpleNamespace(
            id="p", memories=[types.SimpleNamespace(id="no id", layer="fact", text="x", source="self")]
        )
        with pytest.raises(InvalidInputError):
            opened.outcome(told, value=1.0)
        assert list(opened.episodes.list()) == []
