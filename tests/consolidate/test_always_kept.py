"""Facts that hold for years and are kept from any sentence: conditions, allergies, pets, addresses of the speaker."""

from __future__ import annotations

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import Reader, reader

DAY = 86_400


def say(memory: bardo.Grimoire, clock: bardo.ManualClock, text: str, who: str = "Nadia") -> None:
    clock.advance(DAY)
    memory.remember(text, role="user", kind="turn", speaker=who)
    memory.sleep()


def stated(memory: bardo.Grimoire) -> list[tuple[str, str, str]]:
    found = [fact.statement for fact in memory.facts.list() if fact.statement is not None]
    return sorted((each.subject, each.attribute, each.value) for each in found)


def _reader() -> Reader:
    made = reader("english", BUILT_IN)
    assert made is not None
    return made


def read(text: str) -> list[tuple[str, str, str]]:
    clauses = _reader().read(Speech(text, "Nadia", 1_772_500_000_000_000))
    found = [clause.statement for clause in clauses if clause.stated and clause.statement is not None]
    return [(each.subject, each.attribute, each.value) for each in found]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I have type 2 diabetes.", "condition", "type-2 diabetes"),
        ("Dad has Alzheimer's, early stage.", "condition", "Alzheimer's"),
        ("I have Crohn's disease.", "condition", "Crohn's disease"),
        ("We've adopted a cat called Miso.", "pet", "a cat"),
        ("My work email is t.reid@a.example.", "email", "t.reid@a.example"),
        ("My e-mail address is nadia@mail.example.", "email", "nadia@mail.example"),
    ],
)
def test_a_value_that_lasts_is_kept_whatever_the_worth_of_its_sentence(
    memory: bardo.Grimoire, clock: bardo.ManualClock, text: str, attribute: str, value: str
):
    say(memory, clock, text)
    assert [each[1:] for each in stated(memory)] == [(attribute, value)]


@pytest.mark.parametrize(
    "text",
    [
        "Does Dad have Alzheimer's?",
        "If I had Crohn's disease I would know.",
        "I have a diagnosis.",
        "Mum has a disease.",
        "The neighbours' dog got the rest and he has kidney disease.",
    ],
)
def test_a_question_a_supposition_and_a_stranger_give_no_condition(
    memory: bardo.Grimoire, clock: bardo.ManualClock, text: str
):
    say(memory, clock, text)
    assert not [each for each in stated(memory) if each[1] == "condition"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to walnuts, should have said.",
        "I'm allergic to walnuts, I guess",
        "I'm allergic to walnuts, as you know.",
        "I'm allergic to walnuts, by the way!",
        "I forgot to mention that I'm allergic to walnuts.",
        "Forgot to say, I'm allergic to walnuts.",
    ],
)
def test_an_aside_takes_nothing_from_what_is_said(text: str):
    assert read(text) == [("nadia", "allergy", "walnuts")]


def test_the_words_of_another_are_no_aside():
    assert read("I'm allergic to walnuts, he says.") == []


def test_the_addresses_of_two_people_are_both_in_force(memory: bardo.Grimoire, clock: bardo.ManualClock):
    say(memory, clock, "My e-mail is nadia@mail.example")
    say(memory, clock, "My e-mail is timo@mail.example", who="Timo")
    assert stated(memory) == [
        ("nadia", "email", "nadia@mail.example"),
        ("timo", "email", "timo@mail.example"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I live in Leeds with my husband.", [("nadia", "home", "Leeds")]),
        ("I work at Thornbury & Pike.", [("nadia", "employer", "Thornbury & Pike")]),
        ("The choir runs on Sundays.", []),
    ],
)
def test_a_value_has_the_bounds_of_its_name(text: str, found: list[tuple[str, str, str]]):
    assert read(text) == found


@pytest.mark.parametrize(
    ("first", "then", "held"),
    [
        (
            "I take 100 micrograms of levothyroxine every morning.",
            "I'm back down to 88 micrograms of levothyroxine from today.",
            [("nadia levothyroxine", "dose", "88 micrograms")],
        ),
        (
            "They put me on sertraline, 50 mg.",
            "My sertraline is up to 75 mg now.",
            [("nadia sertraline", "dose", "75 mg")],
        ),
        (
            "I live in Leeds.",
            "My new address is 4 Elm Row, York.",
            [("nadia", "address", "4 Elm Row, York")],
        ),
        (
            "I live in Leeds.",
            "My new address is 4 Elm Row, Leeds.",
            [("nadia", "address", "4 Elm Row, Leeds"), ("nadia", "home", "Leeds")],
        ),
    ],
)
def test_a_new_dose_and_an_address_in_another_town_end_the_older_value(
    memory: bardo.Grimoire,
    clock: bardo.ManualClock,
    first: str,
    then: str,
    held: list[tuple[str, str, str]],
):
    say(memory, clock, first)
    say(memory, clock, then)
    assert stated(memory) == held


@pytest.mark.parametrize(
    ("first", "then", "is_disputed"),
    [
        ("I take 50 mg of sertraline.", "The dose is up to 75 now.", True),
        ("I take 50 micrograms of levothyroxine.", "The dose is up to 75 mg now.", False),
        ("I live in Yorkshire.", "My address is 4 Elm Row, Leeds.", True),
        ("I live in York.", "My new office address is 4 Elm Row, Leeds.", False),
    ],
)
def test_a_value_that_may_be_of_another_thing_only_disputes(
    memory: bardo.Grimoire, clock: bardo.ManualClock, first: str, then: str, is_disputed: bool
):
    say(memory, clock, first)
    (old,) = memory.facts.list()
    say(memory, clock, then)
    assert memory.facts.get(old.id).status == "active"
    assert any(link.relation == "contradicts" for link in memory.facts.links(old)) == is_disputed


def test_a_spoken_dose_ends_one_that_was_told_outright(memory: bardo.Grimoire, clock: bardo.ManualClock):
    memory.learn(subject="Nadia", attribute="levothyroxine dose", value="75 micrograms")
    say(memory, clock, "My levothyroxine dose is 88 micrograms now.")
    assert [each[2] for each in stated(memory)] == ["88 micrograms"]


def test_an_allergy_and_its_denial_meet_whether_told_or_spoken(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    memory.learn(subject="Nadia", attribute="allergy", value="walnuts", denied=True)
    say(memory, clock, "I'm allergic to walnuts again, should have said.")
    (fact,) = memory.facts.list()
    assert fact.statement is not None
    assert not fact.statement.denied
    clock.advance(DAY)
    memory.learn(subject="Nadia", attribute="allergy", value="walnuts", denied=True)
    (fact,) = memory.facts.list()
    assert fact.statement is not None
    assert fact.statement.denied
