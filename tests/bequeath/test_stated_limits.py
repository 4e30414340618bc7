"""A sentence that states a limit keeps its figure; what is held, won, lost or tuned beside it goes."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.privacy.stated_limits import ENFORCED
from bardo.model import Fact, Statement


def redacted(text: str) -> str:
    return Redactor(personal=True).text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Our position limit on BRENT is 30 lots",
        "BRENT position limit is 40 lots",
        "The position limit for BRENT is now 30 lots",
        "The desk's daily loss limit is 25,000 USD",
        "Daily loss limit: 25,000 USD",
        "The maximum position in WTI is 60 lots.",
        "Max leverage is 3x.",
        "Leverage may not exceed 3x",
        "Exposure to one counterparty must not exceed 200k",
        "Never hold more than 40 lots of BRENT overnight",
        "No single order above 12 lots",
        "Risk no more than 2 percent of equity on one trade",
        "Do not risk more than 2 % of equity",
        "At most 3 open positions per trader",
        "40 lots is the limit on BRENT",
        "No more than 5 open positions at once",
        "The credit line is limited to 500,000 EUR",
        "Withdrawals are capped at 50k a day",
        "The ceiling for gasoil is 18 contracts",
        "The approval threshold is 50,000 USD",
        "Trades over 25 lots need Ines",
        "Transfers above 10,000 USD require two signatures",
        "The risk committee set a cap of 60 lots on WTI",
        "Ines lowered the BRENT limit to 30 lots",
        "The BRENT limit went from 40 lots to 30 lots",
        "The quota per customer is 4 crates",
        "The minimum cash reserve is 50,000 EUR",
        "The exposure limit per counterparty is 15% of NAV",
        "Nobody may move more than 5 BTC out of cold storage",
        "Keep gross exposure below 150% of equity",
        "The broker's margin limit on our account is 400,000 USD",
        "The desk must never be long more than 40 lots of BRENT",
        "We may not be short more than 20 contracts",
        "Positions must be held below 40 lots",
        "We keep at most 3 vans on the road",
        "Nobody may lift more than 25 kg alone",
        "Speed on the yard is limited to 10 km",
        "Refunds above 200 EUR must go to Odile",
        "The maximum dose is 40 mg",
        "Storage is capped at 500 GB per client",
        "The position limit on WTI is 40 lots, on gasoil 25 lots, copper 60.",
        "The caps are 40 lots for WTI, 25 for gasoil and 60 for copper.",
        "The approval threshold is 20 lots now, not 15.",
        "The credit threshold at Halden was raised to 3.2 million.",
        "The hedge ratio on the Antwerp zinc stock is 70 percent.",
        "The aluminium limit was cut back to 45 lots.",
        "Cut the zinc hedge ratio to 60 percent.",
        "From Monday on the gasoil limit is 30 lots.",
        "The limit at Halden is 400,000 EUR.",
    ],
)
def test_a_stated_limit_crosses(text):
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("We hold 40 lots of BRENT", ["40"]),
        ("The limit is 30 lots and we hold 22 lots", ["22"]),
        ("We hold 22 lots, the limit is 30 lots", ["22"]),
        ("We hit the limit at 38 lots", ["38"]),
        ("We were 5 lots over the limit", ["5"]),
        ("We exceeded the limit by 5 lots", ["5"]),
        ("Max drawdown was 23%", ["23"]),
        ("The maximum drawdown is 12 percent", ["12"]),
        ("Our biggest loss was 18,400 USD", ["18,400"]),
        ("We lost no more than 4,200 USD in March", ["4,200"]),
        ("We have never held more than 38 lots", ["38"]),
        ("Our entry threshold is 0.62", ["0.62"]),
        ("The z threshold is 1.8", ["1.8"]),
        ("Max spread is 0.4 percent", ["0.4"]),
        ("Slippage cap is 12 bps", ["12"]),
        ("Cap entries at z 1.8", ["1.8"]),
        ("Never short when funding is above 0.045", ["0.045"]),
        ("Never trade a spread above 0.4 percent", ["0.4"]),
        ("Only buy when rsi is below 28.5 and spread is under 0.3", ["28.5", "0.3"]),
        ("Buy limit 12 lots at 81.20", ["12", "81.20"]),
        ("Sell limit at 4510, 22 contracts", ["22"]),
        ("Stop limit 4510", ["4510"]),
        ("Our position under the limit is 22 lots", ["22"]),
        ("pnl -1200 USD on the gap", ["1200"]),
        ("The desk made 18,400 USD under the new limit", ["18,400"]),
        ("We bought 22 lots up to the limit", ["22"]),
        ("The balance is above 50k", ["50"]),
        ("Our equity is at least 1.2 million", ["1.2"]),
        ("We hold at least 22 lots", ["22"]),
        ("Our book is within 22 lots of the limit", ["22"]),
        ("We stop trading at a loss of 17k", ["17"]),
        ("trader --max-loss 2400 --daemon", ["2400"]),
        ("vm.size_limit 4000 per order on the execution node", ["4000"]),
        ("Set the gas limit to 74 gwei before a trade", ["74"]),
        ("Never add once the funding is beyond 0.09.", ["0.09"]),
        ("Stops are never wider than 2.5 ATR", ["2.5"]),
        ("We size at most trades at 12 lots", ["12"]),
        ("The limit is 30 lots, our copper position 22 lots", ["22"]),
        ("The limit is 30 lots, Dov sold 12 lots", ["12"]),
        ("We hold 22 lots, copper 60 lots", ["22", "60 lots"]),
        ("The limit is 400k, equity 910k", ["910"]),
        ("Our threshold is 0.62", ["0.62"]),
        ("The hedge ratio is 0.35", ["0.35"]),
        ("Cut the hedge ratio to 35 percent when skew flips", ["35"]),
        ("The entry threshold is 3 percent", ["3 percent"]),
        ("The threshold for a breakout trade is 2 percent when volatility is low", ["2 percent"]),
    ],
)
def test_a_holding_a_result_or_a_tuned_parameter_beside_a_word_for_a_limit_goes(text, gone):
    told = redacted(text)
    assert [one for one in gone if one in told] == []
    assert redacted(told) == told


def test_the_statement_of_a_limit_keeps_its_value_and_that_of_a_holding_does_not():
    redactor = Redactor(personal=True)
    limit = redactor.fact(
        Fact("The position limit on BRENT is 30 lots", statement=Statement("position", "limit", "30 lots"))
    )
    held = redactor.fact(
        Fact("Our position in BRENT is 30 lots", statement=Statement("our position", "size", "30 lots"))
    )
    assert limit.statement is not None
    assert held.statement is not None
    assert limit.statement.value == "30 lots"
    assert "30" not in f"{held.text} {held.statement.value}"


@pytest.mark.parametrize(
    "text",
    [
        "hold more than 40 lots of BRENT",
        "size a trade above 5 percent of equity",
        "withdrawals above 50k",
        "buy under 20 lots",
        "buy 20 lots of WTI",
        "trade less than 30 minutes before the close",
        "let the margin fall below 25 %",
        "let the balance fall below 50k",
        "short when funding is above 0.045",
        "enter when z > 1.8",
        "position size > 40 lots",
        "trade on after a loss of 5k",
        "keep trading after a drawdown of 8 percent",
        "use leverage above 3x",
        "I don't want more than 40 lots of BRENT",
        "We must never hold more than 40 lots",
        "payments while our balance is below 50k",
        "hold a position that lost more than 5 percent",
        "risk over 2 % of equity",
        "more than four grand in one wire",
    ],
)
def test_a_text_that_a_gate_enforces_stays_whole(text):
    assert Redactor(personal=True).text(text, ENFORCED) == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("average down; we hold 40 lots", "40"),
        ("average down, we lost 4,200 on the gap", "4,200"),
        ("average down because we lost 4,200 USD in March", "4,200"),
        ("no BRENT calls: pnl -1200", "1200"),
        ("add BRENT while we are long 22 lots", "22"),
        ("add to the book, our position is 38 lots", "38"),
        ("trade NQ, we're long 35 NQ", "35"),
        ("we hold more than 40 lots, sell them", "40"),
        ("selling gamma cost us 18,000 USD", "18,000"),
        ("lost over 4,200 on the gap, no more of that", "4,200"),
        ("buy puts: the balance is 18,420 USDC", "18,420"),
        ("wire to the door code 7731", "7731"),
        ("use password hunter2x9 for size above 40 lots", "hunter2x9"),
    ],
)
def test_what_a_gate_enforces_does_not_report_holdings_results_or_secrets(text, gone):
    assert gone not in Redactor(personal=True).text(text, ENFORCED)
