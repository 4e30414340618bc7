"""An approval for moving money covers amounts of it in other words, and clears the warnings once it is given."""

from __future__ import annotations

import pytest

import bardo
from bardo.conduct.parse.actions.amounts import as_money


@pytest.fixture
def guarded(gate: bardo.Gate) -> bardo.Gate:
    gate.rule("transfer money needs a person", approval="transfer money", by="Ida")
    return gate


@pytest.mark.parametrize(
    "action",
    [
        "Transfer money to Mr Perry",
        "Transfer 200 euros to Mr Perry",
        "Send 200 euros to Mr Perry",
        "Send Anna 200 euros",
        "Wire \u20ac1,500 to the landlord",
        "Pay the plumber 90 dollars",
    ],
)
def test_an_amount_of_money_needs_the_approval_for_money(guarded: bardo.Gate, action: str) -> None:
    assert guarded.before(action).decision == "block"
    assert guarded.before(action, approved_by="Ida").decision == "allow"


@pytest.mark.parametrize(
    "action",
    [
        "Transfer the files to Mr Perry",
        "Transfer 200 shares to Mr Perry",
        "Send 200 flyers to Mr Perry",
        "Check the transfer of 200 euros",
        "Note that the boiler costs 900 euros",
    ],
)
def test_no_movement_of_money_needs_it(guarded: bardo.Gate, action: str) -> None:
    assert guarded.before(action).decision != "block"
    assert guarded.before(action, approved_by="Ida").decision == "allow"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Send 200 euros to Mr Perry", "Send money to Mr Perry"),
        ("Send Mr Perry 1,310 euros for the rent", "Send money to Mr Perry for the rent"),
        ("Wire \u20ac1,500 to the landlord", "Wire money to the landlord"),
        ("Send 20 flyers to Anna", "Send 20 flyers to Anna"),
        ("Order 20 pounds of flour", "Order 20 pounds of flour"),
        ("Meet at 9, room 200", "Meet at 9, room 200"),
    ],
)
def test_amounts_are_told_as_money(text: str, told: str) -> None:
    assert as_money(text) == told
