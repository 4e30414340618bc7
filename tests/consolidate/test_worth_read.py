"""Sentences worth keeping, read after the words before them, and their notes as other persons would say them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate import cross_encoder
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from bardo.consolidate.texts.sentence import WORDS_BEFORE, Sentence, sentences

english = reader("english", BUILT_IN)
pytestmark = pytest.mark.skipif(english is None, reason="bardo[english] is not installed")


def notes(text: str) -> list[str]:
    assert english is not None
    found = sentences(english.read(Speech(text, "Mira", 0)))
    return [note.text for sentence in found for note in sentence.notes("Mira", ())]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("im on 500 twice a day, breakfast and teatime", "Mira is on 500 twice a day, breakfast and teatime"),
        ("I have two kids, Anna and Leo, and a dog.", "Mira has two kids, Anna and Leo, and a dog"),
        ("In 2019 I moved to Porto", "Mira moved to Porto in 2019"),
        ("I work, as you know, at Siemens", "Mira works at Siemens"),
    ],
)
def test_a_note_keeps_the_marks_of_a_list_and_verbs_without_apostrophe(text: str, note: str) -> None:
    assert notes(text) == [note]


def test_the_words_before_a_sentence_are_the_last_ones_of_its_text() -> None:
    text = " ".join(f"word{number}" for number in range(50)) + ". I live in Bern."
    assert Sentence("I live in Bern.", ()).before(text).split() == [
        *(f"word{number}" for number in range(50 - WORDS_BEFORE, 49)), "word49.",
    ]  # fmt: skip
    assert Sentence("I live in Bonn.", ()).before(text) == ""


def test_what_a_person_would_note_is_read_as_worth_more_than_talk() -> None:
    encoder = cross_encoder.load("worth")
    if encoder is None:
        pytest.skip("the default embedding model is not installed")
    noted = ["My dentist appointment is on 3 March at 9.", "Deploys go to production on Thursdays."]
    talk = ["It was raining all day.", "haha that was so funny"]
    odds = encoder.read([("", text) for text in (*noted, *talk)])
    assert min(odds[:2]) > max(odds[2:]) + 2


def test_a_value_that_begins_later_corrects_no_turn_yet(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_770_000_000_000_000)
    with bardo.open(tmp_path, clock=clock) as memory:
        for text in (
            "Our marketing budget is 40k euros.",
            "The marketing budget goes up to 55k from January 2031.",
        ):
            memory.remember(text, role="user", kind="turn")
            clock.advance(86_400)
            memory.sleep()
        (now,) = [one for one in memory.recall("What is the marketing budget?") if "40k" in one.text]
        assert now.standing == ""
