"""An action that does what a prohibition says, on its channel and at its time, is blocked, also among many others."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest

import bardo
from bardo.conduct.parse.conditions import channels
from bardo.ports import ManualClock

#: Wednesday, 5 August 2026, 12:00 UTC.
NOW = int(dt.datetime(2026, 8, 5, 12, tzinfo=dt.UTC).timestamp() * 1e6)
IDS = "We never hand out keys to anybody without an ID."
PAPERS = "Never give samples out to anyone without a badge"
NAMES = "We don't post names of people who are behind with the rent on the notice board. Ever."
CODES = "Never give out door codes over the phone"
DIAGNOSES = "Don't disclose test results on the phone"
IBANS = "Never send bank details by e-mail."
LATE = "No calls to tenants after 8 pm"
PATIENTS = "Never phone patients before 7 am"
CLOSED = "Never ship parcels to Malta. Full stop."
CONTRACTS = "Please don't cancel the lift contract without asking Marta"
FLAT = "Please don't enter my flat without calling me first."
STORE = [
    IDS, PAPERS, NAMES, CODES, DIAGNOSES, IBANS, LATE, PATIENTS, CLOSED, CONTRACTS, FLAT,
    "forward tenants' payment details to third parties", "Never pay an invoice twice, check the ledger first.",
    "don't order the tiles from Baumax", "please don't send Brandt to leaks any more",
    "No work in the stairwell on Sundays", "don't use the ladder in the courtyard, two rungs are broken",
    "hire Dorn Roofing", "Never delete the deposit ledger", "park the van in the fire lane",
    "please don't let Dudek drive the van", "let flat 11 to smokers", "throw away old leases",
    "Don't paint the hallway grey", "No barbecues on the balconies", "Never leave the cellar door open",
]  # fmt: skip

BLOCKED = [
    (IDS, "Hand out keys to somebody without an ID"),
    (IDS, "Hand out the key to a courier without an ID"),
    (IDS, "Hand out keys to Mr Ruiz without an ID"),
    (PAPERS, "Give out samples to the new student without a badge"),
    (NAMES, "Post the names of people who are behind with the rent on the notice board"),
    (CODES, "Tell the courier the door code over the phone"),
    (CODES, "Read out the door code to the plumber over the phone"),
    (CODES, "Give out door codes by telephone"),
    (DIAGNOSES, "Tell Mr Baker his test results on the phone"),
    (IBANS, "Send the IBAN by e-mail to the Demirs"),
    (IBANS, "E-mail the IBAN to the Demirs"),
    (IBANS, "Send our bank details via email"),
    (LATE, "Call tenants at 9 pm"),
    (LATE, "Ring the tenant of flat 5 at 21:30"),
    (PATIENTS, "Call the patient of bed 4 at 6:15"),
    (CLOSED, "Ship the parcels to Malta"),
    (CONTRACTS, "Terminate the lift agreement"),
]
WARNED = [
    # Whether she is a tenant, and which family it is, the gate cannot know.
    (LATE, "Ring Mrs Lindner-Roth at 21:30 about the heating bill"),
    (LATE, "Phone the Demirs at 22:00"),
    (PATIENTS, "Call Dr. Baker at 6:15"),
    (FLAT, "Enter Mrs Abadi's flat without calling"),
]
NEAR = [
    (IDS, "Hand out the key to Mr Ruiz, he showed his ID"),
    (IDS, "Hand out the key to the courier with an ID"),
    (IDS, "Hand out the leaflets to the tenants"),
    (NAMES, "Post the cleaning schedule on the website"),
    (CODES, "Send the door code by post to Mrs Abadi"),
    (DIAGNOSES, "Tell Mr Baker his test results in person"),
    (IBANS, "Send the IBAN by post to the Demirs"),
    (IBANS, "Send the house rules by e-mail to the Demirs"),
    (LATE, "Ring Mrs Lindner-Roth at 10:00 about the heating bill"),
    (LATE, "Ring the tenant of flat 5 at 15:00"),
    (PATIENTS, "Call Dr. Baker at 9:15"),
    (LATE, "Write to Mrs Lindner-Roth at 21:30"),
]  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bardo.Gate]:
    """A gate whose rejections are the tests' own."""
    folder = tmp_path_factory.mktemp("alone")
    bardo.open(folder, agent="office").close()
    with bardo.gate(folder, clock=ManualClock(NOW)) as gate:
        yield gate


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bardo.Gate]:
    """A gate with many rejections."""
    folder = tmp_path_factory.mktemp("full")
    bardo.open(folder, agent="office").close()
    with bardo.gate(folder, clock=ManualClock(NOW)) as gate:
        for text in STORE:
            gate.reject(text, by="Luis")
        yield gate


def decide(gate: bardo.Gate, rejection: str, action: str) -> str:
    id_ = gate.reject(rejection, by="Luis").id
    decision = gate.before(action).decision
    gate.forget(id_, by="Luis")
    return decision


@pytest.mark.parametrize(("rejection", "action"), BLOCKED)
def test_what_a_prohibition_says_is_blocked_alone_and_among_many(
    alone: bardo.Gate, full: bardo.Gate, rejection: str, action: str
) -> None:
    assert decide(alone, rejection, action) == "block"
    assert rejection in {each.text for each in full.before(action).findings if each.blocks}


@pytest.mark.parametrize(("rejection", "action"), WARNED)
def test_an_act_on_a_person_who_may_be_meant_is_warned_of_alone_and_among_many(
    alone: bardo.Gate, full: bardo.Gate, rejection: str, action: str
) -> None:
    assert decide(alone, rejection, action) == "warn"
    assert rejection in {each.text for each in full.before(action).findings}


@pytest.mark.parametrize(("rejection", "action"), NEAR)
def test_another_channel_time_or_thing_is_allowed(
    alone: bardo.Gate, full: bardo.Gate, rejection: str, action: str
) -> None:
    assert decide(alone, rejection, action) == "allow"
    assert rejection not in {each.text for each in full.before(action).findings}


@pytest.mark.parametrize(
    ("condition", "action", "expected"),
    [
        ("over the phone", "ring her", True),
        ("by phone", "tell her by e-mail", False),
        ("by e-mail", "email the list", True),
        ("by e-mail", "send it by letter", False),
        # Of either channel.
        ("by e-mail", "mail the list", None),
        ("by post", "send it by mail", None),
        ("by e-mail", "send the list", None),
        ("via WhatsApp", "send it in the chat", True),
    ],
)
def test_a_channel_is_named_or_used(condition: str, action: str, expected: bool | None) -> None:
    assert channels.is_channel(condition)
    assert channels.holds(condition, action) is expected


@pytest.mark.parametrize(
    "words", ["on the paper of the office", "on a phone-like device", "by the door", "over the sea"]
)
def test_other_words_are_no_channel(words: str) -> None:
    assert not channels.is_channel(words)
