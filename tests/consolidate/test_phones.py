"""Telephone numbers: each belongs to the person whom its sentence or the one before names; with the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections import corrections
from helpers.chats import clauses_of, lived, statuses


def phones(text: str) -> list[Clause]:
    """The clauses of a text that give a telephone number."""
    return [
        each
        for each in clauses_of(text)
        if each.statement is not None and each.statement.attribute == "phone"
    ]


@pytest.mark.parametrize(
    ("text", "person", "number"),
    [
        ("Silvia Lindt does our locks. Her mobile: 0171 2359988", "silvia lindt", "0171 2359988"),
        ("Mrs Abadi is hard of hearing. Her number is 0160 7770123.", "abadi", "0160 7770123"),
        ("Silvia Lindt has a new number, 0151 4441212", "silvia lindt", "0151 4441212"),
        ("Okafor's number: 0171 2359988", "okafor", "0171 2359988"),
        ("You can reach Dr Amari at 0160 7770123.", "amari", "0160 7770123"),
        ("Pavel changed his number to 0151 4441212", "pavel", "0151 4441212"),
        ("Ines Roth covers the desk tonight, mobile +49 171 2359988.", "ines roth", "+49 171 2359988"),
    ],
)
def test_a_number_belongs_to_the_person_who_is_named(text: str, person: str, number: str) -> None:
    (clause,) = phones(text)
    assert clause.statement is not None
    assert (clause.statement.subject, clause.statement.value) == (person, number)


@pytest.mark.parametrize(
    "text",
    [
        "The policy number is 0171 2359988",
        "The invoice number of Okafor is 0171 2359988",
        "Is Silvia's mobile still 0171 2359988?",
        "Mobile: 0171 2359988",
        "The lift is broken again. Mobile: 0171 2359988",
    ],
)
def test_a_number_of_nobody_is_no_telephone_of_a_person(text: str) -> None:
    assert phones(text) == []


def is_ended(older: str, newer: str) -> bool:
    """Whether a newer number ends an older one."""
    (one,), (other,) = phones(older), phones(newer)
    judged = corrections.judge(one, other, corrections.NEAREST)
    return bool(judged.rule) and judged.total >= corrections.limits().ends


def test_a_new_number_ends_the_former_one_of_its_person() -> None:
    assert is_ended("Silvia Lindt's mobile is 0171 2359988", "Silvia has a new number, 0151 4441212")
    assert not is_ended("Okafor's mobile is 0171 2359988", "Silvia has a new number, 0151 4441212")
    assert not is_ended("Silvia's mobile is 0171 2359988", "Silvia's office number is 030 4441212")
    assert not is_ended("Silvia's mobile is 0171 2359988", "Silvia's number: 0171 23 599 88")


def test_numbers_of_different_people_leave_each_other(tmp_path: Path) -> None:
    messages = [
        ("Luis", "Silvia Lindt does our locks. Her mobile: 0171 2359988"),
        ("Marta", "Mrs Abadi is hard of hearing, please write to her. Her number is 0160 7770123"),
        ("Luis", "Silvia Lindt has a new number, 0151 4441212"),
    ]
    with lived(tmp_path, messages) as memory:
        found = statuses(memory)
        assert found["Silvia Lindt's mobile is 0171 2359988"] == "superseded"
        assert [status for text, status in found.items() if "0151 4441212" in text] == ["active"]
        (abadi,) = [fact for fact in memory.facts.list(status=None) if "0160" in fact.text]
        assert abadi.status == "active"
        assert not [
            link for link in memory.facts.links(abadi) if link.relation in ("contradicts", "corrects")
        ]
