"""Facts about a person's health, family and pets, and messages about other people; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from helpers.chats import lived, statuses

START = 1_780_300_000_000_000
DAY = 86_400


def told(folder: Path, *messages: str) -> dict[str, str]:
    """Status of each fact, by its text, after messages of Nadia with a day and a pass after each of them."""
    with lived(folder, [("Nadia", message) for message in messages]) as memory:
        return statuses(memory)


@pytest.mark.parametrize(
    ("message", "fact", "statement"),
    [
        ("I've got epilepsy.", "Nadia has got epilepsy", ("nadia", "condition", "epilepsy")),
        ("I have eczema and use a cream.", "Nadia has eczema", ("nadia", "condition", "eczema")),
        ("I'm a pescatarian.", "Nadia is a pescatarian", ("nadia", "diet", "pescatarian")),
        ("My husband is vegan.", "Nadia's husband is vegan", ("nadia's husband", "diet", "vegan")),
        ("We have a parrot called Ringo.", "Nadia has a parrot called Ringo", ("nadia", "pet", "a parrot")),
        ("Our son Jakob is nine.", "Nadia's son Jakob is nine", ("jakob", "age", "nine")),
        (
            "My blood group is A positive.",
            "Nadia's blood group is A positive",
            ("nadia", "blood_type", "A positive"),
        ),
        (
            "The paediatrician says Jakob is allergic to eggs.",
            "Jakob is allergic to eggs",
            ("jakob", "allergy", "eggs"),
        ),
        (
            "It's cashews that Jakob is allergic to.",
            "Jakob is allergic to cashews",
            ("jakob", "allergy", "cashews"),
        ),
        (
            "Jakob can't eat shrimps, he's allergic.",
            "Nadia: Jakob can't eat shrimps, he's allergic.",
            ("jakob", "allergy", "shrimps"),
        ),
        (
            "Jakob started kindergarten in May. He is allergic to bee stings.",
            "Nadia: Jakob started kindergarten in May. He is allergic to bee stings.",
            ("jakob", "allergy", "bee stings"),
        ),
    ],
)
def test_health_diet_pets_and_family_are_noted(
    tmp_path: Path, message: str, fact: str, statement: tuple[str, str, str]
):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        memory.remember(message, role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        noted = {each.text: each.statement for each in memory.facts.list()}
    found = noted[fact]
    assert found is not None
    assert (found.subject, found.attribute, found.value) == statement


def test_jokes_guesses_questions_and_the_affairs_of_strangers_are_not_noted(tmp_path: Path):
    messages = (
        "If I had a dog I'd call it Rex.",
        "Do I have asthma?",
        "I think I have asthma.",
        "I have a dog to walk in ten minutes.",
        "We have a cat problem in the garden.",
        "A friend of mine has diabetes.",
        "The recipe says it's vegan.",
        "The book says Anna is allergic to nuts.",
        "It's possible that Jakob is allergic to cats.",
        "The doctor didn't say that I have asthma.",
        "Our bus is six minutes late.",
        "It's a shame that we can't come in.",
    )
    assert told(tmp_path, *messages) == {}


def test_what_holds_instead_is_kept_with_a_denial(tmp_path: Path):
    facts = told(
        tmp_path,
        "Jakob is allergic to walnuts.",
        "Jakob isn't allergic to walnuts after all, it's pistachios.",
    )
    assert facts["Jakob is allergic to walnuts"] == "superseded"
    assert any("pistachios" in text for text, status in facts.items() if status == "active")


def test_a_corrected_allergy_takes_the_place_of_the_wrong_one(tmp_path: Path):
    facts = told(
        tmp_path,
        "Jakob has a walnut allergy, a bad one.",
        "The doctor says it's pistachios that Jakob is allergic to, not walnuts.",
    )
    assert facts["Jakob has a walnut allergy, a bad one"] == "superseded"
    assert [text for text, status in facts.items() if status == "active"] == [
        "Jakob is allergic to pistachios, not walnuts"
    ]


@pytest.mark.parametrize(
    "message",
    [
        "Tomas's brother Filip is getting married in Braga next Saturday.",
        "Tomas's mum now lives in Faro.",
        "Tomas's dad has sold his house.",
        "Tomas is going to Madrid next week for a fair.",
        "Tomas now works in Braga.",
        "Jakob starts school on 8 August, he's counting the days.",
        "Jakob's teacher is moving to Coimbra next month.",
        "My friend's sister has moved to Lisbon.",
    ],
)
def test_news_about_other_people_leave_a_home_alone(tmp_path: Path, message: str):
    home = "I live in Porto with my husband Tomas and our son Jakob, who's nine."
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        first = memory.remember(home, role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        (fact,) = memory.facts.list()
        clock.advance(DAY)
        memory.remember(message, role="user", kind="turn", speaker="Nadia")
        memory.sleep()
        assert memory.facts.get(fact.id).status == "active"
        assert {item.id: item.standing for item in memory.recall(home, limit=4)}[first.id] == ""


def test_where_a_thing_was_moved_is_no_home(tmp_path: Path):
    """A thing that is moved elsewhere has another place; the person who moved it lives where they did."""
    held = told(tmp_path, "I live in Bath.", "The wiki runs on 10.0.0.4.", "We moved the wiki to 10.0.0.9.")
    assert held["Nadia lives in Bath"] == "active"
    assert held["The wiki runs on 10.0.0.4"] == "superseded"


def test_the_mother_of_a_friend_is_another_person(tmp_path: Path):
    facts = told(tmp_path, "My mum lives in Faro.", "My friend's mum has moved to Braga.")
    assert facts["Nadia's mum lives in Faro"] == "active"


def test_a_parent_is_one_person_by_name_and_by_kinship(tmp_path: Path):
    facts = told(tmp_path, "My dad Rui lives in Faro.", "Dad has moved into a flat in Braga, to be near us.")
    assert facts["Nadia's dad Rui lives in Faro"] == "superseded"


def test_the_family_that_an_ended_statement_names_stays_in_force(tmp_path: Path):
    facts = told(
        tmp_path,
        "I live in Porto with my husband Tomas and our daughter Ida, who's six.",
        "We've moved to Braga.",
    )
    assert {text for text, status in facts.items() if status == "active"} == {
        "Nadia has moved to Braga",
        "Nadia's husband is Tomas",
        "Nadia's daughter is Ida",
    }


def test_the_person_with_whom_a_relation_ends_is_not_kept(tmp_path: Path):
    facts = told(
        tmp_path, "I live in Porto with my husband Tomas and our daughter Ida.", "Tomas and I broke up."
    )
    assert "Nadia's husband is Tomas" not in facts
