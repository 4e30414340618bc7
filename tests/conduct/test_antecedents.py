"""A pronoun in a prohibition stands for the thing of the clause before it, if that is clear."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.hearing import read, sure
from bardo.conduct.hearing.orders.answers import proposal
from bardo.conduct.hearing.orders.antecedents import resolve, with_object
from bardo.conduct.hearing.utterance import Utterance


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        (
            "The replication slot is called gull_slot_3, don't drop it, billing-relay hangs off it.",
            "Don't drop the replication slot gull_slot_3, billing-relay hangs off it.",
        ),
        (
            "The backups are in /srv/backups, please don't delete them.",
            "Please don't delete the backups (/srv/backups).",
        ),
        (
            "The holiday list sits at /srv/holidays.csv; do not edit it by hand.",
            "Do not edit the holiday list (/srv/holidays.csv) by hand.",
        ),
        (
            "There's a cron job called nightly_sync. It feeds billing. Never disable it before Friday.",
            "Never disable the cron job nightly_sync before Friday.",
        ),
        (
            "The orders table is huge. Never run an ALTER TABLE on it.",
            "Never run an ALTER TABLE on the orders table.",
        ),
        ("gull_slot_3: don't drop it.", "Don't drop gull_slot_3."),
        (
            "The staging cluster was rebuilt, so don't touch that until Monday.",
            "Don't touch the staging cluster until Monday.",
        ),
    ],
)
def test_a_prohibition_names_the_thing_of_the_clause_before(text: str, forbidden: str) -> None:
    assert resolve(text).endswith(f". {forbidden}")


@pytest.mark.parametrize(
    "text",
    [
        "marlin runs Postgres 15.6, don't upgrade it.",
        "The keys are old, don't rotate it.",
        "Marek says marlin is down, don't restart it.",
        "The film is great, don't miss it!",
        "The wedding is on Saturday, don't forget it.",
        "The plan is fine, I said it was.",
    ],
)
def test_an_unclear_pronoun_stays(text: str) -> None:
    assert resolve(text) == text


def test_a_prohibition_of_an_unclear_thing_is_no_rejection() -> None:
    said = [
        Utterance("Don't drop it, billing-relay hangs off it."),
        Utterance("Don't drop it, billing-relay hangs off it.", "I could drop the slot gull_slot_3."),
        Utterance("Don't drop it, billing-relay hangs off it.", "I could extend the disk of marlin."),
    ]
    heard = sure(read(said, None, None))
    assert [one and (one.kind, one.summary) for one in heard] == [
        None,
        ("rejection", "drop the slot gull_slot_3"),
        None,
    ]


def test_a_gate_blocks_what_a_pronoun_forbids(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "g") as memory:
        memory.remember(
            "marlin runs Postgres 15.6. The replication slot is called gull_slot_3, don't drop it, "
            "billing-relay hangs off it.",
            role="user", speaker="Tobias", kind="turn",
        )  # fmt: skip
        memory.sleep()
        with bardo.gate(tmp_path / "g") as gate:
            assert gate.before("drop the replication slot gull_slot_3").decision == "block"
            assert gate.before("restart billing-relay").decision != "block"


@pytest.mark.parametrize(
    ("offer", "earlier", "resolved"),
    [
        ("Should I book them for Friday all the same?", "we've had it with Kopp Couriers",
         "book Kopp Couriers for Friday all the same"),
        ("The migration is ready. Shall I run it for tenant 4?", "Hello Ben.", "run the migration for tenant 4"),
        ("Shall I email it to Lena?", "The Q3 export is done.", "email the Q3 export to Lena"),
        # It cannot be told.
        ("Should I book them for Friday?", "The weather is awful.", ""),
        ("Should I book them for Friday?", "I spoke to Ana, and Ben did, too.", ""),
        ("Should I book them for Friday?", "", ""),
        # No thing of its own is meant.
        ("Should I put it all in crypto?", "Ana got a bonus.", "put it all in crypto"),
    ],
)  # fmt: skip
def test_the_object_of_an_offer_is_the_thing_of_the_sentence_before(
    offer: str, earlier: str, resolved: str
) -> None:
    assert proposal(with_object(offer, earlier)) == resolved


@pytest.mark.parametrize("text", ["Don't bring it up again.", "Never set it higher."])
def test_a_prohibition_of_a_pronoun_with_a_particle_names_nothing(text: str) -> None:
    assert sure(read([Utterance(text)], None, None)) == [None]


def test_a_tip_of_another_person_is_no_reason() -> None:
    text = "Ann's tip of the day: never trust a joiner who says five minutes."
    assert resolve(text) == text
