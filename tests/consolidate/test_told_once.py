"""Ends of relations and lives, false disputes, and facts that a sentence gives once; with the real parser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import bardo

FIRST, LATER = datetime(2026, 5, 9, 9, tzinfo=UTC), datetime(2026, 5, 19, 9, tzinfo=UTC)


def told(folder: Path, before: str, after: str, end: datetime | None = None) -> dict[str, str]:
    """Status of each fact by its text, after two messages of Nadia and a pass at an end."""
    clock = bardo.ManualClock(0)
    with bardo.open(folder / "nadia", clock=clock, seed=1) as memory:
        for text, at in ((before, FIRST), (after, LATER)):
            clock.set(int(at.timestamp() * 1_000_000))
            memory.remember(text, role="user", speaker="Nadia", thread="chat")
            memory.sleep()
        clock.set(int((end or LATER + timedelta(days=1)).timestamp() * 1_000_000))
        memory.sleep()
        return {fact.text: fact.status for fact in memory.facts.list(status=None)}


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "My boyfriend Tomas bakes bread on weekends.",
            "Tomas and I broke up last week.",
            "Nadia's boyfriend is Tomas",
        ),
        (
            "My partner is Yusuf, he is a cook.",
            "Yusuf and I aren't together any more.",
            "Nadia's partner is Yusuf",
        ),
        ("My fiancé is Piet.", "I split up with Piet in the end.", "Nadia's fiancé is Piet"),
        ("My husband Omar is a nurse.", "Omar and I have separated.", "Nadia's husband Omar is a nurse"),
        ("My wife Carla is a vet.", "Carla and I got divorced.", "Nadia's wife Carla is a vet"),
        ("Our dog is called Bruno.", "We had to put Bruno down on Saturday.", "Nadia's dog is called Bruno"),
        (
            "My rabbit is called Pip.",
            "We had to have Pip put down this morning.",
            "Nadia's rabbit is called Pip",
        ),
        ("My dog is called Rex.", "Rex was put down on Monday, he was fifteen.", "Nadia's dog is called Rex"),
        ("Our parrot is called Kiki.", "Kiki died last night.", "Nadia's parrot is called Kiki"),
        ("We have a cat called Mitzi.", "We buried Mitzi yesterday.", "Nadia has a cat called Mitzi"),
    ],
)
def test_end_of_a_relation_or_a_life_ends_its_fact(
    tmp_path: Path, before: str, after: str, fact: str
) -> None:
    assert told(tmp_path, before, after)[fact] == "superseded"


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        (
            "My boyfriend Tomas bakes bread.",
            "Tomas and Julia broke up, he says.",
            "Nadia's boyfriend is Tomas",
        ),
        (
            "My boyfriend Tomas bakes bread.",
            "My sister and her boyfriend broke up.",
            "Nadia's boyfriend is Tomas",
        ),
        ("My husband Omar is a nurse.", "Omar and I split the bill.", "Nadia's husband Omar is a nurse"),
        (
            "My husband Omar is a nurse.",
            "Omar and I were separated at the airport for an hour.",
            "Nadia's husband Omar is a nurse",
        ),
        (
            "Our dog is called Bruno.",
            "I put Bruno down for a nap on Saturday.",
            "Nadia's dog is called Bruno",
        ),
        ("Our dog is called Bruno.", "We buried Bruno's bone in the garden.", "Nadia's dog is called Bruno"),
        (
            "Our cat is called Mitzi.",
            "We had to put our neighbour's dog down.",
            "Nadia's cat is called Mitzi",
        ),
        (
            "I tune and repair pipe organs for a living, mostly in the southeast of Ireland.",
            "I've registered the business: Nore Organ Works Ltd, accountant is Gráinne Tynan.",
            "Nadia: I've registered the business: Nore Organ Works Ltd, accountant is Gráinne Tynan.",
        ),
        (
            "Tadhg's sister is getting married on 9 June in Dingle and he wants the Friday off for it.",
            "Tadhg handed in his notice. His last day is Friday. He's off to make guitars in Lisdoonvarna.",
            "Nadia: Tadhg's sister is getting married on 9 June in Dingle and he wants the Friday off for it.",
        ),
    ],
)
def test_news_of_another_thing_leaves_a_fact_in_force(
    tmp_path: Path, before: str, after: str, fact: str
) -> None:
    assert told(tmp_path, before, after)[fact] == "active"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "My dentist appointment is on 12 June at 9.30 with Dr. Prunty.",
            "Dr. Prunty's receptionist rang: the dentist is now on 26 June, same time.",
        ),
        ("The physio is on Monday 8 June at ten.", "The clinic texted, the physio is now on 15 June."),
        ("The interview at Brandt is on 4 June.", "Brandt's HR called: the interview is moved to 11 June."),
        ("My eye test is on 2 June at noon.", "The optician phoned, my eye test is now on 9 June at noon."),
    ],
)
def test_moved_appointment_is_one_fact_that_ends_with_its_day(
    tmp_path: Path, before: str, after: str
) -> None:
    found = told(tmp_path, before, after, end=datetime(2026, 9, 1, tzinfo=UTC))

    assert len(found) == 2
    assert set(found.values()) == {"superseded"}


def test_correction_of_an_aside_keeps_the_rest_of_its_quote(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        "New tenant at last: Ruben, from Ghent, moves in on 18 June.",
        "I had that wrong: Ruben is from Bruges, not Ghent.",
    )

    assert found["Nadia: New tenant at last: Ruben moves in on 18 June."] == "active"
    assert found["Nadia: New tenant at last: Ruben, from Ghent, moves in on 18 June."] == "superseded"
