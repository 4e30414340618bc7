"""Forms of prohibitions that are heard, and states and corrections that are no task and no rejection."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.reports import is_correction, is_state
from bardo.conduct.state.prohibition import is_prohibition

FORBIDDEN = [
    "Hands off the billing cron, please.",
    "Please keep your hands off services/billing.",
    "OK, hands off the staging database",
    "You don't email customers directly.",
    "You do not log into wax1 as root.",
    "I'd rather we never store the GPS coordinates of apiaries unencrypted.",
    "I'd rather you didn't tell my mother about the test results.",
    "You must not share customer data with anyone.",
    "Under no circumstances do you restart combd.",
    "You may not open the hive at night.",
    "You never push to production on your own.",
]
NOT_FORBIDDEN = [
    "You don't have to decide anything now.",
    "You never know with these auditors.",
    "You don't sound well today.",
    "I'd rather walk than rent a car.",
    "You must not have seen the mail.",
    "You don't explain it well enough.",
    "You can't imagine the queue at the bakery.",
    "I'd rather we left the position untouched.",
]


@pytest.mark.parametrize("text", FORBIDDEN)
def test_an_order_to_leave_something_is_a_prohibition(text: str) -> None:
    assert is_prohibition(text)


@pytest.mark.parametrize("text", NOT_FORBIDDEN)
def test_a_report_about_the_agent_is_no_prohibition(text: str) -> None:
    assert not is_prohibition(text)


@pytest.mark.parametrize(
    "text",
    [
        "The contact of the vet office is no longer Frau Moser, it is Herr Kofler.",
        "The accountant is no longer Herr Pichler, it is Frau Lang.",
        "It's no longer wax2 that runs the cron, it's wax3.",
        "The lead isn't Ana anymore, Ben took over.",
        "The port is not 7113, it's 7290.",
        "The owner of the repo is not Ida, that is Jonas.",
    ],
)
def test_a_correction_is_told_from_a_rejection(text: str) -> None:
    assert is_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "We no longer use Redis.",
        "Redis is no longer an option.",
        "Shell access is no longer allowed.",
        "Don't use wax2, it's broken.",
        "We're not going to use Kafka, it's too heavy.",
        "Friday deploys are no longer acceptable.",
        "An alert without a runbook link is not allowed here, that's binding for all teams.",
    ],
)
def test_a_rejection_is_no_correction(text: str) -> None:
    assert not is_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "Retries of the honeypay webhook are limited to 5.",
        "The queue is capped at 200 messages.",
        "The brood threshold stays at 36.5.",
        "combd's timeout is set to 30 seconds.",
        "Log retention is now down to 14 days.",
    ],
)
def test_a_figure_that_holds_is_a_state(text: str) -> None:
    assert is_state(text)


@pytest.mark.parametrize(
    "text",
    [
        "Retries need to be limited to 5.",
        "The report is due at 5.",
        "Limit the retries to 5.",
        "The limit must be set to 5 before the release.",
        "The invoice has to be paid by 15 May",
        "The dentist is on Friday at 5.",
    ],
)
def test_a_figure_that_is_to_be_reached_is_no_state(text: str) -> None:
    assert not is_state(text)


def test_a_pass_hears_the_forms_and_neither_states_nor_corrections(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        for text in (
            "Hands off the billing cron, please.",
            "You don't email customers directly.",
            "I'd rather we never store the GPS coordinates of apiaries unencrypted.",
            "The contact of the vet office is no longer Frau Moser, it is Herr Kofler.",
            "Retries of the honeypay webhook are limited to 5.",
        ):
            memory.remember(text, role="user", kind="turn", speaker="Greta")
        memory.sleep()
    with bardo.gate(tmp_path) as gate:
        said = [entry.summary for entry in gate.state()] + [rule.text for rule in gate.rules()]
        assert not [text for text in said if "Kofler" in text or "honeypay" in text]
        assert len(said) == 3
        assert gate.before("Change the billing cron").decision == "block"
        assert gate.before("Email customers directly").decision == "block"
        assert gate.before("Store the GPS coordinates of apiaries unencrypted").decision == "block"
        assert gate.before("Call the contact of the vet office").decision == "allow"
        assert gate.before("Read the log of the billing cron").decision != "block"
