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
    ],
)
def test_the_end_of_something_else_ends_nothing(tmp_path: Path, before: str, after: str, fact: str):
    assert told(tmp_path, before, after)[fact] == ("active", None)


def test_an_aside_is_no_denial_and_no_part_of_the_statement(tmp_path: Path):
    found = told(tmp_path, "I've been allergic to walnuts since I was a kid, so no pesto for me!")
    assert list(found) == ["Nadia has been allergic to walnuts"]
    (clause, *_) = reader("english", BUILT_IN).read(Speech("I have no allergies.", "Nadia", START))
    assert clause.denied
