"""Facts of a life in other words than those of their attribute, and sentences that state none; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from bardo.model import Fact

START = 1_780_300_000_000_000
DAY = 86_400


def facts_of(folder: Path, *messages: str) -> list[Fact]:
    """The facts in force after messages of Nadia, an hour apart, and one pass."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder / "nadia", clock=clock, seed=1) as memory:
        for message in messages:
            memory.remember(message, role="user", kind="turn", speaker="Nadia")
            clock.advance(3_600)
        memory.sleep()
        return memory.facts.list()


def statements_of(folder: Path, *messages: str) -> dict[tuple[str, str, str], str]:
    """Text of each fact by its subject, attribute and value."""
    return {
        (fact.statement.subject, fact.statement.attribute, fact.statement.value): fact.text
        for fact in facts_of(folder, *messages)
        if fact.statement is not None
    }


@pytest.mark.parametrize(
    ("message", "statement", "text"),
    [
        (
            "I carry an EpiPen because of hornet stings.",
            ("nadia", "allergy", "hornet stings"),
            "Nadia carries an EpiPen because of hornet stings",
        ),
        (
            "We had to put our old dog Bruno down last Friday.",
            ("bruno", "death", "died"),
            "Nadia had to put Nadia's old dog Bruno down last Friday",
        ),
        (
            "We buried Mog in the garden on Sunday.",
            ("mog", "death", "died"),
            "Nadia buried Mog in the garden on Sunday",
        ),
        (
            "Callum is a paramedic, by the way.",
            ("callum", "work", "a paramedic"),
            "Callum is a paramedic",
        ),
        ("My manager is Shay.", ("nadia", "manager", "Shay"), "Nadia's manager is Shay"),
        ("We've adopted a cat!", ("nadia", "pet", "a cat"), "Nadia has adopted a cat"),
        (
            "My accountant is Lars Winther.",
            ("nadia", "accountant", "Lars Winther"),
            "Nadia's accountant is Lars Winther",
        ),
        (
            "My daughter Ida swims for the county.",
            ("nadia", "child", "Ida"),
            "Nadia's daughter is Ida",
        ),
        (
            "Our cat Tilda is seven and hates the hoover.",
            ("tilda", "age", "seven"),
            "Nadia's cat Tilda is seven",
        ),
        ("Our dog is called Juno.", ("nadia's dog", "name", "Juno"), "Nadia's dog is called Juno"),
        ("Ida turned ten today.", ("ida", "age", "ten"), "Ida is ten"),
        ("I turned 35 yesterday!", ("nadia", "age", "35"), "Nadia is 35"),
        (
            "The company's email is office@kroon.example.",
            ("company", "email", "office@kroon.example"),
            "The company's email is office@kroon.example",
        ),
        (
            "I've registered the company as Kroon Joinery Ltd.",
            ("nadia", "company", "Kroon Joinery Ltd"),
            "Nadia has registered the company as Kroon Joinery Ltd",
        ),
        (
            "Dad is in a care home in Preston now.",
            ("nadia's dad", "home", "a care home in Preston"),
            "Nadia's dad is in a care home in Preston",
        ),
        ("I live in Porto now.", ("nadia", "home", "Porto"), "Nadia lives in Porto"),
    ],
)
def test_a_fact_of_a_life_is_kept_in_other_words(
    tmp_path: Path, message: str, statement: tuple[str, str, str], text: str
) -> None:
    assert statements_of(tmp_path, message)[statement] == text


@pytest.mark.parametrize(
    "message",
    [
        "Mostly keeping my head straight.",
        "Some bloke on the bus has an EpiPen in his sock.",
        "We buried the time capsule on Sunday.",
        "My phone died yesterday.",
        "We have a farm in mind.",
        "My accountant is lovely.",
        "My brother Rui chewed on that one for a while.",
    ],
)
def test_words_of_the_moment_state_nothing_of_a_life(tmp_path: Path, message: str) -> None:
    assert statements_of(tmp_path, message) == {}


