"""A turn is captured on both sides and never stopped by the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.errors import InvalidInputError

QUIET = {"embedding": {"batch": 0}}


def broken(texts: list[str]) -> list[list[float]]:
    """A model that must not be asked."""
    raise AssertionError(f"a turn waited for the model: {texts}")


@pytest.fixture
def memory(tmp_path: Path):
    with bardo.open(tmp_path / "agent", config=QUIET, embedder=broken) as opened:
        yield opened


def test_both_sides_are_captured_and_equal_turns_are_not_one(memory: bardo.Grimoire) -> None:
    for _ in range(2):
        with memory.turn("yes", thread="desk", session="s1") as turn:
            turn.reply("fine")
    memory.turn("bye", reply="goodbye")
    found = list(memory.episodes.list())
    assert [(each.role, each.text) for each in found] == [
        ("user", "yes"), ("agent", "fine"), ("user", "yes"), ("agent", "fine"), ("user", "bye"), ("agent", "goodbye")
    ]  # fmt: skip
    assert {(each.thread, each.session, each.kind) for each in found[:4]} == {("desk", "s1", "turn")}


def test_a_turn_has_related_memories_and_the_state_within_its_budget(memory: bardo.Grimoire) -> None:
    memory.remember([f"The oracle of pool {number} was late" for number in range(50)])
    with bardo.gate(memory.path, words_only=True) as gate:
        for number in range(30):
            gate.reject(f"use oracle number {number}")
    turn = memory.turn("Was the oracle late?", limit=2, budget=400)
    assert len(turn.memories) == 2
    assert turn.tokens <= 400
    assert "The oracle of pool" in str(turn)
    assert "rejected (" in str(turn)
    assert any("are not in the block conduct" in note for note in turn.notes)
    # The text that was handed back is not captured as new.
    assert memory.turn(f"{turn}\nAnd pool 7?").memories
    assert [each.text for each in memory.episodes.list(last=1)] == ["\nAnd pool 7?"]


def test_a_failing_part_is_a_note_and_no_error(memory: bardo.Grimoire) -> None:
    with bardo.gate(memory.path, words_only=True) as gate:
        gate.reject("use MongoDB")
    (memory.path / "conduct.db").unlink()
    memory.forget(memory.remember("a secret", role="user", kind="turn"), reason="asked to")
    turn = memory.turn("a secret")
    assert any("state and rejections are left out" in note for note in turn.notes)
    assert any("was forgotten on purpose" in note for note in turn.notes)
    turn.reply("x" * 100_000)
    assert len(next(iter(memory.episodes.list(last=1))).text) == 64 * 1024
    turn.reply("   ")
    assert "the text is empty" in turn.notes[-1]
    turn = memory.turn("something", subjects=["z" * 300])
    assert any("the user's side was not captured" in note for note in turn.notes)
    with pytest.raises(InvalidInputError, match="neither side"):
        memory.turn("  ")
    with pytest.raises(InvalidInputError, match="needs a name"):
        memory.turn("hello", lasting=True)
