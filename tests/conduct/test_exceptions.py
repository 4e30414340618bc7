"""An "only" excepts from a prohibition: "keys are only copied by Silvia" forbids no copy by Silvia."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.rejections.forbidden import propose


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Keys are only copied by Silvia Lindt", "except by Silvia Lindt"),
        ("We only order tiles from Hornbach", "except from Hornbach"),
        ("Deploy only on Wednesdays", "except on wednesday"),
        ("We only deploy from main", "except from main"),
        ("Pay invoices only after 10:00", "except after 10:00"),
        # A negation turns it round.
        ("Never order tiles from Baumax", "from Baumax"),
        ("Don't ship only on Fridays", "on friday"),
    ],
)
def test_an_only_makes_an_exception(text: str, condition: str) -> None:
    assert condition in propose(text).conditions


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("Keys are only copied by Silvia Lindt", "Have keys copied by Silvia Lindt"),
        ("We only order tiles from Hornbach", "Order tiles from Hornbach"),
        ("Samples are only frozen in the lab", "Freeze the samples in the lab"),
    ],
)
def test_a_rule_does_not_stand_against_what_it_alone_allows(
    gate: bardo.Gate, rule: str, allowed: str
) -> None:
    gate.reject(rule, by="Luis")
    assert gate.before(allowed).decision == "allow"


def test_an_act_that_tells_the_kind_of_a_thing_is_not_done(gate: bardo.Gate) -> None:
    gate.reject("park the van in the fire lane", by="Luis")
    assert gate.before("Park the van in the fire lane").decision == "block"
    found = gate.before("Renew the parking permit of the van").findings
    assert not any(each.blocks or "operation" in each.because for each in found)


@pytest.mark.parametrize(
    ("text", "forbidden", "allowed"),
    [
        ("Don't e-mail Mr Kearney about anything.", "e-mail Mr Kearney about the rent", "print the menu"),
        ("Don't give the door code to anybody.", "give the door code to the electrician", "print the menu"),
        (
            "Don't give the door code to anybody but family.",
            "give the door code to the electrician",
            "give the door code to family",
        ),
        ("Don't lend the van to anyone except Ben.", "lend the van to Ana", "lend the van to Ben"),
    ],
)
def test_anybody_narrows_nothing_and_excepts_whom_it_names(
    gate: bardo.Gate, text: str, forbidden: str, allowed: str
) -> None:
    gate.reject(text, by="Luis")
    assert gate.before(forbidden).decision == "block"
    assert gate.before(allowed).decision == "allow"
