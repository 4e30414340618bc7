"""The fact of an order that a person lifted ends, also of a rule, and heirs know the order as lifted."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

DAY = 86_400
LIFTS = [
    ("Obi", "No deploys on Fridays.", "Friday deploys are fine again."),
    (
        "Dr Halloran",
        "Don't book anyone into my Wednesday afternoons.",
        "You can book my Wednesday afternoons again.",
    ),
    ("Ana", "Please don't use Redis for sessions.", "You can use Redis for sessions again."),
]


def lived(folder: Path, clock: bardo.ManualClock, *said: tuple[str, str]) -> None:
    """Messages of persons, with a pass and ten days after each."""
    with bardo.open(folder, clock=clock, agent="ops") as memory:
        for who, text in said:
            memory.remember(text, role="user", kind="turn", speaker=who)
            memory.sleep()
            clock.advance(10 * DAY)


def in_force(folder: Path, clock: bardo.ManualClock) -> list[str]:
    with bardo.open(folder, clock=clock) as memory:
        return [fact.text for fact in memory.facts.list()]


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_785_750_000_000_000)


@pytest.mark.parametrize(("who", "order", "lift"), LIFTS)
def test_the_fact_of_a_lifted_order_ends_and_the_heir_knows_the_order_as_lifted(
    tmp_path: Path, clock: bardo.ManualClock, who: str, order: str, lift: str
) -> None:
    lived(tmp_path / "p", clock, (who, order))
    before = in_force(tmp_path / "p", clock)
    assert before
    lived(tmp_path / "p", clock, (who, lift))
    after = in_force(tmp_path / "p", clock)
    assert not set(before) & set(after)
    assert any(f"{who} allows again: " in text for text in after)
    with bardo.open(tmp_path / "p", clock=clock) as memory:
        left = memory.bequeath(tmp_path / "p.testament")
    (ended,) = left.ended
    assert ended.ended_by == who
    with bardo.inherit(tmp_path / "p.testament", tmp_path / "h", clock=clock) as heir:
        assert not set(before) & {fact.text for fact in heir.facts.list()}
        found = {one.text: one for one in heir.recall(order, limit=10)}
        assert order not in found or "lifted on 13 August 2026" in found[order].standing
    with bardo.gate(tmp_path / "h", clock=clock) as gate:
        assert gate.state("rejected") == []
        assert gate.rules() == []


def test_an_inherited_turn_with_more_than_the_order_is_marked_as_lifted(
    tmp_path: Path, clock: bardo.ManualClock
) -> None:
    said = "No deploys on Fridays. The support number of Hetzner is 7200."
    lived(tmp_path / "p", clock, ("Obi", said))
    kept = [text for text in in_force(tmp_path / "p", clock) if "7200" in text]
    with bardo.gate(tmp_path / "p", clock=clock) as gate:
        held = [*gate.rules(), *gate.state("rejected")]
        for row in held:
            gate.retire(row.id, by="Obi") if row.id.startswith("r") else gate.lift(row.id, by="Obi")
    with bardo.open(tmp_path / "p", clock=clock) as memory:
        memory.sleep()
        left = memory.bequeath(tmp_path / "p.testament")
    assert [one.text for one in left.ended]
    assert [text for text in in_force(tmp_path / "p", clock) if "7200" in text] == kept
    assert any(one.text == said for one in left.episodes)
    with bardo.inherit(tmp_path / "p.testament", tmp_path / "h", clock=clock) as heir:
        (turn,) = [one for one in heir.recall(said, limit=10) if one.text == said]
        assert "lifted" in turn.standing


def test_an_order_that_is_said_again_is_known_again(tmp_path: Path, clock: bardo.ManualClock) -> None:
    who, order, lift = LIFTS[0]
    lived(tmp_path, clock, (who, order), (who, lift), (who, order))
    known = in_force(tmp_path, clock)
    assert any("No deploys on Fridays" in text for text in known)
    assert not any(" allows again: " in text for text in known)


def test_the_lift_of_one_order_leaves_the_facts_of_others(tmp_path: Path, clock: bardo.ManualClock) -> None:
    lived(
        tmp_path,
        clock,
        ("Obi", "No deploys on Fridays."),
        ("Obi", "No deploys on holidays."),
        ("Obi", "Friday deploys are fine again."),
    )
    assert any("holidays" in text for text in in_force(tmp_path, clock))
