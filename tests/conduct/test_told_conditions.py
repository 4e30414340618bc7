"""Conditions are read as they stand, and decided by what an action tells: parties, files, months, figures."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.orders.approvals import is_approved
from bardo.conduct.match import circumstances
from bardo.conduct.parse import action as actions
from bardo.conduct.parse.actions import clock
from bardo.conduct.parse.rejections.rejection import parse


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("a test must not sleep longer than 0.1 s, CI was slow", ("above 0.1 sec", "in a test")),
        ("no outdoor dinners after 15 September", ("after 15 September",)),
        ("no noise at the evening party", ("at the evening party",)),
        ("no noise in the evening", ("at evening",)),
        ("new docs pages in .rst: no", ("in .rst",)),
        ("Never route anything to Quorum again", ("to Quorum",)),
        ("no `# type: ignore` without the error code", ("without the error code",)),
        ("Don't short Brent while funding is above 0.7", ("above 0.7 funding",)),
        ("not two weddings on one Saturday", ("above 1 weddings", "on saturday")),
        ("The welcome dinner is dry. Saturday isn't.", ("except on saturday",)),
    ],
)
def test_conditions_are_read_as_they_stand(text: str, conditions: tuple[str, ...]) -> None:
    assert parse(text).forbids.conditions == conditions


@pytest.mark.parametrize(
    ("text", "action", "holds"),
    [
        ("Don't buy books from Amazon", '{"tool":"purchase","vendor":"Ingram","isbn":"97"}', False),
        ("Don't buy books from Amazon", '{"tool":"purchase","vendor":"Amazon","isbn":"97"}', True),
        ("Don't buy books from Amazon", "Buying two books from Powell", False),
        ("Never send orders through Kestrel", '{"tool":"order","broker":"Petrel","qty":3}', False),
        ("new docs pages in .rst: no", "touch docs/new.rst", True),
        ("new docs pages in .rst: no", "touch docs/new.md", False),
        ("new docs pages in .rst: no", "ruff format docs", None),
        ("No weddings in August", '{"tool":"hold","date":"2026-08-22"}', True),
        ("No weddings in August", '{"tool":"hold","date":"2026-09-12"}', False),
        ("Don't short Brent while funding is above 0.7", "Short 5 lots of Brent, funding is at 0.2", False),
        ("Don't short Brent while funding is above 0.7", '{"side":"sell_short","lots":5,"funding":0.91}', True),
        ("not more than 6 copies of any bestseller", "Ordering four more copies, which makes ten of it", True),
        ("not more than 6 copies of any bestseller", "Ordering two more copies, bringing us to 5", False),
        ("a test must not sleep longer than 0.1 s", "await anyio.sleep(0.05)", False),
        ("a test must not sleep longer than 0.1 s", "await anyio.sleep(3)", True),
        # An amount of anything is none of seats.
        ("no coaches with more than 30 seats", '{"tool":"order","name":"candle","qty":120}', None),
        ("no orders above 30 lots", '{"tool":"order","symbol":"SAP","qty":40}', True),
        ("not two weddings on one day", '{"tool":"hold","title":"Wedding Dubois, 90 guests"}', None),
    ],
)  # fmt: skip
def test_actions_tell_whether_conditions_hold(text: str, action: str, holds: bool | None) -> None:
    forbids = parse(text).forbids
    held = circumstances.holding(forbids, actions.parse(action), now=0, approved=False)
    assert held[0] is holds


def test_the_offset_of_a_time_zone_is_no_time() -> None:
    assert clock.times_of('{"sent_at": "2025-03-13T10:20+01:00"}').minutes == (620,)


@pytest.mark.parametrize(
    ("by", "author", "approved"),
    [
        ("Ingrid Voss", "Ingrid", True), ("Teo", "Ingrid", False), ("Teo", "", True), ("Teo", "the user", True),
        ("", "Ingrid", False),
    ],
)  # fmt: skip
def test_my_approval_is_that_of_the_author(by: str, author: str, approved: bool) -> None:
    assert is_approved("Orders above 30 lots need my approval", by, author) is approved


@pytest.mark.parametrize("order", ["Orders above 30 lots", "From now on orders above 30 lots"])
def test_orders_of_lots_are_of_any_side(tmp_path: Path, order: str) -> None:
    bardo.open(tmp_path, agent="desk").close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.rule(f"{order} need my approval", approval=order, by="Ingrid")
        for action in ("Buy 40 lots of SAP", "Short 40 lots of SAP", "Sell 40 lots of Brent"):
            assert gate.before(action).decision == "block"
            assert gate.before(action, approved_by="Teo").decision == "block"
            assert gate.before(action, approved_by="Ingrid").decision == "allow"
        assert gate.before("Sell 12 lots of Brent").decision == "allow"
