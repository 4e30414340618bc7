"""Decisions of people that a later decision about the same choice corrects."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

START, DAY = 1_760_000_000_000_000, 86_400


def decided(folder: Path, *messages: str) -> list[tuple[str, str]]:
    """Status of each decision, with the id of the one that replaced it, in the order of the messages."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder / "a", clock=clock, seed=1) as memory:
        for message in messages:
            memory.remember(message, role="user", speaker="Bronagh", thread="chat")
            clock.advance(DAY)
            memory.sleep()
    with bardo.gate(folder / "a") as gate:
        found = gate.state(kind="decision", every=True)
        return [(entry.status, entry.superseded_by) for entry in sorted(found, key=lambda entry: entry.id)]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "We decided on Hetzner for hosting hallbook.",
            "We ended up with Scaleway rather than Hetzner in the end.",
        ),
        (
            "Decision: we go with Stripe for payments.",
            "Decision: we switch from Stripe to Mollie for payments.",
        ),
    ],
)
def test_later_decision_supersedes_the_one_that_it_corrects(tmp_path: Path, older: str, newer: str) -> None:
    assert decided(tmp_path, older, newer) == [("archived", "s2"), ("active", "")]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We decided on Hetzner for hosting hallbook.", "We decided on Postgres for the store of hallbook."),
        ("We decided to hold the meetup in Cork.", "We decided to hold the retreat in Galway."),
        ("Decision: we go with Stripe for payments.", "Decision: we go with Mailgun for mail."),
        ("We decided to paint the hall green.", "We decided to paint the kitchen blue."),
        (
            "We decided to use Postgres for the store.",
            "We decided to add Redis beside Postgres for the cache.",
        ),
    ],
)
def test_decision_about_another_choice_stays(tmp_path: Path, older: str, newer: str) -> None:
    assert decided(tmp_path, older, newer) == [("active", ""), ("active", "")]
