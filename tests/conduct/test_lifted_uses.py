"""Words that allow any use of a thing again lift the rejections of each way of using it, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts.uses import is_use


@pytest.mark.parametrize(
    ("rejection", "thing"),
    [
        ("Don't trade with Halden any more.", "Halden"),
        ("Never route anything to Quorum again", "Quorum"),
        ("No orders to Quorum, please.", "Quorum"),
        ("Never use Corvane as a broker", "Corvane"),
        ("Don't pay with PayPal until 20 May", "PayPal"),
        ("Don't run anything on node-7", "node-7"),
        ("Please don't deploy with Ansible.", "Ansible"),
        ("Don't book with Ryanair any more, they lost two bags.", "Ryanair"),
        ("Don't drive the van", "van"),
    ],
)
def test_a_way_of_using_a_thing_is_a_use(rejection: str, thing: str) -> None:
    assert is_use(rejection, thing)


@pytest.mark.parametrize(
    ("rejection", "thing"),
    [
        ("Don't talk to Halden", "Halden"),
        ("Don't share data with Halden", "Halden"),
        ("Don't email Halden", "Halden"),
        ("Don't trade with Halden in January", "Halden"),
        ("Don't trade with Halden or Corvane", "Halden"),
        ("Don't run migrations on prod", "prod"),
        ("Don't delete the database", "database"),
        ("Don't book flights with Ryanair", "Ryanair"),
        ("Don't use the API", "weather API"),
    ],
)
def test_another_act_or_a_narrower_use_is_none(rejection: str, thing: str) -> None:
    assert not is_use(rejection, thing)


@pytest.mark.parametrize(
    ("rejection", "said", "is_lifted"),
    [
        ("Don't trade with Halden any more.", "You can use Halden again.", True),
        ("Don't trade with Halden any more.", "Halden is allowed again.", True),
        ("Never route anything to Quorum again.", "They mended it, so we can use Quorum again.", True),
        ("Don't deploy with Ansible.", "You can use Ansible again", True),
        ("Don't trade with Halden any more.", "You can use Halden for research.", False),
        ("Don't trade with Halden any more.", "You can use Halden again for research.", False),
        ("Don't trade with Halden any more.", "You can use Corvane again.", False),
        ("Don't trade with Halden any more.", "Can we use Halden again?", False),
        ("Don't share client data with Halden.", "You can use Halden again.", False),
        ("Don't restart the print server.", "You can use the print server again.", False),
    ],
)
def test_words_that_allow_any_use_lift_each_way_of_it(
    tmp_path: Path, rejection: str, said: str, is_lifted: bool
) -> None:
    with bardo.open(tmp_path, agent="desk") as memory:
        memory.remember(rejection, role="user", kind="turn", speaker="Ingrid")
        memory.remember(said, role="user", kind="turn", speaker="Ingrid")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert (not gate.state("rejected") and not gate.rules()) is is_lifted


def test_a_lift_of_any_use_lifts_each_rejection_of_a_use(tmp_path: Path) -> None:
    with bardo.open(tmp_path, agent="desk") as memory:
        for text in ("Don't trade with Halden.", "Don't use Halden.", "You can use Halden again."):
            memory.remember(text, role="user", kind="turn", speaker="Ingrid")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert not gate.state("rejected")
        assert gate.before("Buy 5 lots of SAP via Halden").decision == "allow"


def test_for_whom_a_thing_is_used_says_nothing_of_a_purpose() -> None:
    assert is_use("Never order anything from the kiosk for us.", "kiosk")
    assert not is_use("Never order lunch from the kiosk for the board.", "kiosk")
