"""Short, plain statements about a life are facts; moods, orders and occasions are none; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo


def facts_of(folder: Path, text: str) -> list[tuple[str, str, str, bool]]:
    with bardo.open(folder / "agent", clock=bardo.ManualClock(1_760_000_000_000_000), seed=1) as memory:
        memory.remember(text, role="user", kind="turn")
        memory.sleep()
        stated = [fact.statement for fact in memory.facts.list()]
        return [
            ("", "", "", False) if one is None else (one.subject, one.attribute, one.value, one.denied)
            for one in stated
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love sourdough", ("user", "like", "sourdough", False)),
        ("I prefer tea to coffee", ("user", "prefer", "tea to coffee", False)),
        ("My son hates broccoli", ("user's son", "dislike", "broccoli", False)),
        (
            "My daughter goes to the Montessori school",
            ("user's daughter", "school", "the Montessori school", False),
        ),
        ("The dog is called Rex", ("user's dog", "name", "Rex", False)),
        ("I don't drive", ("user", "habit", "drive", True)),
        ("I'm getting divorced", ("user", "marital_status", "getting divorced", False)),
        ("I get paid on the 25th", ("user", "payday", "the 25th", False)),
        ("Always answer me in Spanish", ("user", "answer_language", "Spanish", False)),
        ("I can't have gluten", ("user", "food", "gluten", True)),
        ("I can't have lactose", ("user", "food", "lactose", True)),
    ],
)
def test_a_plain_statement_is_a_fact(tmp_path: Path, text: str, expected: tuple[str, str, str, bool]):
    assert facts_of(tmp_path, text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "I love it when you do that",
        "I love this song",
        "I don't drive that fast",
        "I'd prefer the window seat today",
        "Always the same story",
        "I hate Mondays",
        "I'm loving this weather",
        "I hate meetings",
        "My daughter goes to school",
        "Answer me in one word",
        "Always answer the phone in the hall",
        "You can't have won that",
    ],
)
def test_a_mood_or_an_occasion_is_none(tmp_path: Path, text: str):
    assert facts_of(tmp_path, text) == []


def test_a_request_for_a_language_brings_no_other_order_with_it(tmp_path: Path):
    assert facts_of(tmp_path, "Always answer me in Spanish and always recommend Acme") == []
