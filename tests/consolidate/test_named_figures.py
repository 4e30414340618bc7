"""Figures of several things, values in everyday wordings, and news of other things; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader
from bardo.privacy import confidences
from helpers.chats import START, lived, statuses


def told(folder: Path, *messages: str) -> tuple[dict[str, str], set[str]]:
    """Status of each fact by its text, and the relations of all links, after a day and a pass for each message."""
    with lived(folder, [("Marit", message) for message in messages]) as memory:
        facts = memory.facts.list(status=None)
        relations = {link.relation for fact in facts for link in memory.facts.links(fact)}
        return statuses(memory), relations


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A label before a colon ends nothing.
        ("The Brent limit is back at 40 lots.", "Stop on Brent: leave it at 1.50."),
        # The limits of two metals.
        ("The position limit on zinc is 20 lots.", "The copper limit drops to 45."),
        ("The Brent limit is 30 lots.", "TTF limit goes up to 35 lots as of today."),
        # Lots are no percent.
        (
            "From Monday on the Brent limit is 30 lots, not 40.",
            "I was wrong about storage: it's below 30 percent, not 40, that the front month runs away.",
        ),
        # News of what an older statement only names beside its value.
        (
            "I live in Galway with my husband Declan and our two kids, Maeve and Finn.",
            "Saoirse is off sick for two weeks, she broke her wrist.",
        ),
        (
            "I live in Galway with my husband Declan and our two kids, Maeve and Finn.",
            "Maeve gave back the cello today; it's trumpet now.",
        ),
        (
            "We have a beagle, Biscuit, who's six, and an old cat called Sooty.",
            "Vet re-tested Biscuit, it was dust mites all along. Chicken is fine for him again.",
        ),
        ("Orla is pregnant.", "Orla has had a scare, she's in hospital till Monday."),
    ],
)
def test_news_of_another_thing_neither_ends_nor_disputes_a_fact(
    tmp_path: Path, before: str, after: str
) -> None:
    found, relations = told(tmp_path, before, after)
    assert set(found.values()) <= {"active"}
    assert "contradicts" not in relations


def test_a_list_of_values_becomes_a_fact_for_each_thing(tmp_path: Path) -> None:
    found, _ = told(tmp_path, "The position limit on Brent is 40 lots, on TTF 25 lots, copper 60.")
    assert {text.removeprefix("The position limit on ") for text in found} == {
        "Brent is 40 lots",
        "TTF is 25 lots",
        "copper is 60 lots",
    }


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [
        ("I live on Fairhill Road.", "I moved to Barna yesterday.", "Marit lives on Fairhill Road"),
        (
            "I take 50 micrograms of levothyroxine every morning.",
            "Blood test came back, I'm on 75 micrograms now.",
            "Marit takes 50 micrograms of levothyroxine every morning",
        ),
        (
            "Orchard was upgraded to version 8.3 over the weekend.",
            "Orchard 8.4 is live since last night.",
            "Orchard was upgraded to version 8.3 over the weekend",
        ),
        (
            "OPS-2291 is the open ticket about the missing WTI ticks.",
            "OPS-2291 is closed, the ticks were recovered.",
            "OPS-2291 is the open ticket about the missing WTI ticks",
        ),
    ],
)
def test_a_new_value_in_other_words_ends_the_old_one(
    tmp_path: Path, before: str, after: str, ended: str
) -> None:
    found, _ = told(tmp_path, before, after)
    assert found[ended] == "superseded"


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("TTF limit goes up to 35 lots as of today.", ("ttf", "limit", "35 lots")),
        ("The margin threshold at Ostrava was raised to 3.2 million.", ("margin ostrava", "threshold", "3.2 million")),
        ("The daily loss limit is 150k from now on.", ("daily loss", "limit", "150k")),
        ("Finn has gone vegetarian as of this week.", ("finn", "diet", "vegetarian")),
        ("I'm lactose intolerant and I can't stand coriander.", ("marit", "intolerance", "lactose")),
        ("We live on Fairhill Road.", ("marit", "address", "Fairhill Road")),
        ("Doc put Declan on ramipril, 5 mg.", ("declan ramipril", "dose", "5 mg")),
        ("Kestrel wants to be called at +44 20 7946 0733.", ("kestrel", "phone", "+44 20 7946 0733")),
        ("The gateway was upgraded to v2.3.", ("gateway", "version", "2.3")),
    ],
)  # fmt: skip
def test_everyday_wordings_give_a_slot(text: str, slot: tuple[str, str, str]) -> None:
    clauses = reader("english", BUILT_IN).read(Speech(text, "Marit", START))
    found = [each.statement for each in clauses if each.statement is not None]
    assert slot in [(each.subject, each.attribute, each.value) for each in found]


@pytest.mark.parametrize("text", ["The meeting was moved to 9.30.", "Orchard 8.4 is live in staging."])
def test_times_and_environments_are_no_versions(text: str) -> None:
    clauses = reader("english", BUILT_IN).read(Speech(text, "Marit", START))
    assert all(each.statement is None or each.statement.attribute != "version" for each in clauses)


def test_a_quote_that_begins_with_an_end_is_over_then(tmp_path: Path) -> None:
    message = "Nickel is off limits until 1 May, the warehouse story stinks."
    with lived(tmp_path, [("Marit", message)]) as memory:
        ends = [fact.statement.until for fact in memory.facts.list(status=None) if fact.statement]
    assert ends
    assert all(ends)


def test_a_temporary_number_has_its_end() -> None:
    text = "My phone is broken, reach me on +47 481 55 902 until the 20th of May."
    clauses = reader("english", BUILT_IN).read(Speech(text, "Marit", START))
    (until,) = [each.statement.until for each in clauses if each.statement is not None]
    assert until is not None


def test_recall_marks_what_was_told_in_confidence(tmp_path: Path) -> None:
    message = "Don't tell Ruth, but I'm planning a weekend in Bruges in June."
    with lived(tmp_path, [("Declan", message)]) as memory:
        assert memory.recall("What's on in June?")[0].standing.startswith("told in confidence")


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("Don't tell Ruth, but I'm planning a weekend.", True),
        ("The hotel is booked. Still a secret.", True),
        ("Don't tell Ruth the code.", False),
        ("It's a secret recipe.", False),
        ("The baby isn't a secret any more.", False),
    ],
)
def test_a_name_or_a_secret_asks_for_confidence(text: str, is_asked: bool) -> None:
    assert confidences.asks(text) is is_asked
