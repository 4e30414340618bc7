"""Checks the Curator's facts on twenty years of daily closes against the year after each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from bardo.examples import market
from bardo.examples.market import TRADING_DAYS_PER_YEAR, Day
from bardo.model import Episode, Fact

OUTCOMES = ("next_return", "next_volatility")
#: Condition of a heuristic: a number against a bound, or a word.
PART = re.compile(r"(?P<path>\S+) (?P<test>>=|<=|is) (?P<bound>.+)")
Student = Callable[[Sequence[Episode], Sequence[str]], list[Fact]]


def section(student: Student) -> str:
    """A table of what was believed at the end of each year from the fourth on, held against the next year."""
    days = market.days(market.load())
    episodes = [_episode(day, after, tick) for tick, (day, after) in enumerate(pairwise(days), 1)]
    rows, held, all_ = [], 0, 0
    for last in range(
        4 * TRADING_DAYS_PER_YEAR, len(episodes) - TRADING_DAYS_PER_YEAR + 1, TRADING_DAYS_PER_YEAR
    ):
        year = episodes[last : last + TRADING_DAYS_PER_YEAR]
        rules = [
            fact
            for fact in student(episodes[:last], OUTCOMES)
            if fact.kind == "heuristic" and fact.status == "active"
        ]
        for fact in rules:
            verdict = _held(fact, year)
            held += verdict is True
            all_ += verdict is not None
            word = {True: "held", False: "did not hold", None: "could not be tested"}[verdict]
            rows.append(f"| {days[last].date:%Y-%m} | {fact.text} | {word} |")
    head = (
        f"Markets ({len(episodes)} days, {days[0].date:%Y} to {days[-1].date:%Y}; {market.CREDIT}): rules about the "
        "next day's return and volatility that were believed at the end of each year, and whether the difference had "
        f"the same sign in the following year: {held} of the {all_} that could be tested did."
    )
    return "\n".join([head, "", "| believed at | rule | in the year after |", "|---|---|---|", *rows])


def _episode(day: Day, after: Day, tick: int) -> Episode:
    numbers = {
        "sp500_return": day.returns[market.STOCKS],
        "volatility": day.volatility,
        "drawdown": day.drawdown,
    }
    if day.fear is not None:
        numbers["vix"] = day.fear
    return Episode(
        market.describe(day),
        tick=tick,
        at=day.closed_at,
        kind="trade",
        subjects=(market.STOCKS,),
        payload={
            **numbers,
            "regime": day.regime,
            "next_return": after.returns[market.STOCKS],
            "next_volatility": abs(after.returns[market.STOCKS]),
        },
        verified=True,
    )


def _held(fact: Fact, year: Sequence[Episode]) -> bool | None:
    """Whether the difference has the same sign; None if one side has fewer than five days."""
    outcome = fact.payload["outcome"].split(" is ")[0]
    parts = [part for part in (fact.payload["condition"], fact.payload["action"]) if part]
    tests = [PART.fullmatch(one) for part in parts for one in part.split(" and ")]
    inside, outside = [], []
    for episode in year:
        values = {**episode.payload, "kind": episode.kind, "subject": episode.subjects[0]}
        meets = all(test is not None and _meets(values.get(test["path"]), test) for test in tests)
        (inside if meets else outside).append(episode.payload[outcome])
    if min(len(inside), len(outside)) < 5:
        return None
    return bool((np.mean(inside) - np.mean(outside)) * fact.payload["effect"] > 0)


def _meets(value: object, test: re.Match[str]) -> bool:
    if test["test"] == "is":
        return value == test["bound"]
    if not isinstance(value, float):
        return False
    bound = float(test["bound"])
    return value >= bound if test["test"] == ">=" else value <= bound
