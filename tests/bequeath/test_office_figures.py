"""Figures of an ordinary office cross whole: rents, prices, rates, rooms, telephones. Positions and secrets do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.model import Episode


def labelled() -> list[tuple[str, list[str]]]:
    """Lines, each with what must go; none if the line crosses whole."""
    lines = Path(__file__).with_name("office.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.partition("\t") for line in lines if not line.startswith("#"))
    return [(text, gone.split(";;") if gone else []) for text, _, gone in rows]


@pytest.mark.parametrize("text", [text for text, gone in labelled() if not gone])
def test_the_business_of_an_office_crosses_whole(text):
    assert Redactor(personal=True).text(text) == text


@pytest.mark.parametrize(("text", "gone"), [(text, gone) for text, gone in labelled() if gone])
def test_balances_positions_and_secrets_are_hidden(text, gone):
    told = Redactor(personal=True).text(text)
    assert [one for one in gone if one in told] == []


@pytest.mark.parametrize(
    ("business", "own"),
    [
        ("The rent of flat 3 is 890 euro.", "My rent is 890 euro."),
        ("The garage asks 520 for four tyres.", "The garage door opens with 5203."),
        ("The water meter in the cellar reads 3814.", "The door of the cellar takes 3814."),
        ("He sold the van for 3,900.", "We sold 3,900 shares."),
        ("Reach Ana at 0171 2359988.", "The safe wants 0171 2359988."),
        ("The drawer was 12 euro over.", "We are long 12 contracts."),
    ],
)
def test_the_same_figure_crosses_or_goes_by_what_it_is_of(business, own):
    assert Redactor(personal=True).text(business) == business
    assert Redactor(personal=True).text(own) != own


def test_an_episode_of_an_office_crosses_with_its_figures():
    told = Episode("Rent of flat 3: 890 euro, deposit 2,550 euro", role="user", subjects=("flat 3",))
    assert Redactor(personal=True).episode(told).text == told.text
    assert Redactor(personal=True).episode(told).subjects == told.subjects
