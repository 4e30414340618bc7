"""Parts of a task: each clause that asks or orders is looked up apart, and takes a few places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bardo
from bardo.ports import ManualClock, Tokens
from bardo.recall import retriever
from bardo.recall.parts import CHARACTERS, PARTS, clauses_of, parts_of
from helpers.models import word_vectors

THREE = "Raise the crane limit to 30, tell Halden about the delay and book the north hall for Friday"


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        (THREE, ["Raise the crane limit to 30", "tell Halden about the delay", "book the north hall for Friday"]),
        ("Marit asks: what are our limits, who do we clear with?", ["what are our limits", "who do we clear with?"]),
        ("Write the card. Order the cake; call the band", ["Write the card", "Order the cake", "call the band"]),
        ("Which port is it, and is the feed on?", ["Which port is it", "is the feed on?"]),
    ],
)  # fmt: skip
def test_a_task_is_split_at_clauses_that_ask_or_order(task: str, parts: list[str]) -> None:
    assert clauses_of(task, "english") == parts


@pytest.mark.parametrize(
    "task",
    [
        "What did Caroline and Melanie do?",
        "When did Ann meet people on a hike and have a bad time?",
        "Why does John say that he feels stuck and questioning his goals?",
        "The port, the host and the login of the feed",
        "Plan Declan's Thursday",
        "I went home and the dog barked. What does he eat?",
        "Aave's oracle was updated. Rebalance?",
        "",
        "Raise the limit, tell the client. " * (CHARACTERS // 30),
    ],
)
def test_other_tasks_have_no_parts(task: str) -> None:
    assert clauses_of(task, "english") == []


def test_another_language_has_no_parts() -> None:
    assert clauses_of(THREE, "") == []


def test_a_part_has_the_mean_of_its_tokens_in_the_task() -> None:
    task = "open the gate, close the door"
    words = ("open", "the", "gate", ",", "close", "the", "door")
    vectors = np.eye(8, dtype=np.float32)
    counts = (1, 1, 2, 1, 1, 1, 1)
    first, second = parts_of(task, Tokens(words, counts, vectors), "english")
    assert (first.text, second.text) == ("open the gate", "close the door")
    assert first.tokens is not None
    assert second.tokens is not None
    assert (first.tokens.words, first.tokens.counts) == (words[:3], (1, 1, 2))
    assert second.tokens.words == words[4:]
    assert second.vector is not None
    assert np.allclose(second.vector, vectors[5:].mean(axis=0) * 3**0.5)


@example(
    'When it is like "The price oracle is late", pnl is lower (1.2 to 1.5): move the limit, close the book'
)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(
            st.sampled_from(
                [
                    "move the limit",
                    "close it",
                    "is it on",
                    "1.5): ",
                    ": ",
                    ", ",
                    " and ",
                    "; ",
                    ". ",
                    '"',
                    " ",
                    "when",
                ]
            ),
            max_size=12,
        ).map("".join),
    )
)
def test_parts_stand_in_their_task_in_order(task: str) -> None:
    at = 0
    for part in clauses_of(task, "english"):
        at = task.index(part, at) + len(part)
    words = tuple(task.split())
    vectors = np.ones((len(words) + 1, 4), dtype=np.float32)
    assert len(parts_of(task, Tokens(words, (1,) * len(words), vectors), "english")) <= PARTS


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path, embedder=word_vectors, clock=ManualClock(1_800_000_000_000_000)) as opened:
        for number in range(12):
            opened.remember(f"The crane limit to raise was 3{number} in week {number}")
        opened.remember("Halden wants to hear of a delay by phone")
        opened.remember("The north hall has 40 chairs")
        yield opened


def test_each_part_of_a_task_is_among_the_memories(memory: bardo.Grimoire) -> None:
    found = memory.recall(THREE, limit=5)
    assert len(found) == 5
    assert "crane limit" in found[0].text
    assert any("Halden" in text for text in found.texts)
    assert any("north hall" in text for text in found.texts)
    assert len({each.id for each in found}) == 5
    assert [each.text for each in found] == found.texts == [each.record.text for each in found]
    assert memory.recall(THREE, limit=5).id == found.id


def test_a_prompt_has_something_about_each_part(memory: bardo.Grimoire) -> None:
    prompt = str(memory.context(THREE, budget=700, reserve=0))
    assert "40 chairs" in prompt
    assert "by phone" in prompt


def test_parts_take_no_place_of_a_short_answer(
    memory: bardo.Grimoire, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = memory.recall(THREE, limit=3).texts
    monkeypatch.setattr(retriever, "parts_of", lambda *_: [])
    assert memory.recall(THREE, limit=3).texts == found


def test_a_secret_is_hidden_from_the_parts_too(memory: bardo.Grimoire) -> None:
    memory.remember("The password of the north hall is xk7-Rhine-22!")
    found = memory.recall(THREE, limit=8)
    assert not any("xk7" in text for text in found.texts)
    assert any("secret" in note for note in found.notes)


def test_parts_obey_the_filters(memory: bardo.Grimoire) -> None:
    memory.learn("The north hall is closed on Fridays", confidence=0.9)
    found = memory.recall(THREE, limit=5, layers=("fact",))
    assert [each.layer for each in found] == ["fact"]
