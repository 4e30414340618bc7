"""A lesson keeps the direction and the strength of its result; the figure goes."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.privacy.results import Results


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sold BRENT too early, pnl -1200 USD", "sold BRENT too early, pnl negative"),
        ("Held through the print: P&L -18,400 USD.", "Held through the print: P&L negative."),
        ("closed the roll at pnl -$1,200.50, too late", "closed the roll at pnl negative, too late"),
        ("closed the roll at pnl +2.1R", "closed the roll at pnl positive"),
        ("pnl -3.2% on the gap trade", "pnl negative on the gap trade"),
        ("Return on the pair was -3.2%, exits too slow.", "Return on the pair was negative, exits too slow."),
        ("pnl: 88.12 | fills late, venue slow", "pnl: positive | fills late, venue slow"),
    ],
)
def test_a_redacted_result_keeps_its_direction(text, told):
    redactor = Redactor(personal=True)
    assert redactor.text(text) == told
    assert redactor.text(told) == told
    assert redactor.counts == {"holding": 1}


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("pnl 0.00 on the day, our balance is 4,417", "4,417"),
        ("We lost 4,230 on the gap", "4,230"),
        ("net of fees we hold -12 lots", "12"),
        ("Our balance is -1,260 USD", "1,260"),
        ("eth.pnl: mean 31.5, sd 2.5 over 40 observations (min 0.5, max 91)", "31.5"),
    ],
)
def test_a_figure_without_a_direction_or_of_another_thing_is_marked(text, figure):
    told = Redactor(personal=True).text(text)
    assert figure not in told
    assert "[redacted: " in told


def test_a_result_is_strong_or_slight_beside_the_others_of_the_life():
    lessons = [
        "Sold the roll: pnl -1,000 USD",
        "Bought the dip: pnl +900 USD",
        "Held the print: pnl -1,100 USD",
        "Gap on Monday: pnl -18,400 USD",
        "Scalped the open: pnl +40 USD",
    ]
    redactor = Redactor(personal=True, results=Results.of(lessons))
    assert [redactor.text(lesson).rpartition(": ")[2] for lesson in lessons] == [
        "pnl negative",
        "pnl positive",
        "pnl negative",
        "pnl strongly negative",
        "pnl slightly positive",
    ]


def test_percentages_are_not_compared_with_money_and_two_results_with_nothing():
    assert Results.of(["pnl -5%", "pnl -4%", "pnl -900 USD", "pnl +3%"]).usual == {"%": 4.0}
    assert Results.of(["pnl -5%", "pnl -400%"]).usual == {}
