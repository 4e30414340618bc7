"""Slots of sentences: the attribute and the value that a person states, and what states none; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Speech
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000


def slots_of(text: str) -> list[tuple[str, str, str]]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    found = (clause.statement for clause in rules.read(Speech(text, "Nadia", START)) if clause.stated)
    return [(one.subject, one.attribute, one.value) for one in found if one is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My phone number is 07700 900887.", ("nadia phone", "phone", "07700 900887")),
        ("I have a latex allergy, so no latex gloves.", ("nadia", "allergy", "latex")),
        ("Anjali is allergic to shellfish, so never book seafood.", ("anjali", "allergy", "shellfish")),
        ("My exam has been moved to 13 July.", ("nadia", "exam", "13 July")),
        ("I take 5 mg of ramipril.", ("nadia ramipril", "dose", "5 mg")),
        ("Dr Halloran put my citalopram up to 30 mg.", ("nadia citalopram", "dose", "30 mg")),
        ("The staging database listens on port 5433.", ("staging database", "port", "5433")),
        ("The purchase order number is PO-53-148569.", ("purchase order", "identifier", "PO-53-148569")),
        ("My policy number is AX-992-17 with Helvetia.", ("nadia policy", "identifier", "AX-992-17")),
        ("Our account number is 4471-22-90.", ("nadia account", "identifier", "4471-22-90")),
        ("My number is 555-0142.", ("nadia", "phone", "555-0142")),
    ],
)
def test_a_sentence_gives_the_value_of_an_attribute(text: str, expected: tuple[str, str, str]):
    assert expected in slots_of(text)


@pytest.mark.parametrize(
    "text",
    [
        'I told my colleague "I live in Paris" as a joke and she believed me.',
        "I'm Nadia.",
    ],
)
def test_quoted_speech_and_a_name_of_its_own_give_none(text: str):
    assert slots_of(text) == []


def test_a_time_is_no_case():
    rules = reader("english", BUILT_IN)
    assert rules is not None
    (clause,) = rules.read(Speech("I have taken 20 mg of citalopram since last autumn.", "Nadia", START))
    assert clause.condition == ""


def test_a_dose_of_the_same_medicine_is_replaced(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        for text in (
            "I take 5 mg of ramipril.",
            "I'm on 10 mg of ramipril now.",
            "I take 20 mg of citalopram.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Nadia")
            clock.advance(86_400)
            memory.sleep()
        doses = {fact.statement.value for fact in memory.facts.list() if fact.statement}
        assert doses == {"10 mg", "20 mg"}


def test_another_wording_of_a_value_disputes_nothing(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "ops", clock=clock, seed=1) as memory:
        memory.learn(subject="billing", attribute="version", value="3.0.0")
        clock.advance(86_400)
        memory.remember("billing upgraded to 3.0.0", role="tool", kind="tool")
        memory.sleep()
        (fact,) = memory.facts.list(subject="billing")
        assert (fact.status, memory.facts.links(fact)) == ("active", [])
