"""Bans of an act at times that come again, and emphasised habits, are heard as orders; reports are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.standing import is_standing
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.parse.rejections import wording
from bardo.conduct.state.bans import is_ban
from bardo.conduct.state.prohibition import forbidden_act, is_prohibition


@pytest.mark.parametrize(
    "text",
    [
        "No work in the stairwell on Sundays.",
        "No work in the stairwell on Sundays, Mrs Lindner complained again",
        "No deliveries on public holidays",
        "no drilling before 9 am",
        "No visits after 20:00",
        "No deploys during the audit.",
        "No repairs in the clinic at weekends",
        "Please no calls to the lab at night",
        "No maintenance of the pumps while the harvest runs",
    ],
)
def test_an_act_is_banned_at_times_that_come_again(text: str) -> None:
    assert is_ban(text)
    assert is_prohibition(text)
    assert is_standing(text)
    assert forbidden_act(text)


@pytest.mark.parametrize(
    "text",
    [
        "No milk in the fridge.",
        "No heating on Sundays",
        "No news from the plumber.",
        "No work in the stairwell last Sunday, they were ill.",
        "No calls today.",
        "No deliveries yesterday.",
        "No work for me on Sundays.",
        "No calls after 8 pm so far",
        "No calls from the bank on Sundays",
        "No seats on the morning train.",
        "No work on Sundays?",
    ],
)
def test_a_report_of_what_is_lacking_is_no_ban(text: str) -> None:
    assert not is_ban(text)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        (
            "We don't post names of people who are behind with the rent on the notice board. Ever.",
            "post names of people who are behind with the rent on the notice board",
        ),
        ("We don't lend out the spare keys. Period.", "lend out the spare keys"),
        ("We do not give discounts to resellers. Full stop.", "give discounts to resellers"),
        ("We don't ship on Fridays, ever.", "ship on Fridays"),
        ("We don't restart the reactor at night. No exceptions!", "restart the reactor at night"),
        ("Never open the hive at night. Period.", "open the hive at night"),
    ],
)
def test_an_emphasised_habit_is_an_order(text: str, act: str) -> None:
    assert is_prohibition(text)
    assert (forbidden_act(text) or "").strip() == act
    (only,) = utterances(text)
    assert only.text == text


@pytest.mark.parametrize(
    "text",
    [
        "We don't have a printer.",
        "We don't eat meat on Fridays.",
        "We don't know him. Ever the optimist.",
        "We don't love the colour. Period.",
        "I don't like mushrooms. Ever.",
        "They don't answer. Ever.",
    ],
)
def test_a_habit_or_a_feeling_is_no_order(text: str) -> None:
    assert not is_prohibition(text)


def test_emphasis_is_no_part_of_what_is_forbidden() -> None:
    assert (
        wording.without_emphasis("Never ship on Fridays. Full stop. No exceptions.")
        == "Never ship on Fridays"
    )
    assert (
        wording.without_emphasis("Don't ever stop the full stop detector")
        == "Don't ever stop the full stop detector"
    )


def test_orders_that_were_heard_block(tmp_path: Path) -> None:
    with bardo.open(tmp_path, agent="office") as memory:
        for text in (
            "We don't lend out the spare keys. Ever.",
            "No work in the stairwell on Sundays, please.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Marta")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert gate.before("Lend out the spare keys").decision == "block"
        assert gate.before("Work in the stairwell on Sunday").decision == "block"
        assert gate.before("Work in the stairwell on Monday").decision == "allow"
