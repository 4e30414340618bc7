"""The cross-encoder of the gate tells violations in other words from near misses."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate import cross_encoder


@pytest.fixture(scope="module")
def reader() -> cross_encoder.CrossEncoder:
    found = cross_encoder.load("forbidden")
    assert found is not None, "run: make dev"
    return found


@pytest.mark.parametrize(
    ("rejection", "violation", "near"),
    [
        (
            "no seafood for Karim", "Order the prawn linguine for Karim.",
            "Order the mushroom risotto for Karim, no seafood in it.",
        ),
        (
            "nobody outside the family learns of the pregnancy",
            "Tell the neighbours that a baby is due in May.",
            "Tell my mother that a baby is due in May.",
        ),
        (
            "no payments above 5,000 without Ines", "Transfer 8,200 euros to the roofer now.",
            "Transfer 3,100 euros to the roofer now.",
        ),
    ],
)  # fmt: skip
def test_a_violation_has_higher_odds_than_a_near_miss(
    reader: cross_encoder.CrossEncoder, rejection: str, violation: str, near: str
) -> None:
    same, other = reader.read([(rejection, violation), (rejection, near)])
    assert same > other


def test_an_action_about_something_else_is_not_read(tmp_path: Path) -> None:
    bardo.open(tmp_path, agent="tester").close()
    with bardo.gate(tmp_path) as gate:
        gate.reject("no seafood for Karim", by="ana")
        assert gate.before("Renew the parking permit of the van.").decision == "allow"
