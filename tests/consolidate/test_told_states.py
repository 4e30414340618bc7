"""States of tickets, holders of shifts and limits in plain sentences become facts, which later ones end."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.model import Fact

#: Wednesday, 12 February 2031, noon.
START = int(datetime(2031, 2, 12, 12, tzinfo=UTC).timestamp() * 1e6)


def told(folder: Path, *texts: str) -> list[Fact]:
    """Returns the facts that the turns of one person leave."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder, agent="desk", clock=clock) as memory:
        for text in texts:
            memory.remember(text, role="user", kind="turn", speaker="Ingrid")
            clock.advance(86_400)
        memory.sleep()
        return list(memory.facts.list(status=None))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("OPS-4417 is closed.", ("ops-4417", "status", "closed")),
        ("Ticket 12 is still open, sadly.", ("ticket 12", "status", "open")),
        ("PR 311 has been merged.", ("pr 311", "status", "merged")),
        ("OPS-4502 is with Helle Brandt.", ("ops-4502", "owner", "Helle Brandt")),
        ("Issue #88 is assigned to Tariq.", ("issue #88", "owner", "Tariq")),
        ("Helle Brandt has the night shift this week.", ("night shift", "owner", "Helle Brandt")),
        ("Tariq is on the late shift.", ("late shift", "owner", "Tariq")),
        ("The daily loss may not exceed 2 % of equity.", ("daily loss", "limit", "2 % of equity")),
        ("Our daily loss limit is 2 %.", ("ingrid daily loss", "limit", "2 %")),
        ("Helle's phone is 0170 5558213.", ("helle", "phone", "0170 5558213")),
        ("Corvane charges 2 % per trade", ("corvane", "rate", "2 % per trade")),
        ("The Enel limit is back to 40 lots.", ("enel", "limit", "40 lots")),
    ],
)
def test_a_plain_sentence_becomes_a_statement(
    tmp_path: Path, text: str, statement: tuple[str, str, str]
) -> None:
    (fact,) = told(tmp_path, text)
    assert fact.statement
    assert (fact.statement.subject, fact.statement.attribute, fact.statement.value) == statement


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("Our daily loss limit is 2 %.", "2%"),
        ("Corvane charges 2 % per trade", "2% per trade"),
        ("Lumen charges 2 bps.", "2 bps"),
        ("Halden charges 3 basis points", "3 basis points"),
    ],
)
def test_a_figure_keeps_its_unit(tmp_path: Path, text: str, figure: str) -> None:
    (fact,) = told(tmp_path, text)
    assert figure in fact.text


@pytest.mark.parametrize(
    "text",
    [
        "Is OPS-4417 closed?",
        "If OPS-4417 is closed, tell me.",
        "OPS-4417 will be closed soon.",
        "She has the night shift.",
        "Nobody has the night shift.",
        "The door is open.",
        "It may not exceed 2 %.",
    ],
)
def test_a_question_a_condition_or_a_pronoun_states_nothing(tmp_path: Path, text: str) -> None:
    assert not [fact for fact in told(tmp_path, text) if fact.statement]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("OPS-4417 is open.", "OPS-4417 is closed."),
        ("OPS-4502 is with Helle Brandt.", "OPS-4502 is now with Tariq Aziz."),
        ("Helle Brandt has the night shift.", "Tariq has the night shift."),
        ("The daily loss may not exceed 2 % of equity.", "The daily loss limit is 3 %."),
        ("Our account at Lumen is 8830-114.", "The Lumen account is now 9911-207."),
        ("Our account at Petrel is PT-20771.", "Our account at Petrel is PT-30918 now."),
    ],
)
def test_a_newer_state_ends_the_older_one(tmp_path: Path, older: str, newer: str) -> None:
    found = told(tmp_path, older, newer)
    assert sorted(fact.status for fact in found) == ["active", "superseded"]
    (active,) = [fact for fact in found if fact.status == "active"]
    assert active.statement
    assert active.statement.value[:6] in newer.replace("-", " ") or active.statement.value in newer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("OPS-4417 is open.", "OPS-4502 is closed."),
        ("Helle Brandt has the night shift.", "Tariq has the late shift."),
        ("The limit on Enel is 40 lots.", "Keep an eye on Enel's dividend."),
        ("Keep an eye on Enel's dividend.", "The Enel limit is back to 40 lots."),
    ],
)
def test_a_state_of_another_thing_disputes_nothing(tmp_path: Path, one: str, other: str) -> None:
    assert {fact.status for fact in told(tmp_path, one, other)} == {"active"}


def test_the_state_in_force_comes_first(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path, agent="desk", clock=clock) as memory:
        for text in ("OPS-4417 is open.", "The desk opens at nine.", "OPS-4417 is closed."):
            memory.remember(text, role="user", kind="turn", speaker="Ingrid")
            clock.advance(86_400)
        memory.sleep()
        assert "closed" in next(iter(memory.recall("Is OPS-4417 open?"))).text


def test_a_shift_of_this_week_ends_with_it(tmp_path: Path) -> None:
    (fact,) = told(tmp_path, "Helle Brandt has the night shift this week.")
    assert fact.statement
    assert fact.statement.until == int(datetime(2031, 2, 17, tzinfo=UTC).timestamp() * 1e6)


@pytest.mark.parametrize(
    ("text", "is_decision"),
    [
        ("My tip for the weekend: Sintra by train.", False),
        ("One more tip: the ramen place on Elm Street.", False),
        ("My guess: they cut rates in June.", False),
        ("Our decision: we go with Postgres.", True),
        ("My choice: Postgres.", True),
    ],
)
def test_a_tip_is_no_decision(tmp_path: Path, text: str, *, is_decision: bool) -> None:
    told(tmp_path, text)
    if not is_decision and not (tmp_path / "conduct.db").exists():
        return
    with bardo.gate(tmp_path) as gate:
        assert bool(gate.state("decision")) is is_decision
