"""Contradictions of two parents are disputed at the heir, and a lift that a person told one ends the order of both."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import bardo

DAY = 86_400
START = 1_785_750_000_000_000


def parent(folder: Path, name: str, messages: Iterable[tuple[int, str, str]]) -> Path:
    """A testament of a life of messages: the day of each, who said it, and its words."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder / name, clock=clock, agent=name) as memory:
        for day, who, text in messages:
            clock.set(START + day * DAY * 1_000_000)
            memory.remember(text, role="user", kind="turn", speaker=who)
            memory.sleep()
        clock.set(START + 60 * DAY * 1_000_000)
        memory.sleep()
        memory.bequeath(folder / f"{name}.testament")
    return folder / f"{name}.testament"


def heirs(folder: Path, one: Path, other: Path) -> Iterable[bardo.Grimoire]:
    """Heirs of both, in one call and in the other order in two, after their first pass."""
    for place, calls in enumerate(([[one, other]], [other, one])):
        clock = bardo.ManualClock(START + 61 * DAY * 1_000_000)
        with bardo.inherit(calls[0], folder / f"heir{place}", clock=clock, agent="heir") as heir:
            for call in calls[1:]:
                clock.advance(3_600)
                heir.lineage.adopt(call)
            heir.sleep()
            yield heir


def disputed(heir: bardo.Grimoire) -> set[frozenset[str]]:
    facts = {fact.id: fact for fact in heir.facts.list()}
    links = heir.facts.links(*facts.values())
    return {
        frozenset((facts[link.src].text, facts[link.dst].text))
        for link in links
        if link.relation == "contradicts" and {link.src, link.dst} <= facts.keys()
    }


def page(heir: bardo.Grimoire) -> str:
    """The dossier without its head and first line, which tell the time of the pass."""
    return (heir.path / "DOSSIER.md").read_text(encoding="utf-8").split("\n", 4)[-1]


def test_two_values_of_a_thing_dispute_each_other_in_any_order(tmp_path: Path) -> None:
    clinic = parent(tmp_path, "clinic", [(10, "Marek", "The limit is 400 now, not 250.")])
    colleague = parent(
        tmp_path,
        "colleague",
        [(20, "Marek", "My limit is 500 now."), (21, "Bea", "The printer is on the second floor.")],
    )
    pages = set()
    for heir in heirs(tmp_path, clinic, colleague):
        ((one, other),) = disputed(heir)
        assert {"400" in one, "400" in other} == {True, False}
        first = heir.recall("What is Marek's limit?", limit=1)[0]
        assert "500" in first.text
        pages.add(page(heir))
    assert len(pages) == 1


def test_what_parents_know_of_different_things_is_not_disputed(tmp_path: Path) -> None:
    clinic = parent(
        tmp_path, "clinic", [(10, "Marek", "My limit is 400."), (11, "Bea", "My car is a Skoda.")]
    )
    colleague = parent(
        tmp_path, "colleague", [(20, "Bea", "My limit is 500."), (21, "Marek", "My desk is by the window.")]
    )
    for heir in heirs(tmp_path, clinic, colleague):
        assert disputed(heir) == set()


@pytest.mark.parametrize(
    ("order", "lift", "action"),
    [
        (
            "Don't order anything from Medisupply any more.",
            "You can order from Medisupply again, they've apologised.",
            "Order syringes from Medisupply",
        ),
        ("No deploys on Fridays.", "Friday deploys are fine again.", "deploy on Friday"),
    ],
)
def test_a_lift_told_to_one_parent_ends_the_order_of_the_other(
    tmp_path: Path, order: str, lift: str, action: str
) -> None:
    first = parent(tmp_path, "first", [(10, "Marek", order)])
    second = parent(tmp_path, "second", [(20, "Marek", lift)])
    for heir in heirs(tmp_path, first, second):
        assert not any(" rejects: " in fact.text or order in fact.text for fact in heir.facts.list())
        with bardo.gate(heir.path) as gate:
            assert gate.before(action).decision == "allow"
            assert gate.state("rejected") == []


@pytest.mark.parametrize(
    ("who", "day"), [("Bea", 20), ("Marek", 5)], ids=["another person", "an earlier lift"]
)
def test_a_lift_of_another_person_or_time_ends_nothing(tmp_path: Path, who: str, day: int) -> None:
    first = parent(tmp_path, "first", [(10, "Marek", "Don't order anything from Medisupply.")])
    second = parent(tmp_path, "second", [(day, who, "You can order from Medisupply again.")])
    for heir in heirs(tmp_path, first, second):
        with bardo.gate(heir.path) as gate:
            assert gate.before("Order syringes from Medisupply").decision == "block"


def test_what_ended_at_a_parent_has_the_day_of_its_end(tmp_path: Path) -> None:
    first = parent(
        tmp_path,
        "first",
        [
            (40, "Tilda", "Don't send reminders by SMS."),
            (50, "Tilda", "You can send reminders by SMS again."),
        ],
    )
    second = parent(tmp_path, "second", [(20, "Bea", "The printer is on the second floor.")])
    for heir in heirs(tmp_path, first, second):
        over = page(heir).partition("## Ended lately")[2]
        assert "(until 22 September 2026" in over, page(heir)
        assert "3 October 2026" not in over
