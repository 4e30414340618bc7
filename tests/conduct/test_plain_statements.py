"""Statements that neither order, refuse, decide nor ask, and orders in nearly the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.hearing import is_other
from bardo.conduct.hearing.utterance import Utterance

NO_REJECTION = [
    "Migration scripts are in scripts/migrate/.",
    "Feature flags stay in config files.",
    "The fixtures live under tests/data.",
    "The refund limit is 800 EUR as of today, Legal signed it off.",
    "A travel consultation costs 65 euros.",
    "The gateway listens on 7310.",
    "wip: webhook retries 8 -> 20",
    "PR 311 'refund limit 800 -> 2000 (pending approval)' is not approved, leave it open.",
    "Invoice 204 has not been paid yet.",
    "netlify raised the price again, grr",
    "The courier came late again, sigh.",
    "That would need Ira's decision.",
    "Thanks, I have the extensions.",
    "Thank you, got them.",
    "Agreed, forget it.",
    "Fair enough, let's drop it.",
]
STILL_REJECTION = [
    "The gold-rimmed china stays in the cabinet.",
    "The budget is 500 euros at most.",
    "The board rejected the plan again.",
    "Thanks, but no thanks.",
    "That would be the end of our readership.",
    "Flags stay in config files, never in code.",
    "Forget it.",
]
NO_DECISION = [
    "We may move the ledger to port 7400 next year",
    "I might take the train.",
    "That would need Ira's decision.",
    "Thanks, I have the extensions.",
    "Perhaps we move in May.",
]
STILL_DECISION = [
    "We move the ledger to port 7400 next year.",
    "We'd rather take the train.",
    "May is the month we move.",
]
NO_TASK = [
    "Brandt & Co deliver on Mondays",
    "The cleaners are Sparkle, they come on Thursday evenings.",
    "Our suppliers send the list every Friday.",
]
STILL_TASK = [
    "Water the plants on Mondays.",
    "The bins need to go out on Mondays",
    "Send Brandt & Co the list every Friday",
]


@pytest.mark.parametrize("text", NO_REJECTION)
def test_a_plain_statement_is_no_rejection(text: str) -> None:
    assert is_other("rejection", Utterance(text))


@pytest.mark.parametrize("text", STILL_REJECTION)
def test_a_statement_that_rules_may_be_a_rejection(text: str) -> None:
    assert not is_other("rejection", Utterance(text))


@pytest.mark.parametrize("text", NO_DECISION)
def test_a_possibility_or_thanks_is_no_decision(text: str) -> None:
    assert is_other("decision", Utterance(text))


@pytest.mark.parametrize("text", STILL_DECISION)
def test_a_statement_of_what_is_done_may_be_a_decision(text: str) -> None:
    assert not is_other("decision", Utterance(text))


@pytest.mark.parametrize("text", NO_TASK)
def test_a_habit_of_others_is_no_task(text: str) -> None:
    assert is_other("task", Utterance(text))


@pytest.mark.parametrize("text", STILL_TASK)
def test_a_request_with_times_may_be_a_task(text: str) -> None:
    assert not is_other("task", Utterance(text))


@pytest.mark.parametrize(
    "text", ["Thank you, I'll open them.", "Sure, I'll do that.", "I'll look into it now."]
)
def test_a_promise_that_names_nothing_is_no_task(text: str) -> None:
    assert is_other("task", Utterance(text, by_agent=True))


@pytest.mark.parametrize("text", ["I'll run the tests.", "I'll send it to Ada.", "I'll open the parcels."])
def test_a_promise_that_names_a_thing_may_be_a_task(text: str) -> None:
    assert not is_other("task", Utterance(text, by_agent=True))


def test_plain_statements_leave_no_entries_in_the_gate(tmp_path: Path) -> None:
    with bardo.open(tmp_path) as memory:
        for text in (*NO_REJECTION, *NO_DECISION, *NO_TASK):
            memory.remember(text, role="user", kind="turn", speaker="Ira")
        memory.remember("Thank you, I'll open them.", role="assistant", kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path, words_only=True) as gate:
        kinds = ("rejected", "decision", "task")
        assert [entry.summary for kind in kinds for entry in gate.state(kind)] == []
