"""Bans told by their name or as a label, and acts of no one, are heard as orders; reports are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.clock import MICROSECONDS
from bardo.conduct.hearing.orders.stated_orders import stated_orders
from bardo.conduct.state.prohibition import is_prohibition

#: Monday, 3 March 2031, noon.
MARCH = 1_930_305_600 * MICROSECONDS
#: 22 December 2031, noon.
DECEMBER = 1_955_707_200 * MICROSECONDS


@pytest.mark.parametrize(
    ("text", "forbids"),
    [
        ("The embargo on Delmar shares holds until 15 December.", ["don't trade Delmar shares until 15 December"]),
        ("The freeze on deploys stands until Friday.", ["no deploys until Friday"]),
        ("The ban on pushing to main stands.", ["don't pushing to main"]),
        ("Nobody deploys on Fridays.", ["don't deploy on Fridays"]),
        ("Nobody buys or sells Delmar until 15 December.", ["don't trade Delmar until 15 December"]),
        (
            "No one touches the boiler until the plumber has been.",
            ["don't touch the boiler until the plumber has been"],
        ),
    ],
)  # fmt: skip
def test_a_ban_by_its_name_is_an_order(text: str, forbids: list[str]) -> None:
    assert [order.forbids for order in stated_orders(text)] == forbids


@pytest.mark.parametrize(
    "text",
    [
        "The EU embargo on Russian oil holds until December.",
        "The embargo on Russian oil was lifted.",
        "Nobody sells Delmar",
        "Nobody buys newspapers any more.",
        "Nobody knows when the embargo ends.",
        "The restriction on liquids in hand luggage still applies at the airport.",
        "Does the embargo on Delmar hold until December?",
    ],
)
def test_a_report_is_no_ban(text: str) -> None:
    assert not stated_orders(text)
    assert not is_prohibition(text)


@pytest.mark.parametrize(
    "text",
    [
        "No weekend positions in ETH.",
        "No overnight positions.",
        "No Sunday deliveries.",
        "No late-night deploys, please.",
        "Embargo: no trading in SAP until 20 May, they report earnings.",
        "Trading blackout: no trades in SAP",
    ],
)
def test_a_time_before_the_act_or_a_label_makes_a_ban(text: str) -> None:
    assert is_prohibition(text)


@pytest.mark.parametrize(
    "text", ["No Sunday trains.", "No weekend deliveries yesterday", "No position in ETH.", "Our embargo: a history."]
)  # fmt: skip
def test_what_is_lacking_is_no_ban(text: str) -> None:
    assert not is_prohibition(text)


@pytest.mark.parametrize(
    ("order", "action", "other"),
    [
        ("No weekend positions in ETH.", "Open a weekend position in ETH", "Buy 3 ETH"),
        ("Embargo: no trading in SAP until 20 May, they report earnings.", "Buy 5 lots of SAP", "Sell 5 lots of Enel"),
        (
            "The embargo on Delmar shares holds until 15 December: nobody buys or sells Delmar.",
            "Buy 5 Delmar shares",
            "Sell 5 lots of Enel",
        ),
    ],
)  # fmt: skip
def test_a_ban_told_alone_blocks(tmp_path: Path, order: str, action: str, other: str) -> None:
    clock = bardo.ManualClock(MARCH)
    with bardo.open(tmp_path, clock=clock, agent="desk") as memory:
        memory.remember(order, role="user", kind="turn", speaker="Ingrid")
        memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before(action).decision == "block"
        assert gate.before(other).decision != "block"
    if "until" in order:
        clock.set(DECEMBER)
        with bardo.gate(tmp_path, clock=clock) as gate:
            assert gate.before(action).decision == "allow"
