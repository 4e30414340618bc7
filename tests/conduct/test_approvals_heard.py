"""Rules that require an approval are heard, and the gate applies them."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.approvals import approval_of


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Deploys to production need my OK, no exceptions.", "Deploys to production"),
        ("Every refund above 100 euros requires Priya's sign-off.", "refund above 100 euros"),
        ("Always get my approval before merging to main.", "merging to main"),
        ("Ask me before you delete a branch.", "delete a branch"),
        ("Database migrations must be approved by Lena.", "Database migrations"),
        ("FYI: force-push only with my permission.", "force-push"),
        ("Anything that touches the prod database needs an OK from me first.", "touches the prod database"),
        ("Pull requests need Odile's approval before they are merged", "merged Pull requests"),
        ("Run it by me before you change the public API", "change the public API"),
        ("The release needs my approval", "The release"),
        ("Sick notes go out only with my signature. Nobody else's.", "send out Sick notes"),
        ("Contracts only leave the house with Anna's say-so.", "send out Contracts"),
        ("Deploys go to production only with Ira's OK.", "Deploys to production"),
        ("The newsletter goes out only after my sign-off", "send out The newsletter"),
        ("Refunds above 40 euros are mine to decide.", "Refunds above 40 euros"),
        ("Refunds above 40 euros are my decision.", "Refunds above 40 euros"),
        ("Refunds above 40 euros are for Anna to decide.", "Refunds above 40 euros"),
        ("Payouts over 500 euros come to me first.", "Payouts over 500 euros"),
        ("Anything over 250 euros needs my OK before you order it.", "order anything over 250 euros"),
        ("Anything over 250 euros needs my OK.", "buy anything over 250 euros"),
    ],
)
def test_the_act_that_needs_an_approval_is_read(text: str, act: str) -> None:
    assert approval_of(text) == act


@pytest.mark.parametrize(
    "text",
    [
        "Ask me before lunch.",
        "This needs my approval.",
        "The invoice needs a signature.",
        "The dog needs the vet's permission.",
        "My sister needs our parents' consent.",
        "Does the deploy need my approval?",
        "He said deploys need his OK.",
        "Deploys don't need my approval anymore.",
        "My mail comes to me first.",
        "Letters come to me.",
        "That was my call.",
        "Dinner is up to you.",
        "The train goes to Berlin only with a change.",
    ],
)
def test_other_words_of_approvals_require_none(text: str) -> None:
    assert approval_of(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Deploys to production need my OK.",
        "We had an outage. Always get my approval before deploying to production.",
    ],
)
def test_the_gate_blocks_an_act_without_the_approval_that_was_heard(tmp_path: Path, text: str) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember(text, role="user", kind="turn", thread="chat", speaker="Ana")
        memory.sleep()
    with bardo.gate(tmp_path, words_only=True) as gate:
        assert [bool(rule.approval) for rule in gate.rules()] == [True]
        assert gate.before("kubectl --context prod apply -f api.yml").decision == "block"
        assert gate.before("deploy to staging").decision != "block"


def test_the_agents_word_requires_no_approval(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember("Deploys to production need my OK.", role="agent", kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(tmp_path, words_only=True) as gate:
        assert not [rule for rule in gate.rules() if rule.approval]


def heard_by(folder: Path, author: str, *texts: str) -> None:
    with bardo.open(folder) as memory:
        for text in texts:
            memory.remember(text, role="user", kind="turn", thread="chat", speaker=author)
        memory.sleep()


def test_a_signature_is_that_of_its_author_and_no_other_doctor(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    heard_by(folder, "Dr Halloran", "Sick notes go out only with my signature. Nobody else's.")
    with bardo.gate(folder, words_only=True) as gate:
        act = "Send out a sick note signed by Dr Pym"
        assert gate.before(act).decision == "block"
        assert gate.before(act, approved_by="Dr Pym").decision == "block"
        assert gate.before(act, approved_by="Dr Halloran").decision == "allow"
        assert gate.before("Order paper for the printer").decision == "allow"


def test_a_sum_that_needs_an_approval_blocks_among_other_entries_and_at_an_heir(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    heard_by(folder, "Marek", "Anything over 250 euros needs my OK before you order it.")
    with bardo.gate(folder, words_only=True) as gate:
        for number in range(30):
            gate.reject(f"paint room {number} green", by="Marek")
        assert gate.before("Order a chair for 320 euros").decision == "block"
    with bardo.open(folder) as memory:
        memory.bequeath(tmp_path / "agent.testament", cause="end of the job")
    bardo.inherit(tmp_path / "agent.testament", tmp_path / "heir").close()
    for place in (folder, tmp_path / "heir"):
        with bardo.gate(place, words_only=True) as gate:
            assert gate.before("Buy a new printer for 450 euros").decision == "block"
            assert gate.before("Buy a new printer for 450 euros", approved_by="Marek").decision == "allow"
            assert gate.before("Order paper for 40 euros").decision == "allow"


@pytest.mark.parametrize(
    ("order", "right", "action"),
    [
        ("No new dependencies without my OK.", "Ira", "pip install httpx"),
        ("No new dependencies without Ira's OK.", "Ira", "pip install httpx"),
        ("Don't deploy to production without my approval.", "Ira", "Deploy the gateway to production"),
    ],
)
def test_a_rejection_without_an_approval_takes_that_of_its_person_alone(
    gate: bardo.Gate, order: str, right: str, action: str
) -> None:
    gate.reject(order, by="Ira")
    assert gate.before(action).decision == "block"
    assert gate.before(action, approved_by="Malu").decision == "block"
    assert gate.before(action, approved_by=right).decision == "allow"