@pytest.mark.parametrize(
    "message",
    [
        "I teach geography at a school in Arnhem.",
        "I run a bakery in Deventer.",
        "My husband works nights at the port.",
    ],
)
def test_an_occupation_without_an_employer_holds_for_years(tmp_path: Path, message: str) -> None:
    (fact,) = facts_of(tmp_path, message)
    assert fact.statement is not None
    assert (fact.statement.attribute, fact.persistence) == ("work", "years")


def test_what_a_pronoun_owns_belongs_to_the_person_before(tmp_path: Path) -> None:
    said = statements_of(
        tmp_path,
        "My brother Timo lives in Kiel. His birthday is 12 May.",
        "My boss Carl is strict. His birthday is 3 July.",
    )
    assert ("timo", "birthday", "12 May") in said
    assert said["carl", "birthday", "3 July"] == "Nadia: My boss Carl is strict. His birthday is 3 July."


def test_a_pronoun_without_a_person_before_it_gives_no_statement(tmp_path: Path) -> None:
    assert statements_of(tmp_path, "His birthday is 12 May.") == {}


def test_a_plan_with_somebody_of_the_sentence_before_quotes_both(tmp_path: Path) -> None:
    (fact,) = facts_of(
        tmp_path, "Maeve says in Toronto they put milk in bags. I've a flight to see her on 14 November."
    )
    assert "Toronto" in fact.text


def test_identifiers_in_a_message_are_whole(tmp_path: Path) -> None:
    said = statements_of(tmp_path, "The region of the cluster is us-west-2.")
    assert said["cluster", "region", "us-west-2"].endswith("is us-west-2")


def test_a_word_of_an_address_is_no_environment(tmp_path: Path) -> None:
    (fact,) = facts_of(tmp_path, "The API base URL is https://api.kroon.dev/v2.")
    assert fact.statement is not None
    assert fact.statement.condition == ""


def test_a_thing_that_moved_to_somebody_has_no_home(tmp_path: Path) -> None:
    said = statements_of(tmp_path, "Ownership of the billing service moved from Lena to Marek.")
    assert all(attribute != "home" for _, attribute, _ in said)


def test_a_medicine_is_no_home_for_care(tmp_path: Path) -> None:
    (fact,) = facts_of(tmp_path, "Mam, Philomena, is in a nursing home in Callan now and on warfarin, 5 mg.")
    assert fact.statement is not None
    assert fact.statement.subject == "philomena warfarin"
    assert (fact.statement.attribute, fact.statement.condition) == ("dose", "")


def test_a_name_before_a_comma_is_not_the_subject_after_it(tmp_path: Path) -> None:
    said = statements_of(
        tmp_path, "I've registered the business: Nore Works Ltd, accountant is Lars Winther."
    )
    assert said == {
        ("accountant", "accountant", "Lars Winther"): (
            "Nadia: I've registered the business: Nore Works Ltd, accountant is Lars Winther."
        )
    }


def test_what_a_quote_says_already_is_not_kept_once_more(tmp_path: Path) -> None:
    (fact,) = facts_of(
        tmp_path, "The allergist did the challenge test on Friday: I'm not allergic to penicillin after all."
    )
    assert "penicillin" in fact.text


def test_words_behind_the_verb_are_no_part_of_the_subject() -> None:
    (clause, *_) = reader("english", BUILT_IN).read(
        Speech("My levothyroxine was too much, heart racing.", "Nadia", START)
    )
    assert clause.text == "Nadia's levothyroxine was too much"


def test_an_aside_beside_a_value_is_not_kept(tmp_path: Path) -> None:
    found = facts_of(tmp_path, "The class is every tuesday at 18.30 and I arrive with glue on my fingers.")
    assert [fact.text for fact in found] == ["The class is every tuesday at 18.30"]
