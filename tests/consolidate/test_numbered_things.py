"""Statements about different numbered things, or different people, leave each other; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections import corrections
from helpers.chats import clauses_of, lived

#: Log odds by the cross-encoder of a pair that it takes for a correction.
LIKELY = 4.0


def clause_of(text: str, who: str = "Marta") -> Clause:
    """The first clause of a text."""
    return clauses_of(text, who)[0]


def rule_of(older: str, newer: str) -> str:
    """Rule by which a newer text may end an older one where the cross-encoder finds it likely; empty for none."""
    judged = corrections.judge(clause_of(older), clause_of(newer), corrections.NEAREST, LIKELY)
    return judged.rule if judged.total >= corrections.limits(is_read=True).disputes else ""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The rent of flat 3 is 980 euro warm.", {("flat", "3")}),
        ("Unit 7b is empty.", {("unit", "7b")}),
        ("The pallet in bay B is wet.", {("bay", "b")}),
        ("Keys 26 and 27 are with the Demirs.", {("key", "26"), ("key", "27")}),
        ("The desk no. 5 is broken.", {("desk", "5")}),
        ("The API listens on port 8080.", set()),
        ("The gateway runs version 2.", set()),
        ("We need 5 chairs.", set()),
    ],
)
def test_a_number_behind_its_noun_names_a_thing(text: str, named: set[tuple[str, str]]) -> None:
    assert clause_of(text).numbered == named


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The rent of flat 3 goes up to 920 euro in May.", "The deposit for flat 11 is 2,550 euro now."),
        ("Room 12 has no heating.", "Room 14 has heating again."),
        ("Mr Petrov lives in flat 3.", "Flat 11 is empty now."),
        ("Line 4 is stopped for repairs.", "Line 6 is running again."),
        ("Bed A is free.", "Bed C is no longer free."),
        ("Order 118 is with the desk in Zurich.", "Order 121 was cancelled."),
        ("Shard 3 lags by two minutes.", "Shard 5 has caught up now."),
    ],
)
def test_statements_about_different_numbers_leave_each_other(older: str, newer: str) -> None:
    assert rule_of(older, newer) == ""


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The rent of flat 3 is 980 euro.", "The rent of flat 3 is 890 euro now."),
        ("Mrs Wolff lives in flat 3.", "Mrs Wolff moved to flat 5."),
        ("Room 12 is painted white.", "Room 12 is painted grey now."),
    ],
)
def test_a_new_value_of_one_numbered_thing_still_counts(older: str, newer: str) -> None:
    assert rule_of(older, newer) != ""


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My son Timo moves in with me.", "The Demirs moved in yesterday."),
        ("Dr Amari goes on leave in May.", "Nurse Okoro went on strike."),
        ("Ines trades the Asian session.", "Pavel no longer drives to work."),
    ],
)
def test_news_of_another_person_by_name_leaves_a_statement(older: str, newer: str) -> None:
    assert rule_of(older, newer) == ""


def test_news_of_a_medicine_that_a_statement_names_still_counts() -> None:
    assert rule_of("My dad Frank takes donepezil, 5 mg at night.", "Donepezil was stopped.") == "ending"


def test_a_person_takes_the_place_of_another_for_one_thing() -> None:
    assert rule_of("Berta leads the billing team.", "Carl leads the billing team now.") != ""


def test_the_deposit_for_a_flat_ends_no_rent_of_it() -> None:
    assert rule_of("The rent of flat 3 is 920 euro.", "The deposit for flat 3 is 2,550 euro now.") == ""


def test_a_rent_holds_beside_the_deposit_of_another_flat(tmp_path: Path) -> None:
    messages = [
        ("Marta", "The rent of flat 3 goes up to 920 euro from 1 January 2027, agreed with Mrs Wolff."),
        ("Marta", "The deposit for flat 11 will be three months' rent, 2,550 euro."),
    ]
    with lived(tmp_path, messages) as memory:
        rents = [fact for fact in memory.facts.list(status=None) if "920" in fact.text]
        assert rents
        assert [fact.status for fact in rents] == ["active"] * len(rents)
