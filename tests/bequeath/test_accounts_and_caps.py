"""Caps and the numbers of accounts, contracts and tickets reach an heir; secrets and own positions do not."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.bequeath.privacy.redact import Redactor


@pytest.mark.parametrize(
    "text",
    [
        "Leverage on ETH is capped at 3x.",
        "Exposure to oil is capped at 12 lots for now.",
        "Borrowing against SAP is limited to 40k.",
        "The dose for Lotte is capped at 40 mg.",
        "Up to 25 lots you may trade without asking me.",
        "Our account at Petrel has changed, it is PT-30918 now.",
        "Our clearing account at Delmar is DM 4410 2298.",
        "Our account at Lumen is 9911-207 now.",
        "The meter account moved, it is 88-120-7 now.",
        "Our contract at the gas company has changed, it is V-88120 now.",
        "Our customer number at the printer is now PR-7781.",
        "The ticket for the outage has changed, it is INC-20918 now.",
        "The booking for the hall changed, it is BK-20413 now.",
        "Her new number is 0176 5550188 now.",
    ],
)
def test_a_cap_and_the_number_of_a_thing_cross_whole(text: str) -> None:
    assert Redactor(personal=True).text(text) == text


@pytest.mark.parametrize(
    ("text", "private"),
    [
        ("Our password at Petrel has changed, it is PT-30918 now.", "30918"),
        ("The password for our account at Petrel is PT-30918.", "30918"),
        ("The code for the account at Petrel is 30918.", "30918"),
        ("The key of the account is PT-30918 now.", "30918"),
        ("Our account login has changed, it is marbleFox7 now.", "marbleFox7"),
        ("The door of the accounts office has changed, it is 4471 now.", "4471"),
        ("The locker at the gym has changed, it is 2140 now.", "2140"),
        ("We are long 40 lots of Enel.", "40"),
        ("Our leverage on ETH is 3x.", "3x"),
        ("We run ETH at 3x leverage.", "3x"),
        ("Our account at Petrel stands at 18,420.", "18,420"),
        ("Our position under the limit on SAP is 60 lots.", "60"),
    ],
)
def test_a_secret_and_an_own_position_stay_behind(text: str, private: str) -> None:
    assert private not in Redactor(personal=True).text(text)


def test_an_account_is_contact_data() -> None:
    text = "Our account at Petrel has changed, it is PT-30918 now."
    assert "30918" not in Redactor(personal=False).text(text)


def test_an_heir_hears_the_cap_and_the_current_account(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_770_000_000_000_000)
    with bardo.open(tmp_path / "ann", clock=clock) as g:
        for text in (
            "Leverage on ETH is capped at 3x.",
            "Our account at Petrel is PT-20771.",
            "Our account at Petrel has changed, it is PT-30918 now.",
        ):
            g.remember({"role": "user", "name": "Priya", "content": text}, thread="desk")
            clock.advance(86_400)
        g.bequeath(tmp_path / "ann.testament")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", clock=clock) as heir:
        told = [memory.text for memory in heir.recall("How much leverage may we use on ETH?")]
        assert any("3x" in text for text in told)
        told += [memory.text for memory in heir.recall("What is our account at Petrel?")]
        assert any("PT-30918" in text for text in told)
        assert not any("redacted" in text for text in told)
