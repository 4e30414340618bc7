"""A person gives the limit of an order another figure: "the limit is 400 now, not 250"."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.changes.limit_changes import changes_limit

ORDER = "Anything over 250 euros needs my OK before you order it."


def decisions(folder: Path, *said: tuple[str, str]) -> list[str]:
    """Decisions on orders of 320 and 450 euros."""
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(folder / "agent", clock=clock) as memory:
        for speaker, text in said:
            memory.remember(text, role="user", kind="turn", thread="chat", speaker=speaker)
            clock.advance(86_400)
            memory.sleep()
    with bardo.gate(folder / "agent", clock=clock, words_only=True) as gate:
        acts = ("Order a chair for 320 euros", "Order a treatment couch for 450 euros")
        return [gate.before(act).decision for act in acts]


@pytest.mark.parametrize(
    "change",
    [
        "The limit is 400 now, not 250. Everything above comes to me.",
        "The limit is now 400.",
        "My limit goes up to 400 euros.",
        "The limit has been raised to €400.",
        "Raise your limit to 400 euros, 250 was too tight.",
        "The approval threshold is 400 euros now, not 250.",
        "Good morning. The limit is back at 400 euros.",
    ],
)
def test_the_author_changes_the_limit_of_an_order(tmp_path: Path, change: str) -> None:
    assert decisions(tmp_path, ("Marek", ORDER), ("Marek", change)) == ["allow", "block"]


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("Tilda", "The limit is 400 now, not 250."),
        ("Marek", "The limit is 400 now, not 300."),
        ("Marek", "The limit for parcels is 400 now."),
        ("Marek", "Maybe the limit should be 400 now?"),
    ],
)
def test_other_words_of_limits_leave_the_order(tmp_path: Path, speaker: str, text: str) -> None:
    assert decisions(tmp_path, ("Marek", ORDER), (speaker, text)) == ["block", "block"]


def test_a_change_replaces_the_order_with_its_figure(tmp_path: Path) -> None:
    decisions(tmp_path, ("Marek", ORDER), ("Marek", "The limit is 400 now, not 250."))
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        old, new = sorted(gate.rules(every=True), key=lambda rule: rule.at)
        assert (new.text, new.approval) == (ORDER.replace("250", "400"), "order anything over 400 euros")
        assert old.superseded_by == new.id


def test_two_orders_with_limits_stay_if_the_words_tell_no_old_figure(tmp_path: Path) -> None:
    said = [
        ("Marek", ORDER),
        ("Marek", "Refunds above 40 euros are mine to decide."),
        ("Marek", "The limit is now 400."),
    ]
    assert decisions(tmp_path, *said) == ["block", "block"]


def test_a_limit_that_always_was_so_is_no_change() -> None:
    assert not changes_limit("The limit is 400 euros.")
    assert not changes_limit("The speed limit there was 50, I think.")
