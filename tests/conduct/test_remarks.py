"""Statements of the past, of others' habits and of a lack are neither rules nor rejections."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.hearing import read, sure
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.hearing.talk.remarks import is_exemption, is_remark, is_unreal

REMARKS = [
    "Never seen such a bug before.",
    "Never had a slower build.",
    "We've never been to Lisbon.",
    "We never had this problem with MySQL.",
    "Users never read the tooltips.",
    "Our customers don't care about the footer.",
    "We don't have a budget for a pen test this year.",
    "There is no staging server.",
    "The old code didn't log anything, please don't ask me why.",
    "Dad left the gas on. We can't leave him alone much longer.",
]
ORDERS = [
    "We never deploy on Fridays.",
    "Never push to main.",
    "Secrets never leave the vault.",
    "Customers never get access to the console.",
    "We didn't want Redis, and we still don't.",
    "We had an outage. Never restart nginx.",
    "I've no use for a cookbook.",
    "You needn't prepare slides, I don't want any.",
    "We never had tests. Always write tests.",
]


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_is_heard_as_nothing_that_forbids(text: str) -> None:
    assert is_remark(text)
    assert all(
        one is None or one.kind not in ("rule", "rejection")
        for one in sure(read(utterances(text), None, None))
    )


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_is_no_remark(text: str) -> None:
    assert not is_remark(text)


@pytest.mark.parametrize(
    "text", ["If we had the money we'd move to Leeds.", "We would fly if only we had the time."]
)
def test_a_supposition_against_the_facts_is_told_from_a_condition(text: str) -> None:
    assert is_unreal(text)
    assert not is_unreal("If the build fails, never deploy.")


def test_an_exemption_is_no_task() -> None:
    assert is_exemption("You don't need to update the snapshots.")
    assert not is_exemption("You need to update the snapshots.")


def test_a_pass_keeps_no_remark(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        for text in (
            *REMARKS,
            "If we had the money we'd move to Leeds.",
            "You don't need to update the snapshots.",
        ):
            memory.remember(text, role="user", kind="turn", thread="chat")
        memory.remember(
            "No longer 5 retries, make it 8 retries for the webhook.", role="user", kind="turn", thread="b"
        )
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert [entry.summary for kind in ("rejected", "task") for entry in gate.state(kind)] == []
        assert gate.rules() == []
