"""A new dose of a medicine replaces the one that was told, with or without a named owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.chats import lived


def in_force(tmp_path: Path, *texts: str) -> list[str]:
    """Texts of the facts in force after some turns."""
    with lived(tmp_path, [("Nadia", text) for text in texts]) as memory:
        return [fact.text for fact in memory.facts.list()]


@pytest.mark.parametrize(
    ("first", "second", "old"),
    [
        ("I take bisoprolol 5 mg every morning", "Saw the nurse, so the bisoprolol's up to 10 mg", "5 mg"),
        (
            "I'm on levothyroxine 75 micrograms",
            "She raised the levothyroxine to 100 after the blood test",
            "75",
        ),
        ("I take 20 mg of citalopram", "They lowered my citalopram to 10 mg", "20 mg"),
    ],
)
def test_a_new_dose_ends_the_dose_before(tmp_path: Path, first: str, second: str, old: str) -> None:
    assert not [text for text in in_force(tmp_path, first, second) if old in text]


@pytest.mark.parametrize(
    "second",
    [
        "My father's bisoprolol is up to 10 mg now",
        "They raised the citalopram to 10 mg",
    ],
)
def test_another_dose_ends_nothing(tmp_path: Path, second: str) -> None:
    facts = in_force(tmp_path, "I take bisoprolol 5 mg every morning", second)
    assert "Nadia takes bisoprolol 5 mg every morning" in facts


@pytest.mark.parametrize(
    "text",
    [
        "I love being on call so much I could cry",
        "I like jam far too much",
        "I'm allergic to you, figuratively",
    ],
)
def test_a_joke_about_a_liking_is_no_fact(tmp_path: Path, text: str) -> None:
    assert in_force(tmp_path, text) == []
