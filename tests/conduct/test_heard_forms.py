"""Forms of prohibitions that are heard, and states and corrections that are no task and no rejection."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.hearing import read, sure
from bardo.conduct.hearing.splitting import utterances
from bardo.conduct.hearing.talk.reports import is_correction, is_habit, is_promise, is_state
from bardo.conduct.hearing.utterance import Utterance
from bardo.conduct.state.prohibition import forbidden_act, is_prohibition

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
    "Whatever you do, keep your hands off src/payments.",
    "FYI - you must not run the migration yourself, Lena does that.",
    "No more print statements in the backend, ok?",
    "Could you please not reorder the imports?",
    "dont ever do a force push on my branch",
    "You're not permitted to open the payroll exports.",
    "I want you to stop renaming my variables.",
    "I'd like you not to mail the suppliers.",
    "Leave the legacy importer as it is.",
    "stop restarting the container",
    "we decided against GraphQL",
    "please quit renaming my variables, I can't find them",
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
    "Could you not see it?",
    "Could you please not worry about it?",
    "Leave me alone.",
    "No more than five, please.",
    "No more questions, ok?",
    "Don't do that again please.",
    "Stop worrying about the deadline.",
    "stop asking, just do it",
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


@pytest.mark.parametrize(
    "text",
    [
        "The satellite contract for buoy 12 belongs to Sensortek, Marek signs the invoices.",
        "Ines handles the tickets and Tobias pays the bills.",
        "Our landlord collects the rent in cash.",
        "Ingrid cleans the north greenhouse on Mondays.",
        "Tomasz waters the seedlings twice a day",
    ],
)
def test_a_statement_of_what_is_habitually_so_is_no_task(text: str) -> None:
    assert is_habit(text)


@pytest.mark.parametrize(
    "text",
    [
        "The README needs a section on Windows.",
        "The invoices still need a signature, Marek has to sign them.",
        "Send reports to Ines",
        "Water plants on the balcony",
        "Process orders every Monday",
        "Clean the north greenhouse on Mondays",
    ],
)
def test_what_is_still_to_be_done_is_no_habit(text: str) -> None:
    assert not is_habit(text)


@pytest.mark.parametrize(
    "text",
    [
        "Understood. I will keep out of that window.",
        "Got it, I'll stay away from that folder.",
        "Noted, I won't touch it.",
        "Okay, we will stick to that.",
        "Agreed.",
    ],
)
def test_an_agent_that_only_agrees_decides_nothing(text: str) -> None:
    assert is_promise(text)
    assert read([Utterance(text, "Don't restart it before 08:00.", by_agent=True)], None, None) == [None]


@pytest.mark.parametrize(
    "text",
    [
        "Understood. I will use Memcached for that.",
        "I will keep out of that window.",
        "Noted, I'll keep it in Redis instead.",
        "Okay, I will move that to the morning.",
    ],
)
def test_an_agent_that_chooses_does_not_only_agree(text: str) -> None:
    assert not is_promise(text)


@pytest.mark.parametrize("name", ["ledger", "payroll", "stock", "push", "checkout", "courier-map"])
def test_a_reminder_is_a_task_whatever_it_names(name: str) -> None:
    said = [
        Utterance(f"Reminder: the freeze for {name} starts on Friday."),
        Utterance(f"A gentle reminder that the audit of {name} is on Monday."),
        Utterance(f"TODO: tests for {name}"),
    ]
    assert [one and one.kind for one in sure(read(said, None, None))] == ["task"] * 3


def test_a_prohibition_after_a_reminder_is_no_task() -> None:
    (said,) = utterances("Reminder: don't deploy the ledger on Fridays.")
    (heard,) = read([said], None, None)
    assert heard is not None
    assert heard.kind in ("rejection", "rule")
    assert heard.summary == "don't deploy the ledger on Fridays."


def test_an_order_to_skip_something_rejects_the_thing_and_not_the_skipping(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        memory.remember("skip the mypy stage for now", role="user", kind="turn", thread="chat")
        memory.sleep()
    with bardo.gate(tmp_path, words_only=True) as gate:
        assert [(one.summary, one.detail) for one in gate.state("rejected")] == [
            ("No mypy stage for now", "skip the mypy stage for now")
        ]
        assert gate.before("skip the mypy stage").decision == "allow"
        assert gate.before("run the mypy stage").decision == "block"


@pytest.mark.parametrize(
    "text", ["no more prints, we have a logger", "No new dependencies for dates, zoneinfo does it"]
)
def test_a_reason_is_no_part_of_what_is_heard(text: str) -> None:
    (said,) = utterances(text)
    assert said.text == text.partition(",")[0]
    assert said.summary == text


def test_the_end_of_a_figure_forbids_no_new_one() -> None:
    assert forbidden_act("no longer 5, the webhook must retry at most 8 times") is None
    assert forbidden_act("No longer push to main") is not None
    assert forbidden_act("no wait, we use Typst now") is None
