"""Plays that a text announces: the words of a part are no facts of the speaker."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.languages.english.play import without_play
from helpers.chats import START, lived


def facts(tmp_path: Path, *texts: str) -> list[str]:
    """Texts of all facts after turns of one speaker, a day apart."""
    with lived(tmp_path, [("Ida", text) for text in texts]) as memory:
        return [fact.text for fact in memory.facts.list(status=None)]


@pytest.mark.parametrize(
    "text",
    [
        "Let's play: you're a pirate and I'm the queen of Sweden, I live in a palace and I own forty cats.",
        "Let's play doctors. I'm the surgeon and you're the nurse. I am allergic to penicillin.",
        "Can we pretend I run a hedge fund? I live in Monaco and my wife is called Odette.",
        "Imagine you're my landlord. I live in flat 9 and I have two dogs.",
        "Ok, imagine I'm the captain. I'm diabetic and I live on a ship.",
        "In the story, I am a baker in Ghent. I have three daughters.",
        "Roleplay: I'm the on-call engineer, I live in Dublin and I'm allergic to nuts.",
        "Once upon a time I lived in Narnia. I have a lion and I'm allergic to snow.",
    ],
)
def test_what_is_said_in_a_play_is_no_fact(tmp_path: Path, text: str) -> None:
    assert facts(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Let's play tennis on Fridays, I live in Ghent.", "Ida lives in Ghent"),
        ("Let's play chess tonight. I'm allergic to walnuts, so no cake.", "Ida is allergic to walnuts"),
        ("I can't imagine you in Oslo. I live in Bergen.", "Ida lives in Bergen"),
        ("We want to play in the yard, I'm allergic to grass.", "Ida is allergic to grass"),
        ("I'm allergic to walnuts. Let's pretend I own a castle.", "Ida is allergic to walnuts"),
        (
            "Let's pretend I own a castle. Ok, game over. I'm allergic to walnuts.",
            "Ida is allergic to walnuts",
        ),
    ],
)
def test_what_is_said_beside_a_play_is_a_fact(tmp_path: Path, text: str, fact: str) -> None:
    assert fact in facts(tmp_path, text)
    assert not [each for each in facts(tmp_path / "again", text) if "castle" in each]


def test_a_play_goes_on_in_the_next_turns_until_it_ends(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "m", clock=clock, seed=1) as memory:
        for text in (
            "Let's play: you're a pirate and I'm the queen of Sweden.",
            "I own forty cats and I live in a palace.",
            "Back to reality: I'm allergic to walnuts.",
            "I live in Ghent.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Ida", thread="t")
            clock.advance(60)
        memory.sleep()
        told = {fact.text for fact in memory.facts.list(status=None)}
    assert told == {"Ida is allergic to walnuts", "Ida lives in Ghent"}


def test_a_play_is_over_on_the_next_day(tmp_path: Path) -> None:
    told = facts(tmp_path, "Let's pretend I'm a doctor.", "I'm allergic to walnuts.")
    assert told == ["Ida is allergic to walnuts"]


def test_a_play_that_began_before_a_text_ends_in_it() -> None:
    assert without_play("I have forty cats.", is_playing=True) == ("", True)
    assert without_play("Arr. Seriously, the rent is due.", is_playing=True) == ("the rent is due.", False)
