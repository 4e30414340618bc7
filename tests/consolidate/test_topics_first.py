"""Statements whose topic stands before the value are about that topic, and end only its older value."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo


def told(folder: Path, *texts: str) -> dict[str, str]:
    """Returns the texts of the facts that the turns of one person leave, and their status."""
    clock = bardo.ManualClock(1_926_000_000_000_000)
    with bardo.open(folder, agent="desk", clock=clock) as memory:
        for text in texts:
            memory.remember(text, role="user", kind="turn", speaker="Ingrid")
            clock.advance(86_400)
        memory.sleep()
        return {fact.text: fact.status for fact in memory.facts.list(status=None)}


LIMITS = ("The limit on Brent is 25 lots.", "The limit on Enel is 25 lots.", "The limit on SAP is 60 lots.")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Brent: the limit is 20 lots now, not 25.", "The limit for Brent is 20 lots"),
        ("The limit for Brent is 20 lots now, not 25.", "The limit for Brent is 20 lots"),
        ("The Brent limit is back to 20 lots.", "The Brent limit is back to 20 lots"),
    ],
)
def test_a_new_limit_ends_only_that_of_its_thing(tmp_path: Path, said: str, kept: str) -> None:
    found = told(tmp_path, *LIMITS, said)
    assert found[kept] == "active"
    assert found["The limit on Brent is 25 lots"] == "superseded"
    assert found["The limit on Enel is 25 lots"] == "active"
    assert found["The limit on SAP is 60 lots"] == "active"


@pytest.mark.parametrize(
    ("older", "said"),
    [
        ("The limit on Enel is 25 lots.", "Brent: the limit is 20 lots now, not 25."),
        ("The rent of the flat is 900 euros.", "The price of the bike is 700 euros now, not 900."),
        ("The port of the billing API is 9090.", "Gateway: the port is 8080 now, not 9090."),
    ],
)
def test_a_replaced_value_is_none_of_another_thing(tmp_path: Path, older: str, said: str) -> None:
    assert told(tmp_path, older, said)[older.rstrip(".")] == "active"


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            "The limit on Brent is 25 lots, and on SAP it is 60 lots.",
            {"The limit on Brent is 25 lots", "The limit on SAP is 60 lots"},
        ),
        (
            "The price of a pallet is 40 euros, and of a crate it is 12 euros.",
            {"The price of a pallet is 40 euros", "The price of a crate is 12 euros"},
        ),
        ("Gateway: the timeout is 30 seconds.", {"The timeout for Gateway is 30 seconds"}),
        ("Billing API: the port is 8080 now, not 9090.", {"The port for Billing API is 8080"}),
    ],
)
def test_each_thing_has_its_value(tmp_path: Path, said: str, facts: set[str]) -> None:
    assert set(told(tmp_path, said)) == facts


@pytest.mark.parametrize(
    "said",
    [
        "Decision: the limit is 20 lots.",
        "Good news: the price is 12 euros.",
        "Rule: the limit is 20 lots.",
        "Also: the deadline is 14 June.",
    ],
)
def test_a_label_before_a_colon_is_no_topic(tmp_path: Path, said: str) -> None:
    assert not any(" for " in text for text in told(tmp_path, said))


@pytest.mark.parametrize("said", ["Mia Berg: the deadline is 14 June.", "Ingrid: the limit is 20 lots."])
def test_a_person_before_a_colon_may_have_said_the_rest(tmp_path: Path, said: str) -> None:
    assert not any(" for " in text for text in told(tmp_path, said))
