"""Reports of who has a thing forbid nothing, and promises to leave a thing as it is are no tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.talk.reports import is_forbearance, is_holding

HELD = [
    "Mr Okafor has our spare key.",
    "The Lindqvists across the hall have our spare key.",
    "The spare key is with Mr Okafor.",
    "Dad's got the car keys.",
    "Tom still has my copy of Dune.",
    "Priya holds the admin token list.",
    "Our landlord owns the whole building.",
    "By the way, the vet has Pepper's papers.",
    "The signed contract is with the notary.",
]
RULED = [
    "The trampoline has to go.",
    "That alarm sound has got to go.",
    "Nobody has the key but Ana.",
    "Legal has the final say.",
    "The cleaner must have a key.",
    "Keep the dog out of the nursery.",
    "From now on each pull request has two reviewers.",
    "Every spreadsheet has an owner.",
    "We've had enough of the tapas bar.",
    "Who has the spare key?",
    "Friday deploys are out of the question.",
]


@pytest.mark.parametrize("text", HELD)
def test_a_report_of_who_has_a_thing_is_known(text: str) -> None:
    assert is_holding(text)


@pytest.mark.parametrize("text", RULED)
def test_an_order_or_ruling_is_no_report_of_who_has_a_thing(text: str) -> None:
    assert not is_holding(text)


def test_reports_of_who_has_a_thing_forbid_nothing(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="moss", clock=clock) as memory:
        for text in HELD:
            memory.remember(text, role="user", kind="turn", speaker="Ida")
            clock.advance(60)
        memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert not gate.state("rejected")
        assert not gate.rules()
        for action in ("Give Mr Okafor the spare key", "Ask the Lindqvists for the spare key"):
            assert gate.before(action).decision == "allow"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ouch. I'll leave Thursdays empty.", True),
        ("I'll keep the afternoon free.", True),
        ("Poor thing! I will leave the garden as it is.", True),
        ("I'll leave the parcel at the door.", False),
        ("I'll keep you posted and order the cake.", False),
        ("I'll empty the bins on Thursday.", False),
    ],
)
def test_a_promise_to_leave_a_thing_as_it_is_is_told_from_a_task(text: str, expected: bool) -> None:
    assert is_forbearance(text) is expected


def test_an_agents_sympathy_leaves_no_task(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.open(tmp_path, agent="moss", clock=clock) as memory:
        memory.remember("Mila sprained her wrist at climbing, six weeks off.", role="user", kind="turn")
        memory.remember("Ouch. I'll leave Thursdays empty.", role="agent", kind="turn")
        memory.sleep()
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert not gate.state("task")
