"""A ban beside a reason, a decision or an offer is heard by itself, with the thing that its pronoun stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.antecedents import resolve
from bardo.conduct.hearing.splitting import utterances


@pytest.mark.parametrize(
    ("text", "ban"),
    [
        ("Amounts are Decimal, we decided that because floats lost cents in the March report. No floats for money.",
         "No floats for money."),
        ("We went with oak, it lasts. No pine in the kitchen.", "No pine in the kitchen."),
        ("The auditors liked it. No cash without a receipt.", "No cash without a receipt."),
    ],
)  # fmt: skip
def test_a_thing_that_is_denied_beside_a_reason_is_heard_by_itself(text: str, ban: str) -> None:
    assert ban in [one.text for one in utterances(text)]


@pytest.mark.parametrize(
    "text",
    [
        "We lost two hours. No problem for me.",
        "I looked again. No errors in the log.",
        "He is away. No news yet.",
    ],
)
def test_a_report_of_a_lack_is_left_in_its_message(text: str) -> None:
    assert [one.text for one in utterances(text)] == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("We run Praxis 7.2 for the billing. Don't upgrade it without telling me.",
         "Don't upgrade Praxis without telling me."),
        ("We use Postgres 15 in production. Never restart it before ten.", "Never restart Postgres before ten."),
        ("We keep the spare fridge in the cellar. Please don't unplug it.", "Don't unplug the spare fridge"),
    ],
)  # fmt: skip
def test_a_pronoun_takes_what_a_group_has_in_use(text: str, said: str) -> None:
    assert said.rstrip(".").lower().removeprefix("please ") in resolve(text).lower()


def test_a_pronoun_after_two_things_stays() -> None:
    text = "marlin runs Postgres. Don't restart it."
    assert resolve(text) == text


def decisions(folder: Path, said: str, actions: list[str], offer: str = "") -> list[str]:
    with bardo.open(folder) as memory:
        if offer:
            memory.remember(offer, role="assistant", kind="turn", thread="chat")
        memory.remember(said, role="user", kind="turn", thread="chat", speaker="Marek")
        memory.sleep()
    with bardo.gate(folder, words_only=True) as gate:
        return [gate.before(action).decision for action in actions]


def test_an_upgrade_without_telling_is_blocked(tmp_path: Path) -> None:
    said = "We run Praxis 7.2 for the billing. Don't upgrade it without telling me."
    assert decisions(tmp_path, said, ["Upgrade Praxis to 7.5", "Order paper"]) == ["block", "allow"]


@pytest.mark.parametrize(
    ("offer", "answer", "action"),
    [
        ("For the waiting room I could order the recliner chairs from Ferrol, four of them at 60 euros each.",
         "Rather not, my aunt's squeak.", "Order six recliner chairs from Ferrol"),
        ("In the new kitchen we could install gas hobs, two of them.", "Better not, I've seen one explode.",
         "Install gas hobs in the kitchen"),
    ],
)  # fmt: skip
def test_a_refusal_names_what_was_offered_after_its_place(
    tmp_path: Path, offer: str, answer: str, action: str
) -> None:
    assert decisions(tmp_path, answer, [action, "Call the plumber"], offer) == ["block", "allow"]
