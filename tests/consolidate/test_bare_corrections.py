"""Corrections that leave the attribute out: "correction: flat 3 is 890"; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.consolidate.clause import Clause
from bardo.consolidate.corrections.bare_values import lacks_attribute, may_correct
from helpers.chats import clauses_of, lived, statuses


def clause_of(text: str) -> Clause:
    """The first clause of a text."""
    return clauses_of(text)[0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rent of flat 3 is 980 euro warm.", "sorry, correction: flat 3 is 890 warm, I misread it"),
        ("The timeout of the gateway is 30 seconds.", "Oops, correction: the gateway is 45 seconds."),
        ("The dose of the ramipril is 5 mg.", "Correction: the ramipril is 10 mg."),
    ],
)
def test_a_bare_correction_is_of_the_value_of_its_thing(before: str, after: str) -> None:
    assert may_correct(clause_of(before).statement, clause_of(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rent of flat 3 is 980 euro warm.", "correction: flat 11 is 890 warm"),
        ("The rent of flat 3 is 980 euro warm.", "flat 3 is 890 warm"),
        ("The rent of flat 3 is 980 euro warm.", "correction: flat 3 is 980 warm"),
        ("The rent of flat 3 is 980 euro warm.", "correction: flat 3 is 62 square metres"),
        ("The rent of flat 3 is 980 euro warm.", "correction: flat 3 is not 890"),
        ("The rent of flat 3 is 980 euro warm.", "correction: flat 3 is damp"),
        ("The owner of tollgate is Ilse.", "correction: tollgate is 30"),
    ],
)
def test_another_thing_unit_or_kind_of_value_is_not_corrected(before: str, after: str) -> None:
    assert not may_correct(clause_of(before).statement, clause_of(after))


def test_a_correction_that_names_its_attribute_lacks_none() -> None:
    assert not lacks_attribute(clause_of("Correction: the rent of flat 3 is 890 euro warm."))


def test_a_bare_correction_takes_the_place_of_the_only_value(tmp_path: Path) -> None:
    messages = [
        ("Marta", "The rent of flat 3 is 980 euro warm."),
        ("Marta", "The rent of flat 11 is 850 euro warm."),
        ("Marta", "sorry, correction: flat 3 is 890 warm, I misread it"),
    ]
    with lived(tmp_path, messages) as memory:
        found = statuses(memory)
        assert found["The rent of flat 3 is 980 euro warm"] == "superseded"
        assert found["The rent of flat 3 is 890 euro warm"] == "active"
        assert found["The rent of flat 11 is 850 euro warm"] == "active"


def test_a_bare_correction_disputes_what_it_does_not_tell_apart(tmp_path: Path) -> None:
    messages = [
        ("Ines", "The timeout of the gateway is 30 seconds."),
        ("Ines", "The interval of the gateway is 5 seconds."),
        ("Ines", "Correction: the gateway is 45 seconds."),
    ]
    with lived(tmp_path, messages) as memory:
        known = [fact for fact in memory.facts.list(status=None) if "of the gateway" in fact.text]
        assert [fact.status for fact in known] == ["active", "active"]
        relations = [{link.relation for link in memory.facts.links(fact)} for fact in known]
        assert all(each & {"contradicts", "corrects"} for each in relations)
