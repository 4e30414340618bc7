"""Words that permit, others that do not, and how much of an order a permission lifts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.lifts.partial_lifts import allow
from bardo.conduct.hearing.lifts.permissions import permits
from bardo.conduct.match.allowed_cases import is_allowed
from bardo.conduct.parse import action
from bardo.conduct.parse.rejections.forbidden import propose

#: Time of the words, after the real clock of the gates.
LATER = 4_000_000_000_000_000
STAFF = "Please don't give out staff mobile numbers to patients."
LATEX = "Don't order latex gloves, Lena is allergic to latex."
PAYLANE = "Tests must not call the Paylane sandbox, they rate limit us."


def heard(gate: bardo.Gate, order: str, said: str) -> tuple[list[str], bool]:
    """Returns the cases of an order after words of a person, and whether the order ended."""
    entry = gate.reject(order, by="Ida")
    with gate._store.writing():
        gate._store.put(replace(entry, episode="e0"))
        allow(gate._store, said, by="Ida", agent="ann", episode="e1", at=LATER)
    (row,) = gate.state("rejected", every=True)
    return list(row.forbidden.allowed), row.status != "active"


@pytest.mark.parametrize(
    ("order", "said"),
    [
        # Statements about things.
        (STAFF, "The staff party is on Friday."),
        (STAFF, "The staff lunch is back on."),
        ("Don't deploy the site on Fridays", "The site visit is on 11 December"),
        ("No new dependencies without my OK.", "NEW_SETTLER is on in staging, production is still off."),
        ("Don't move the website to another host.", "The desk's been moved up to the first floor."),
        ("Don't move the website to another host.", "The fridge alarm's been moved up to 8 degrees, at last."),
        (PAYLANE, "Malu is on call from today on, thanks everyone."),
        # Permissions of something else.
        (PAYLANE, "You can use Redis again, for the rate limiter."),
        (LATEX, "You can order from Medisupply again, they've apologised."),
        (LATEX, "You can order paper towels again."),
        ("No deploys on Fridays.", "Audit passed! The freeze is over, you can deploy to production again."),
        ("Don't delete the backups.", "You can copy the backups to the archive again."),
        ("Don't delete the backups.", "The auditors may have the backups of May."),
        ("Don't restart the server.", "The server is fine for the tests."),
        # Questions, conditions, guesses and words of others.
        (STAFF, "May the interns have staff mobile numbers?"),
        (STAFF, "If the board agrees, the interns may have staff mobile numbers."),
        (STAFF, "My son thinks interns can have staff mobile numbers."),
        ("Don't use Redis in paygate.", "Perhaps we can use Redis for the sessions."),
    ],
)  # fmt: skip
def test_words_that_do_not_permit_the_forbidden_change_nothing(
    gate: bardo.Gate, order: str, said: str
) -> None:
    assert heard(gate, order, said) == ([], False)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ("Leave the phone greeting alone, please.",
         "I've recorded a new system, so you may change the phone greeting again."),
        ("Leave the phone greeting alone, please.",
         "You may change the phone greeting again, I've recorded a new system."),
        ("Don't let the couriers into the lab.", "Couriers may go into the lab again, the new lock is in."),
        ("We take no walk-ins any more, the waiting room is too full.", "Walk-ins are allowed again."),
        (PAYLANE, "Tests may call the Paylane sandbox again, v2 has no rate limit."),
        ("Don't send reminders by SMS, old Mr Finch panics.", "You can send SMS reminders again."),
    ],
)  # fmt: skip
def test_words_that_permit_all_of_an_order_again_end_it(gate: bardo.Gate, order: str, said: str) -> None:
    assert heard(gate, order, said) == ([], True)


@pytest.mark.parametrize(
    ("order", "said", "allowed", "forbidden"),
    [
        (STAFF, "The dialysis patients may have Dr Pym's mobile number, that's agreed with him.",
         ["Give the dialysis patients Dr Pym's mobile number"],
         ["Give the patient Mrs Roth a staff mobile number", "Give out staff mobile numbers to patients",
          "Give the dialysis patients Bea's mobile number", "Give Mr Finch Dr Pym's mobile number"]),
        ("Don't order anything from Medisupply any more.",
         "For the blue nitrile gloves you can use Medisupply again, Brandt can't get them. Nothing else though.",
         ["Order two boxes of blue nitrile gloves from Medisupply"],
         ["Order syringes from Medisupply", "Order blue nitrile gloves and syringes from Medisupply"]),
        ("Don't install docker on the build hosts.", "On build03 you may install docker.",
         ["install docker on build03"], ["install docker on build04"]),
    ],
)  # fmt: skip
def test_a_case_frees_only_actions_with_all_its_words(
    gate: bardo.Gate, order: str, said: str, allowed: list[str], forbidden: list[str]
) -> None:
    cases, is_over = heard(gate, order, said)
    assert cases
    assert not is_over
    (row,) = gate.state("rejected")
    assert [is_allowed(row.forbidden, action.parse(each)) for each in allowed] == [True] * len(allowed)
    assert [is_allowed(row.forbidden, action.parse(each)) for each in forbidden] == [False] * len(forbidden)


def test_an_action_that_also_does_the_forbidden_stays_forbidden() -> None:
    forbids = replace(propose(LATEX), allowed=("paper towels",))
    assert not is_allowed(forbids, action.parse("Order latex gloves and paper towels"))
    shell = replace(propose("Never force-push"), allowed=("agent/*",))
    assert is_allowed(shell, action.parse("git push --force origin agent/x"))
    assert not is_allowed(
        shell, action.parse("git push --force origin agent/x && git push --force origin main")
    )


@pytest.mark.parametrize("text", ["You can't use it.", "He is on call.", "The desk has been moved up to 3."])
def test_statements_and_prohibitions_permit_nothing(text: str) -> None:
    assert not permits(text)


def test_the_deletion_of_a_plain_lift_leaves_the_order_lifted(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="ann", clock=clock) as memory:
        memory.remember(
            "We take no walk-ins any more, the waiting room is too full.", role="user", kind="turn"
        )
        clock.advance(86_400)
        memory.sleep()
        lift = memory.remember("Walk-ins are allowed again.", role="user", kind="turn")
        clock.advance(86_400)
        memory.sleep()
        memory.forget([lift.id], reason="asked")
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before("Take walk-ins").decision == "allow"
        assert not any(
            "allowed again: Walk-ins" in row.closed_why for row in gate.state("rejected", every=True)
        )


def test_a_case_leaves_the_rest_of_a_refused_name_blocked(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="ann", clock=clock) as memory:
        for text in (
            "Don't order anything from Medisupply any more.",
            "For the blue nitrile gloves you can use Medisupply again, Brandt can't get them. Nothing else though.",
        ):
            memory.remember(text, role="user", kind="turn")
            clock.advance(86_400)
            memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert gate.before("Order two boxes of blue nitrile gloves from Medisupply").decision != "block"
        assert gate.before("Order syringes from Medisupply").decision == "block"
        assert not gate.rules()
