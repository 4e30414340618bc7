"""Confidences in recall: a memory that one person told in confidence does not answer another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.recall.confided import LEFT_OUT

START = 1_785_750_000_000_000
PLAN = "Between us: the present for Declan's birthday is the red kayak from Harper's."
WISH = "Declan keeps talking about a kayak for his birthday."
#: Lines of a talk: role, speaker, text.
TALK = (
    ("user", "Ruth", PLAN),
    ("agent", None, "Lovely, the kayak stays between us."),
    ("user", "Ruth", WISH),
    ("user", "Declan", "The van passed its test."),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "home", clock=clock, seed=1) as opened:
        for role, speaker, text in TALK:
            if text == WISH:
                # A message an hour later is no longer part of the confidence.
                clock.advance(3_600)
            opened.remember(text, role=role, speaker=speaker, kind="turn", thread="home")
        yield opened


def found(memory: bardo.Grimoire, asker: str | None, **options: object) -> tuple[list[str], list[str]]:
    recalled = memory.recall("What is the present for Declan's birthday?", asker=asker, **options)
    return [item.text for item in recalled], [note for note in recalled.notes if note.endswith(LEFT_OUT)]


@pytest.mark.parametrize("asker", [None, "Ruth", "ruth adler"])
def test_the_teller_and_an_unknown_asker_are_answered(memory: bardo.Grimoire, asker: str | None) -> None:
    texts, notes = found(memory, asker)
    assert texts[0] == PLAN
    assert not notes


def test_another_person_gets_neither_the_message_nor_the_reply(memory: bardo.Grimoire) -> None:
    texts, notes = found(memory, "Declan")
    assert WISH in texts
    assert not [text for text in texts if "present" in text or "between us" in text]
    assert notes == [f"2 memories told in confidence were {LEFT_OUT}"]


def test_turns_beside_a_memory_are_left_out_as_well(memory: bardo.Grimoire) -> None:
    recalled = memory.recall("Who keeps talking about a kayak?", asker="Declan", window=3)
    beside = [turn.text for item in recalled for turn in (*item.before, *item.after)]
    assert PLAN not in beside


def test_a_fact_known_from_a_confidence_alone_is_left_out(memory: bardo.Grimoire) -> None:
    first, *_ = memory.recall("Between us: the present", asker="Ruth")
    assert first.text == PLAN
    memory.learn(bardo.Fact("The present for Declan's birthday is a kayak", evidence=(first.id,)))
    assert found(memory, "Ruth", layers=("fact",))[0]
    assert not found(memory, "Declan", layers=("fact",))[0]
    page = memory.pages.dossier()
    assert "kayak" not in page.text
    assert "1 told in confidence and left out" in page.text


def test_the_dossier_leaves_out_what_goes_on_about_a_confidence(memory: bardo.Grimoire) -> None:
    reply = next(item for item in memory.recall("the kayak stays", asker="Ruth") if item.text == TALK[1][2])
    memory.learn(bardo.Fact("The kayak is a surprise", evidence=(reply.id,)))
    memory.learn("The shed has a roof")
    page = memory.pages.dossier().text
    assert "surprise" not in page
    assert "The shed has a roof" in page


def test_a_message_outside_of_a_conversation_is_held_back_with_the_request_behind_it(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "home", clock=clock, seed=1) as opened:
        for text in ("The boiler man asked me out.", "Please keep that between us."):
            opened.remember(text, role="user", speaker="Ruth")
            clock.advance(10)
        asked = {
            asker: [item.text for item in opened.recall("Who asked Ruth out?", asker=asker)]
            for asker in ("Ruth", "Declan")
        }
    assert "The boiler man asked me out." in asked["Ruth"]
    assert asked["Declan"] == []


def test_what_is_confided_after_the_first_question_is_held_back_too(memory: bardo.Grimoire) -> None:
    assert found(memory, "Declan")[1]
    memory.remember(
        "Don't tell Ruth, but Declan's birthday present to himself is a motorbike.",
        role="user", speaker="Declan", kind="turn", thread="home",
    )  # fmt: skip
    assert "motorbike" not in " ".join(found(memory, "Ruth")[0])
    assert "motorbike" in " ".join(found(memory, "Declan")[0])


def test_the_speaker_of_a_turn_is_not_told_the_confidence_of_another(memory: bardo.Grimoire) -> None:
    turn = memory.turn("What is the present for Declan's birthday?", speaker="Declan", thread="home")
    assert "kayak from Harper's" not in turn.text
    assert [note for note in turn.notes if note.endswith(LEFT_OUT)]


def test_a_prompt_for_another_person_leaves_it_out(memory: bardo.Grimoire) -> None:
    prompt = memory.context("Suggest a present for Declan's birthday", asker="Declan")
    assert "Harper" not in prompt.text
    assert [note for note in prompt.notes if note.endswith(LEFT_OUT)]
    assert "Harper" in memory.context("Suggest a present for Declan's birthday", asker="Ruth").text


def test_a_visitor_holds_back_what_itself_asks_for_confidence(memory: bardo.Grimoire) -> None:
    memory.sleep()
    with bardo.visit(memory.path, clock=bardo.ManualClock(START)) as visitor:
        for asker, is_told in (("Ruth", True), ("Declan", False)):
            recalled = visitor.recall("What is the present for Declan's birthday?", asker=asker)
            assert (PLAN in [item.text for item in recalled]) is is_told
