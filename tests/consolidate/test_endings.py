"""Ends of activities and of relations between people: what ends, and what stays; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400


def told(folder: Path, *messages: str) -> dict[str, tuple[str, str | None]]:
    """Status and rule of each fact, by its text, after messages of Nadia with a day and a pass after each of them."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder / "nadia", clock=clock, seed=1) as memory:
        for message in messages:
            memory.remember(message, role="user", kind="turn", speaker="Nadia")
            memory.sleep()
            clock.advance(DAY)
        return {fact.text: (fact.status, fact.ended_by) for fact in memory.facts.list(status=None)}


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "My boyfriend Tomas works at Helvion.",
            "Tomas and I broke up last week.",
            "Nadia's boyfriend Tomas works at Helvion",
        ),
        (
            "My boyfriend works at a bakery.",
            "I broke up with my boyfriend.",
            "Nadia's boyfriend works at a bakery",
        ),
        ("My husband is a nurse.", "My husband and I have split up.", "Nadia's husband is a nurse"),
        ("I play tennis with Ines.", "I stopped playing tennis.", "Nadia plays tennis with Ines"),
        ("I go to yoga on Mondays.", "I quit yoga.", "Nadia goes to yoga on Mondays"),
        ("I work at Helvion.", "I've handed in my notice at Helvion.", "Nadia works at Helvion"),
        ("I work for Helvion.", "I handed in my resignation at Helvion.", "Nadia works for Helvion"),
        ("I take citalopram.", "I'm off citalopram since March.", "Nadia takes citalopram"),
        # Both are past, and the second is no further event.
        (
            "I booked a hotel in Crete for June.",
            "We cancelled the hotel in Crete.",
            "Nadia booked a hotel in Crete for June",
        ),
        ("I drive a 2013 Octavia.", "The Octavia went for scrap.", "Nadia drives a 2013 Octavia"),
        ("I work nights at a bakery.", "They moved me off nights.", "Nadia works nights at a bakery"),
        (
            "My dad Frank takes donepezil, 5 mg at night.",
            "Donepezil was stopped, it gave him nightmares.",
            "Nadia's dad Frank takes donepezil, 5 mg at night",
        ),
    ],
)
def test_the_end_of_a_relation_or_an_activity_ends_what_rested_on_it(
    tmp_path: Path, before: str, after: str, fact: str
):
    assert told(tmp_path, before, after)[fact] == ("superseded", "ending")


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "My boyfriend Tomas works at Helvion.",
            "I split the bill with Tomas.",
            "Nadia's boyfriend Tomas works at Helvion",
        ),
        (
            "My boyfriend Tomas works at Helvion.",
            "Tomas and I did not break up.",
            "Nadia's boyfriend Tomas works at Helvion",
        ),
        ("My sister Ines is a nurse.", "My husband and I have split up.", "Nadia's sister Ines is a nurse"),
        (
            "I play football on Sundays.",
            "I stopped running out of milk.",
            "Nadia plays football on Sundays",
        ),
        ("I play tennis with Ines.", "I stopped playing chess.", "Nadia plays tennis with Ines"),
        (
            "My brother plays at the Blue Note.",
            "Somebody lost a coat near the Blue Note.",
            "Nadia's brother plays at the Blue Note",
        ),
        (
            "My brother Tom works offshore, two weeks on the rig.",
            "Tom went back to the rig yesterday.",
            "Nadia's brother Tom works offshore, two weeks on the rig",
        ),
        (
            "My dad Frank takes donepezil, 5 mg at night.",
            "Frank went for parts.",
            "Nadia's dad Frank takes donepezil, 5 mg at night",
        ),
    ],
)
def test_the_end_of_something_else_ends_nothing(tmp_path: Path, before: str, after: str, fact: str):
    assert told(tmp_path, before, after)[fact] == ("active", None)


def test_an_aside_is_no_denial_and_no_part_of_the_statement(tmp_path: Path):
    found = told(tmp_path, "I've been allergic to walnuts since I was a kid, so no pesto for me!")
    assert list(found) == ["Nadia has been allergic to walnuts"]
    (clause, *_) = reader("english", BUILT_IN).read(Speech("I have no allergies.", "Nadia", START))
    assert clause.denied


def test_a_thing_on_another_day_of_the_week_is_no_longer_on_the_first(tmp_path: Path):
    found = told(
        tmp_path, "I sing in a choir in Oranmore on Tuesdays.", "The choir has moved, it's Thursdays now."
    )
    assert found["Nadia sings in a choir in Oranmore on Tuesdays"] == ("superseded", "change")


@pytest.mark.parametrize(
    ("text", "cue", "thing"),
    [
        ("Kyle is gone.", "ending", "kyle"),
        ("I'm done with Notion.", "ending", "notion"),
        ("We pulled the plug on the extension.", "ending", "extension"),
        ("The piano we sold in March.", "ending", "piano"),
    ],
)
def test_a_clause_names_what_it_ends(text: str, cue: str, thing: str):
    (clause,) = reader("english", BUILT_IN).read(Speech(text, "Nadia", START))
    assert cue in clause.cues
    assert thing in clause.ended


@pytest.mark.parametrize(
    "text",
    [
        "Dad's gone to the shop.",
        "I'm done with dinner.",
        "I came off the bike.",
        "The car we bought was red.",
    ],
)
def test_a_clause_without_an_end_has_no_cue_of_one(text: str):
    (clause,) = reader("english", BUILT_IN).read(Speech(text, "Nadia", START))
    assert "ending" not in clause.cues


def test_a_plaster_ends_after_its_weeks():
    read = reader("english", BUILT_IN).read
    (clause,) = read(Speech("My arm is in a cast for six weeks.", "Nadia", START))
    assert clause.over is not None
    assert 42 * DAY <= (clause.over - START) / 1_000_000 <= 44 * DAY
    (clause,) = read(Speech("My arm has been in a cast for six weeks.", "Nadia", START))
    assert clause.over is None


def test_a_pet_that_came_to_the_speaker_gets_its_name(tmp_path: Path):
    found = told(tmp_path, "We've adopted a cat! She's called Miso.")
    assert "Nadia's cat is called Miso" in found
