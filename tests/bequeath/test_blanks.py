"""Redaction leaves an heir no blank where it could know better: orders keep figures, blank statistics stay."""

from __future__ import annotations

from pathlib import Path

import estate as make
import pytest

import bardo
from bardo.bequeath.content.directives import Directive
from bardo.bequeath.content.told_orders import ToldOrders
from bardo.bequeath.privacy.names import OF_TESTAMENT, Names
from bardo.bequeath.privacy.redact import Redactor, is_blank

SPREAD = "ETH.momentum: mean -0.01, sd 0.59 over 237 observations (min -0.98, max 1)"
ORDER = "Don't short Brent while funding is above 0.7"


@pytest.mark.parametrize(
    ("order", "text", "figure"),
    [
        (ORDER, f"{ORDER}.", "0.7"),
        (
            "short ETH when the spread is over 0.04",
            "Olu: never short ETH when the spread is over 0.04, please",
            "0.04",
        ),
        ("hold 40 lots of SAP overnight", "Nobody should hold 40 lots of SAP overnight!", "40"),
    ],
)
def test_the_message_of_an_order_keeps_the_figures_of_the_order(order: str, text: str, figure: str) -> None:
    limits = ToldOrders.of([Directive("rejected", order)]).limits(text)
    assert figure in Redactor(personal=True).text(text, limits)


@pytest.mark.parametrize(
    "text", ["We short Brent when funding is above 0.7", "I enter when funding is above 0.7"]
)
def test_a_parameter_with_the_figure_of_an_order_goes(text: str) -> None:
    limits = ToldOrders.of([Directive("rejected", ORDER)]).limits(text)
    assert "0.7" not in Redactor(personal=True).text(text, limits)


def test_an_order_that_has_ended_keeps_no_figure() -> None:
    ended = Directive("rejected", ORDER, ended_at=1)
    assert not ToldOrders.of([ended]).limits(ORDER).told


def test_an_heir_and_its_heir_read_the_figure_of_an_order(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_770_000_000_000_000)
    with bardo.open(tmp_path / "0", clock=clock) as g:
        g.remember({"role": "user", "name": "Olu", "content": f"{ORDER}."}, thread="desk")
        g.sleep()
        g.bequeath(tmp_path / "0.testament")
    for life in (1, 2):
        file = tmp_path / f"{life - 1}.testament"
        with bardo.inherit(file, tmp_path / str(life), clock=clock) as heir:
            told = [memory.text for memory in heir.recall("May we short Brent at a high funding?")]
            assert any("0.7" in text for text in told)
            assert not any("redacted" in text for text in told)
            heir.bequeath(tmp_path / f"{life}.testament")


def test_the_figures_of_a_statistic_are_no_names() -> None:
    texts = [
        f"{one}.{path}: mean 0.1, sd 0.5 over 237 observations (min 0, max 1)"
        for one in "abc"
        for path in "xyz"
    ]
    redactor = Redactor(personal=True, names=Names.of([*texts, SPREAD], least=OF_TESTAMENT))
    assert redactor.text(SPREAD) == SPREAD


@pytest.mark.parametrize(
    ("text", "statistic", "expected"),
    [
        ("Leverage is [redacted: parameter]", False, True),
        ("SAP is [redacted: holding] on day 4", False, False),
        ("a.x: mean [redacted: parameter], sd 0.5 over 20 observations", True, True),
        ("a.x: mean 0.1, sd 0.5 over 20 observations", True, False),
        ("No figure at all", False, False),
    ],
)
def test_a_text_without_its_figures_is_blank(text: str, statistic: bool, expected: bool) -> None:
    assert is_blank(text, statistic=statistic) is expected


def test_a_blank_tombstone_and_a_replaced_statistic_stay_behind(tmp_path: Path) -> None:
    facts = [
        make.fact(1, "We run ETH at 3x", status="superseded", superseded_by=make.id_of(3)),
        make.fact(2, "The SAP limit is 45 lots", status="superseded", superseded_by=make.id_of(3)),
        make.fact(3, "The SAP limit is 50 lots"),
        make.fact(4, SPREAD, kind="baseline", status="superseded", generation=1),
    ]
    left = make.bequeath(tmp_path, facts=facts, vectors=None)
    assert {fact.text for fact in left.facts} == {"The SAP limit is 45 lots", "The SAP limit is 50 lots"}
    assert left.left_out["blank"] == 1


def test_an_older_value_stays_behind_where_its_successor_is_blank(tmp_path: Path) -> None:
    said = [
        make.episode(1, "Our leverage on ETH: 2x was fine in 2024, the paper says"),
        make.episode(2, "Our leverage on ETH is 3x now, not as before"),
        make.episode(3, "The SAP limit is 45 lots"),
        make.episode(4, "The SAP limit is 50 lots now"),
    ]
    links = [(make.id_of(newer), make.id_of(older), "corrects", 1.0, 1) for newer, older in ((2, 1), (4, 3))]
    left = make.bequeath(tmp_path, facts=[], episodes=said, links=links, vectors=None)
    assert {episode.text for episode in left.episodes} == {
        "Our leverage on ETH is [redacted: parameter] now, not as before", said[2].text, said[3].text,
    }  # fmt: skip
    assert left.left_out["blank"] == 1
