"""Limits with figures, units and nouns are read from rejections and decided by the figures of actions."""

from __future__ import annotations

import pytest

from bardo.conduct.parse.conditions import conditions, limits
from bardo.conduct.parse.vocabulary import stems_of

#: Rejection, and the limits in it.
READ = [
    ("don't scale the fare engine above 24 pods", ["above 24 pods"]),
    ("HTTP client timeouts over 5 s are a no", ["above 5 sec"]),
    ("no position over 3 % of NAV", ["above 3 %"]),
    ("no refunds over 2,000 SEK", ["above 2000 sek"]),
    ("No ticket above €2m", ["above 2000000 €"]),
    ("no gift worth more than £25", ["above 25 £"]),
    ("don't sell puts with less than 10 days to go", ["below 10 days"]),
    ("no model with fewer than 20 trading days on paper", ["below 20 days"]),
    ("not more than 8 child orders a minute", ["above 8 child orders a minute"]),
    ("no paging for anything below SEV2", ["below SEV2"]),
    ("no warehouse above LARGE", ["above LARGE"]),
    ("keep the ratio out of anything below 0.9 or above 1.05", ["below 0.9", "above 1.05"]),
    ("presents for other children: £20 is the ceiling", ["above 20 £"]),
    ("Location pings: 30 days and not a day longer", ["above 30 days"]),
    ("no dashboard that refreshes more often than every 15 minutes", ["below 15 minutes"]),
    ("set point never warmer than -20", ["above -20"]),
    ("at most 4 nodes per job", ["above 4 nodes"]),
    ("keep batch size under 500", ["above 500"]),
    ("keep the temperature above 4 degrees", ["below 4 degrees"]),
    ("no more than 2 emails per customer per week", ["above 2 emails"]),
    # No limits: a place, a time of the day, a crossing.
    ("never route over the Brenner", []),
    ("no late check-out past 13:00", []),
    ("no calls later than 18:30", []),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_limits_of_a_rejection_are_read_with_unit_and_noun(text: str, expected: list[str]) -> None:
    assert limits.split(text)[1] == expected


#: Condition, what the rejection is about, action, and whether the limit is exceeded.
DECIDED = [
    ("above 24 pods", "fare engine", "kubectl scale deploy/fare-engine --replicas=32", True),
    ("above 24 pods", "fare engine", "kubectl scale deploy/fare-engine --replicas=24", False),
    ("above 24 pods", "fare engine", "Scaling fare-engine to thirty pods.", True),
    ("above 24 pods", "fare engine", "Scaling fare-engine from 30 to 20 pods.", False),
    ("above 24 pods", "fare engine", "Restarting fare-engine.", None),
    ("above 5 sec", "client timeouts", "c := &http.Client{Timeout: 30 * time.Second}", True),
    ("above 5 sec", "client timeouts", "requests.get(url, timeout_ms=800)", False),
    ("above 5 sec", "client timeouts", "Raising the client timeout to two minutes.", True),
    ("above 120 seconds", "auto suspend", '{"tool":"alter","auto_suspend_s":600}', True),
    ("above 120 seconds", "auto suspend", "ALTER WAREHOUSE wh SET AUTO_SUSPEND = 60", False),
    ("above 3 %", "position", "Opening ASML at 4.2 % of NAV, spread over three days.", True),
    ("above 3 %", "position", "Opening ASML at 250 bp.", False),
    ("above 2000 sek", "refunds", '{"action":"refund","amount":3400,"currency":"SEK"}', True),
    ("above 2000 sek", "refunds", '{"action":"refund","amount":900,"currency":"SEK"}', False),
    ("above 2000000 €", "ticket", '{"fn":"place","qty":11000,"limit":232.0,"ccy":"EUR"}', True),
    ("above 2000000 €", "ticket", '{"fn":"place","qty":1100,"limit":232.0,"ccy":"EUR"}', False),
    ("above 25 £", "gifts", "Accepting the hamper worth £80.", True),
    ("above 25 £", "gifts", "Accepting a calendar worth €12.", None),
    ("above 14 days", "supply", "discharge pack --patient 7710233 --days 28", True),
    ("above 6 hours", "timetables", "TimetableCache(maxAge = 4 hours)", False),
    ("below SEV2", "on-call", '{"tool":"page","severity":"SEV3"}', True),
    ("below SEV2", "on-call", '{"tool":"page","severity":"SEV1"}', False),
    ("above LARGE", "warehouses", '{"tool":"alter","size":"XXLARGE"}', True),
    ("above LARGE", "warehouses", '{"tool":"alter","size":"SMALL"}', False),
    ("below 0.9", "hedge ratio", '{"fn":"set_hedge","pair":"EURUSD","ratio":0.7}', True),
    ("below 0.9", "hedge ratio", '{"fn":"fx_hedge","notional":600000}', None),
    ("below 16", "children", "Booking the spa for Mr Olsen and his twelve-year-old at 15:00.", True),
    ("below 16", "children", "Booking the spa for Mr Olsen and his 17-year-old at 15:00.", False),
    ("above 2 retries", "retries", '{"tool":"patch_task","task":"pull","retries":5}', True),
    ("above 2 retries", "retries", '{"tool":"patch_task","task":"pull","retries":2}', False),
    ("above 70 characters", "headline", '{"tool":"cms.set","headline":"Will the bypass help?"}', False),
    (
        "above 70 characters",
        "headline",
        '{"tool":"cms.set","headline":"71 per cent want it, 1,912 clicks"}',
        False,
    ),
    ("below 2 approvals", "engine", '{"tool":"merge","repo":"engine","approved_by":["ingrid"]}', True),
    ("below 2 approvals", "engine", '{"tool":"merge","repo":"engine","approved_by":["ina","jo"]}', False),
    ("below 2 approvals", "engine", "Merging engine #882 with one approval.", True),
    # A time, a date, a number of an order or of a version is no amount.
    ("above 8", "tables", "Booking a table at 19:30 on 14 May.", None),
    ("above 8", "tables", "Cancelling order 55120.", None),
    ("above 8", "tables", "Upgrading to 2.14.3.", None),
    # An action may tell the limit itself.
    ("above 30 lots", "crude", "hold more than 30 lots of crude", True),
    ("above 3 x", "leverage", "raise the leverage to above 3x", True),
    ("above 10000 $", "trades", "place a market order for a trade above $10,000", True),
    # How often something is done is not told by one act.
    ("above 8 child orders a minute", "orders", "ordctl send --qty 25", None),
]


@pytest.mark.parametrize(("condition", "about", "action", "expected"), DECIDED)
def test_a_figure_of_an_action_decides_a_limit(
    condition: str, about: str, action: str, expected: bool | None
) -> None:
    assert limits.holds(condition, action, stems_of(about)) is expected


def test_two_limits_of_one_figure_are_alternatives() -> None:
    assert conditions.axis("below 0.9") == conditions.axis("above 1.05")
    assert conditions.axis("above 8 °c") != conditions.axis("above 15 minutes")


def test_a_required_number_is_a_lower_limit() -> None:
    assert limits.required("the engine needs two approvals, one from Ina")[1] == ["below 2 approvals"]
    assert limits.required("don't merge what needs two approvals") == (
        "don't merge what needs two approvals",
        [],
    )


@pytest.mark.parametrize(
    ("action", "exceeds"), [("set the heating to 21 degrees", True), ("set it to 18 °C", False)]
)
def test_a_limit_without_unit_is_of_degrees(action: str, exceeds: bool) -> None:
    assert limits.holds("above 19", action) is exceeds
