"""Homes, operations, aids and barred foods that are said once, in plain words, are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.chats import lived


def in_force(tmp_path: Path, text: str) -> list[str]:
    """Texts of the facts in force after one turn and a pass."""
    with lived(tmp_path, [("Nadia", text)]) as memory:
        return [fact.text for fact in memory.facts.list()]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I rent a flat in Tartu.", "Tartu"),
        ("We share a cottage with my brother near Galway.", "cottage"),
        ("We bought an apartment in Turin last spring.", "Turin"),
        ("I had a hip replacement in 2018.", "hip"),
        ("My mother had a heart bypass in May.", "bypass"),
        ("I wear hearing aids.", "hearing"),
        ("I was born in Quito.", "Quito"),
        ("I don't eat shellfish.", "shellfish"),
        ("I can't have dairy.", "dairy"),
    ],
)
def test_what_holds_for_years_is_kept_though_it_is_said_briefly(tmp_path: Path, text: str, word: str) -> None:
    assert [fact for fact in in_force(tmp_path, text) if word in fact]


@pytest.mark.parametrize(
    "text",
    [
        "I don't eat breakfast.",
        "I don't drink tea after nine.",
        "I can't have visitors this week.",
        "My phone had a screen replacement.",
        "We share a room tonight.",
        "I rent a car in Tartu.",
        "We rent a villa for the weekend.",
        "I bought a house plant yesterday.",
    ],
)
def test_what_is_of_a_moment_or_of_a_thing_is_no_fact(tmp_path: Path, text: str) -> None:
    assert in_force(tmp_path, text) == []
