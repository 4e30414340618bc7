"""Questions for all that is known of a thing: their own words are not searched."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.recall.overview import searched_text


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What do you know about Ida?", "Ida"),
        ("what else do you remember about the staging cluster", "the staging cluster"),
        ("Tell me about Tarek", "Tarek"),
        ("Can you tell me everything about the Q3 audit?", "the Q3 audit"),
        ("Please tell me all you know about Dr Sand.", "Dr Sand"),
    ],
)
def test_a_question_for_all_that_is_known_searches_its_topic(question: str, topic: str) -> None:
    assert searched_text(question, "english") == topic


@pytest.mark.parametrize(
    "question",
    [
        "Does Ida know about the party?",
        "Who knows about Ida?",
        "What did Ida tell you about the party?",
        "Where does Ida work?",
        "What do you know?",
        "Tell me when Ida is back",
    ],
)
def test_another_question_is_searched_as_it_is(question: str) -> None:
    assert searched_text(question, "english") == question
    assert searched_text("What do you know about Ida?", "") == "What do you know about Ida?"


def test_what_is_told_of_a_person_precedes_small_talk_with_the_words_of_the_question(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a") as g:
        for role, speaker, text in (
            ("user", "Ida", "Hi. I'm Ida, 41, nurse at St. Luke's, ward 4B."),
            ("user", "Tarek", "The print shop let me go today."),
            ("agent", "Moss", "I'm sorry, Tarek. Does Ida know?"),
            ("user", "Tarek", "Ida can't stand loud music at breakfast."),
            ("user", "Ida", "I'm running a half marathon in May."),
        ):
            g.remember(text, role=role, speaker=speaker, kind="turn", thread="home")
        found = [memory.text for memory in g.recall("What do you know about Ida?", limit=3)]
    assert "I'm sorry, Tarek. Does Ida know?" not in found
    assert "Ida can't stand loud music at breakfast." in found
