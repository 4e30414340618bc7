"""Sentences of one template about different things, and true replacements; with the real parser and store."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.corrections.templates import is_of_another_member, may_be_about_one
from bardo.consolidate.languages import reader
from bardo.model import FactKind

START = 1_760_000_000_000_000
DAY = 86_400
TEMPLATES = [
    ("The depot in {} closes at {} pm", ["Graz", "Linz", "Wels", "Enns"], "insight"),
    ("Venue {} settles after {} days", ["Kappa", "Lambda", "Sigma", "Omega"], "insight"),
    ("Never short {} above {} percent", ["BTC", "ETH", "SOL", "DOT"], "anti_knowledge"),
    ("The {} gate jams below -{} degrees", ["south", "west", "old", "new"], "warning"),
    ("The spare part of machine {} is KX-11{}", ["M1", "M2", "M3", "M4"], "insight"),
]


def one_clause(text: str) -> Clause:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    (clause,) = rules.read(Speech(text, "user", START, "note"))
    return clause


@pytest.mark.parametrize(("template", "things", "kind"), TEMPLATES)
def test_learned_sentences_of_one_template_are_a_fact_for_each_thing(
    tmp_path: Path, template: str, things: list[str], kind: FactKind
) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "yard", clock=clock, seed=1) as memory:
        for number, thing in enumerate(things, start=3):
            memory.learn(template.format(thing, number), kind=kind)
            clock.advance(60)
        memory.sleep()
        facts = memory.facts.list(status=None)
        assert [(fact.status, fact.ended_by) for fact in facts] == [("active", None)] * len(things)
        assert not memory.facts.links(*facts)


def test_turns_of_one_template_do_not_correct_each_other(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "yard", clock=clock, seed=1) as memory:
        for number, town in enumerate(["Graz", "Linz", "Wels", "Enns"], start=3):
            memory.remember(f"The depot in {town} closes at {number} pm.", role="user", kind="turn")
            clock.advance(60)
        memory.sleep()
        found = memory.recall("When does the depot in Graz close?", limit=4)
        assert "Graz" in found[0].text
        assert [item.standing for item in found] == [""] * 4


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The depot in Graz closes at 5 pm", "The depot in Graz now closes at 7 pm"),
        ("Venue Kappa settles after 2 days", "Venue Kappa settles after 12 days now"),
        ("Bin B2 holds 50 bolts", "Bin B2 now holds 55 bolts"),
    ],
)
def test_a_new_value_of_the_same_thing_ends_the_older_one(tmp_path: Path, older: str, newer: str) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "yard", clock=clock, seed=1) as memory:
        first = memory.learn(older)
        clock.advance(DAY)
        memory.learn(newer)
        memory.sleep()
        assert memory.facts.get(first.id).status == "superseded"


@pytest.mark.parametrize(
    ("older", "newer", "is_other"),
    [
        ("The fee on ETH is 4 bps", "The fee on BTC was raised from 4 to 5 bps", True),
        ("The north gate jams below -5 degrees", "The south gate now jams below -5 degrees", True),
        ("Never short BTC", "Never short ETH", True),
        ("Lena owns billing", "Omar now owns billing", False),
        ("The editor is Zed", "The editor is Vim", False),
        ("Never short BTC above 4 percent", "Never short BTC above 6 percent", False),
        ("The relay listens on port 80", "The relay listens on port 81", False),
    ],
)
def test_things_are_told_apart_by_what_differs(older: str, newer: str, is_other: bool) -> None:
    assert is_of_another_member(one_clause(older), one_clause(newer)) is is_other


def test_a_fact_from_a_turn_keeps_the_place_of_its_thing() -> None:
    assert one_clause("The key to Faro hangs with Novak").text == "The key to Faro hangs with Novak"


def test_a_daily_time_ends_nothing_and_an_amount_is_no_year() -> None:
    assert not one_clause("The depot in Graz closes at 5 pm").cues
    assert one_clause("Amara approves invoices up to 2000 euros").until is None
    assert one_clause("The permit is valid up to 2027").until is not None


@pytest.mark.parametrize(
    ("older", "newer", "may_be"),
    [
        ("The pool 35 is paid by the order 115", "The pool 27 rises after the order 303", False),
        ("The round potter hides broken salt", "The small miller dries new salt", False),
        ("The staging server runs Debian 11", "The staging server now runs Debian 12", True),
        ("Berta leads the billing team", "The billing team is led by Carl now", True),
    ],
)
def test_learned_sentences_are_compared_if_they_name_one_subject(
    older: str, newer: str, may_be: bool
) -> None:
    assert may_be_about_one(one_clause(older), one_clause(newer)) is may_be


def test_a_pass_over_learned_sentences_of_numbered_things_ends_none(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "plant", config={"clock": {"unit": "loops"}}, seed=1) as memory:
        things = ("pool", "queue", "host", "oracle")
        memory.learn(
            [
                f"The {things[number % 4]} {number * 7} {'rises after' if number % 2 else 'depends on'} "
                f"the {things[number % 3]} {number * 11} within {number} minutes"
                for number in range(2, 42)
            ],
            confidence=0.75,
        )
        report = memory.sleep()
        assert report.facts_superseded == 0
        assert {fact.status for fact in memory.facts.list(status=None)} == {"active"}
