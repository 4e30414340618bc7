"""Ordinary words lift an order of another verb if they name its thing and conditions, and its fact ends."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts.lifting import lift

#: Time of a lift, after the real clock of the gates.
LATER = 4_000_000_000_000_000
LIFTED = [
    ("Don't suggest meat on Fridays.", "Meat on Fridays is fine again."),
    ("Don't suggest meat on Fridays.", "Meat is allowed on Fridays again."),
    ("Don't use the tumble dryer on weekdays.", "The dryer's okay on weekdays."),
    (
        "Don't use the tumble dryer on weekdays, it costs a fortune.",
        "We've got solar now on the roof, so the dryer's okay on weekdays.",
    ),
    ("Don't use the tumble dryer on weekdays.", "You can run the dryer on weekdays again."),
    ("No peanuts in the house, please.", "Peanuts are allowed again."),
    ("Never serve fish to the guests.", "Fish is fine for the guests again"),
    ("Don't play music after ten.", "Music after ten is okay again."),
    ("Don't book meetings on Monday mornings.", "Meetings on Monday mornings are fine now."),
    ("No more crisps in the lunchbox, please.", "Crisps in the lunchbox are okay again."),
    ("Don't buy oat milk.", "Oat milk is fine again."),
]
KEPT = [
    ("No peanuts in the house, please.", "Peanut butter is allowed again."),
    ("Don't suggest meat on Fridays.", "Meat on Mondays is fine again."),
    ("Don't suggest meat on Fridays.", "Meat is fine again."),
    ("Don't suggest meat on Fridays.", "Fish on Fridays is fine again."),
    ("Don't suggest meat on Fridays.", "Is meat on Fridays fine again?"),
    ("Don't suggest meat on Fridays.", "Meat on Fridays is not fine again."),
    ("Don't use the tumble dryer on weekdays.", "The dryer is fine again."),
    ("Don't use the tumble dryer on weekdays.", "The dryer is okay on weekends."),
    ("Don't restart the server at night.", "The server is fine at night again."),
    ("Never delete the backups on Sundays.", "The backups on Sundays are fine again."),
    ("Don't call Mum after nine.", "Mum is fine after nine now."),
    ("Don't wake the baby at night.", "The baby is okay at night now."),
    ("Don't use the ladder without a second person.", "The ladder is fine again."),
    ("No dogs in the kitchen, please.", "Dogs are allowed again."),
    ("Don't serve the soup.", "The soup is fine again."),
    ("Don't sell the piano.", "The piano is allowed again."),
]


def is_lifted(gate: bardo.Gate, said: str, *orders: str) -> bool:
    for order in orders:
        gate.reject(order, by="Ida")
    with gate._store.writing():
        return bool(lift(gate._store, said, by="Ida", episode="e1", at=LATER))


@pytest.mark.parametrize(("order", "said"), LIFTED)
def test_words_that_name_the_thing_and_conditions_of_an_order_lift_it(
    gate: bardo.Gate, order: str, said: str
) -> None:
    assert is_lifted(gate, said, order)
    assert not gate.state("rejected")


@pytest.mark.parametrize(("order", "said"), KEPT)
def test_words_of_a_state_or_of_another_thing_or_condition_lift_nothing(
    gate: bardo.Gate, order: str, said: str
) -> None:
    assert not is_lifted(gate, said, order)


def test_a_shorter_name_that_may_be_of_two_orders_lifts_none(gate: bardo.Gate) -> None:
    orders = ("Don't use the washing machine at night.", "Don't use the coffee machine at night.")
    assert not is_lifted(gate, "The machine is okay at night.", *orders)


def talk(folder: Path, *said: str) -> bardo.ManualClock:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(folder, agent="moss", clock=clock) as memory:
        for text in said:
            memory.remember(text, role="user", kind="turn", speaker="Ida")
            clock.advance(86_400)
            memory.sleep()
    return clock


def facts_in_force(folder: Path, clock: bardo.ManualClock) -> list[str]:
    with bardo.open(folder, clock=clock) as memory:
        return [fact.text for fact in memory.facts.list()]


@pytest.mark.parametrize(
    ("order", "said", "action"),
    [
        ("Don't suggest meat on Fridays.", "Meat on Fridays is fine again.", "Suggest meat on Friday"),
        (
            "Don't use the tumble dryer on weekdays, it costs a fortune.",
            "We've got solar on the roof, so the dryer's okay on weekdays.",
            "Run the tumble dryer on Tuesday",
        ),
        (
            "Don't suggest meat on Fridays.",
            "You can suggest meat on Fridays again.",
            "Suggest meat on Friday",
        ),
    ],
)
def test_the_fact_of_a_lifted_order_ends_and_the_lift_is_no_rule(
    tmp_path: Path, order: str, said: str, action: str
) -> None:
    clock = talk(tmp_path, order)
    assert any(" rejects: " in text for text in facts_in_force(tmp_path, clock))
    with bardo.open(tmp_path, clock=clock) as memory:
        memory.remember(said, role="user", kind="turn", speaker="Ida")
        memory.sleep()
        dossier = (tmp_path / "DOSSIER.md").read_text(encoding="utf-8")
    texts = facts_in_force(tmp_path, clock)
    assert not any(" rejects: " in text for text in texts)
    # It stands among what held before.
    assert all("(until " in line for line in dossier.splitlines() if " rejects: " in line)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert not [rule for rule in gate.rules() if not rule.retired_by]
        assert not gate.state("rejected")
        assert gate.before(action).decision == "allow"


def test_an_order_that_is_given_again_after_its_lift_has_its_fact_again(tmp_path: Path) -> None:
    order = "Don't suggest meat on Fridays."
    clock = talk(tmp_path, order, "Meat on Fridays is fine again.", order)
    assert [text for text in facts_in_force(tmp_path, clock) if "meat" in text] == [
        "Ida rejects: suggest meat on Fridays"
    ]
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before("Suggest meat on Friday").decision == "block"


def test_the_fact_of_an_allowance_is_deleted_with_the_turn_of_the_lift(tmp_path: Path) -> None:
    clock = talk(tmp_path, "Don't suggest meat on Fridays.", "Meat on Fridays is fine again.")
    with bardo.open(tmp_path, clock=clock) as memory:
        (fact,) = [fact for fact in memory.facts.list() if "allows again" in fact.text]
        memory.forget(list(fact.evidence), reason="asked")
        assert not [fact for fact in memory.facts.list() if "allows again" in fact.text]
