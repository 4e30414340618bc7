"""Statements beside a question, an order or a plan, and short facts of named people; with the real parser."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from helpers.chats import clauses_of, lived

#: A Wednesday.
TOLD = int(datetime(2026, 9, 9, 10, tzinfo=UTC).timestamp()) * 1_000_000
DAY = 86_400


def slots_of(text: str) -> set[tuple[str, str]]:
    """Attributes and values that the clauses of a text state."""
    return {
        (each.statement.attribute, each.statement.value)
        for each in clauses_of(text)
        if each.stated and each.statement is not None
    }


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("I'm allergic to cats by the way, are there any in the house?", ("allergy", "cats")),
        ("My son is coeliac by the way - do you have gluten-free bread?", ("condition", "coeliac")),
        ("Pavel is dyslexic, can you send him audio files?", ("condition", "dyslexic")),
        ("We use Postgres 17 for the ledger - does the driver support it?", ("use", "Postgres 17")),
        ("Dr Amari is hard of hearing, please write to her.", ("condition", "hard of hearing")),
        ("Ines is partially sighted.", ("condition", "partially sighted")),
        ("Silvia Lindt does our locks.", ("work", "locks")),
        ("Okafor charges 48 an hour.", ("rate", "48 an hour")),
        ("The desk charges 3 euro per lot.", ("rate", "3 euro per lot")),
        ("The salt is in box 4, behind the bins.", ("location", "in box 4")),
        ("The probes are in rack 3.", ("location", "in rack 3")),
    ],
)
def test_a_statement_beside_a_question_or_order_and_a_short_fact_are_stated(
    text: str, slot: tuple[str, str]
) -> None:
    assert slot in slots_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "If I'm allergic to cats, can I come in?",
        "Am I allergic to cats, is there a test?",
        "I'm allergic to cats, am I?",
        "You're allergic to cats, aren't you?",
        "They say I'm allergic to cats.",
        "The lift is in trouble.",
        "Pavel does the dishes.",
        "Okafor charges customers.",
        "Mrs Abadi is hard to reach.",
    ],
)
def test_a_question_a_condition_and_other_forms_state_nothing(text: str) -> None:
    assert slots_of(text) == set()


def test_short_facts_of_named_people_are_kept(tmp_path: Path) -> None:
    messages = [
        ("Lena", "Hello! Moved in today. I'm allergic to cats by the way, are there any in the house?"),
        ("Luis", "Mrs Abadi is hard of hearing, please write to her."),
        ("Luis", "Silvia Lindt does our locks."),
        ("Luis", "The salt is in box 4."),
        ("Luis", "Okafor charges 48 an hour."),
    ]
    with lived(tmp_path, messages) as memory:
        found = {fact.text for fact in memory.facts.list()}
    assert found >= {
        "Lena is allergic to cats",
        "Mrs Abadi is hard of hearing",
        "Silvia Lindt does Luis's locks",
        "The salt is in box 4",
        "Okafor charges 48 an hour",
    }


def test_what_ends_by_its_own_date_leaves_force_and_what_stands_beside_it_stays(tmp_path: Path) -> None:
    clock = bardo.ManualClock(TOLD)
    with bardo.open(tmp_path / "office", clock=clock, seed=1) as memory:
        for who, text in (
            ("Keller", "I'm in hospital until the 20th, my daughter Ines has the key and walks Bruno"),
            ("Petrov", "I'm moving out at the end of September, letter follows."),
            ("Petra", "correction, Holt comes on the 13th, not the 11th, he called"),
        ):
            memory.remember(text, role="user", kind="turn", speaker=who, thread="t")
            memory.sleep()
        known = [fact.text for fact in memory.facts.list()]
        assert any("hospital" in text for text in known)
        assert any("moving out" in text for text in known)
        assert any("13th" in text for text in known)
        clock.advance(40 * DAY)
        memory.sleep()
        left = [fact.text for fact in memory.facts.list()]
        assert not any(word in text for text in left for word in ("hospital", "moving out", "13th"))
        assert any("Bruno" in text for text in left)
