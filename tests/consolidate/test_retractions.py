"""A speaker takes back what they said: it ends, and what only looks like it ends nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from helpers.chats import DAY, START, lived, statuses


def told(folder: Path, *messages: str) -> dict[str, str]:
    """Status of each fact, by its text, after messages of Nadia with a day and a pass after each of them."""
    with lived(folder, [("Nadia", message) for message in messages]) as memory:
        return statuses(memory)


def retracted(text: str) -> set[str]:
    found = reader("english", BUILT_IN)
    assert found is not None
    return {word for clause in found.read(Speech(text, "Nadia", START)) for word in clause.retracted}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Scratch the locker number I gave you for Bea.", {"locker", "bea"}),
        ("Sorry, forget that the hall is booked for the party.", {"hall", "party"}),
        ("What I told you about the cargo bike was wrong.", {"cargo", "bike"}),
        ("The shoe size I gave you is rubbish, the tape was old.", {"shoe", "size"}),
        ("Please ignore the 14.2, I read the wrong page.", {"14.2"}),
        ("I take back what I said about the night bus.", {"night", "bus"}),
        ("I shouldn't have told you that I'm diabetic.", {"diabetic"}),
        ("I was wrong to say the rent is 900.", {"rent", "900"}),
    ],
)
def test_a_clause_names_what_its_speaker_takes_back(text: str, words: set[str]) -> None:
    assert retracted(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "Ignore the linter warnings.",
        "Forget it.",
        "I forget the name of the street.",
        "Did I say the wrong name?",
        "The address on the parcel is wrong.",
        "She told me the date was wrong.",
    ],
)
def test_an_order_or_a_fault_takes_back_nothing(text: str) -> None:
    assert retracted(text) == set()


def test_what_is_taken_back_ends_and_the_rest_stays(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "My shoe size is 43.",
        "My hat size is 58.",
        "The shoe size I told you is nonsense, the tape was old.",
    )
    assert found["Nadia's shoe size is 43"] == "superseded"
    assert found["Nadia's hat size is 58"] == "active"


def test_what_is_taken_back_is_not_stated(tmp_path: Path) -> None:
    found = told(tmp_path, "Forget that the town hall is booked for our wedding, I misread the letter.")
    assert not any("hall" in text for text in found)


def test_a_sentence_that_keeps_a_part_carries_no_end(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        older = memory.remember(
            "Dentist plan: Tuesday 9 am for Tilda and 2 pm for Jakob.", role="user", kind="turn"
        )
        memory.sleep()
        clock.advance(DAY)
        newer = memory.remember(
            "The practice cancelled Jakob's dentist slot. Tilda at 9 is still on.", role="user", kind="turn"
        )
        memory.sleep()
        ids = [found.record.id for found in memory.recall("When are the kids at the dentist?")]
        assert ids.index(newer.id) < ids.index(older.id)


def test_a_report_without_a_subject_is_no_question() -> None:
    found = reader("english", BUILT_IN)
    assert found is not None
    text = "Did the blood test on Friday and the result is clear: I am not anaemic."
    assert any(clause.stated and clause.denied for clause in found.read(Speech(text, "Nadia", START)))
    asked = found.read(Speech("Did the blood test go well", "Nadia", START))
    assert not any(clause.stated for clause in asked)


def test_as_of_a_day_is_the_last_one_in_the_past_and_the_next_one_to_come() -> None:
    found = reader("english", BUILT_IN)
    assert found is not None
    since = {
        text: next(c.since for c in found.read(Speech(text, "Nadia", START)) if c.since)
        for text in ("The depot went to Ilse as of Monday.", "The depot goes to Ilse as of Monday.")
    }
    past, future = since.values()
    assert past < START < future
