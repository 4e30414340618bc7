"""A thing that people considered and turned down is rejected; a prohibition is heard after the clause of its reason."""

from __future__ import annotations

import pytest

from bardo.conduct.hearing import hearing
from bardo.conduct.hearing.orders.antecedents import resolve
from bardo.conduct.hearing.orders.considered import turned_down
from bardo.conduct.hearing.splitting import utterances


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("We looked at the overlay idea on Friday and rejected it: too expensive.", "the overlay idea"),
        ("We considered Kafka for the queue and decided against it.", "Kafka for the queue"),
        ("I looked at the flat in Kreuzberg and rejected it, too loud.", "the flat in Kreuzberg"),
        ("We evaluated Terraform Cloud last month and turned it down because of cost.", "Terraform Cloud"),
        ("We discussed the offsite and in the end said no.", "the offsite"),
        ("We evaluated the three banks and chose Nord.", ""),
        ("They looked at our offer and rejected it.", ""),
        ("We tried the ladder and dropped it.", ""),
        ("We looked at the logs and found nothing.", ""),
        ("We considered the offer, but the board rejected it last year and took it later.", ""),
    ],
)
def test_only_what_the_speakers_turned_down_is_rejected(text: str, thing: str) -> None:
    assert turned_down(text) == thing


def test_a_thing_turned_down_is_heard_with_its_reason() -> None:
    text = "We looked at the overlay idea on Friday and rejected it: too expensive."
    (heard,) = hearing.read(utterances(text), None, None)
    assert heard is not None
    assert (heard.kind, heard.summary, heard.detail) == ("rejection", "the overlay idea", text)


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        (
            "Halvorsen is a competitor; never show them our order flow.",
            "Halvorsen is a competitor. Never show Halvorsen our order flow.",
        ),
        (
            "Marta is allergic to nuts, so never order satay for her.",
            "Marta is allergic to nuts. Never order satay for Marta.",
        ),
        ("He's a vegetarian, never book a steakhouse.", "He's a vegetarian. Never book a steakhouse."),
        (
            "The printers are leased. Never move them.",
            "The printers are leased. Never move the printers.",
        ),
    ],
)
def test_a_prohibition_after_its_reason_is_a_sentence(text: str, resolved: str) -> None:
    assert resolve(text) == resolved


@pytest.mark.parametrize(
    "text",
    [
        "When it's late, don't call the desk.",
        "On Fridays, don't deploy the API.",
        "If the tests are red, never merge.",
        "The kids are asleep by eight; don't ring the bell after that.",
        "The door is new, never paint her.",
        "He said the flat is too dark, don't book a viewing.",
    ],
)
def test_a_prohibition_keeps_its_condition(text: str) -> None:
    assert resolve(text) == text
