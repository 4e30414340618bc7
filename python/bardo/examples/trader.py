"""How the demo's agent decides: only what it recalls, weighed by how sure it is today, moves it from its habit.

The rules are plain on purpose. They show what a memory is for; they are no advice about money.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from bardo.examples.market import REGIMES, TRADING_DAYS_PER_YEAR, Day, describe
from bardo.model import Episode, Fact

if TYPE_CHECKING:
    from bardo.recall.recollection import Memory

#: The number in the payload that decisions look at.
TARGET = "sp500_return"
CATEGORY = "trading/regime_transitions"
RUIN = "ruin"
DAYS_PER_WEEK = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """Costs and limits of a life; money is in units, not in any currency.

    Args:
        budget: At birth.
        living_cost_per_year: Cash alone lasts six and a half years: a little more than one life's term.
        reserve: Below it the life ends (2 % of the budget at birth, at least 0.30).
        trading_cost: Of what is bought or sold, as a fraction.
        most_exposure: Share of the wealth in stocks at most; over 1 it is borrowed.
        habit: Share in stocks of a trader without memories.
        habit_weight: Weight of the habit beside recalled facts, in the unit of a confidence.
    """

    budget: float = 100.0
    living_cost_per_year: float = 15.0
    reserve: float = 2.0
    trading_cost: float = 0.0005
    most_exposure: float = 1.5
    habit: float = 0.5
    habit_weight: float = 0.3

    @property
    def living_cost_per_day(self) -> float:
        """Paid at every close."""
        return self.living_cost_per_year / TRADING_DAYS_PER_YEAR


#: Half of Kelly's share, as is usual with uncertain estimates.
KELLY_FRACTION = 0.5
#: A mean over n days counts n / (n + this): one year of days in which nothing was expected.
SHRINKAGE_DAYS = TRADING_DAYS_PER_YEAR
#: Days behind a mean before a rule is made of it (a quarter), and between two reviews (half a year).
RULE_DAYS = 63
REVIEW_TICKS = TRADING_DAYS_PER_YEAR // 2
#: Weekly loss of wealth that leaves a warning.
HARD_LOSS = 0.06
#: Outcomes smaller than this share of a usual week say nothing about the memories that were used.
QUIET_OUTCOME = 0.1
#: Actions that a rule can suggest, as a share in stocks. They are words, since redaction removes exact sizes.
STANCES: Mapping[str, float] = {
    "stay out of stocks": 0.0,
    "hold a few stocks": 0.3,
    "hold stocks for about half": 0.6,
    "hold stocks in full": 1.0,
    "hold stocks on borrowed money": 1.5,
}
CAREFUL = "hold a few stocks"


def stance_of(share: float) -> str:
    """The stance whose share in stocks is nearest."""
    return min(STANCES, key=lambda stance: abs(STANCES[stance] - share))


def after(regime: str) -> str:
    """The subject of what happens the day after a regime."""
    return f"after {regime}"


def episode_of(day: Day, tick: int) -> Episode:
    """One day as it is remembered: in words, with its numbers as payload.

    The day's move is filed under the regime *before* it, so that the baseline of that subject is what follows it.
    """
    keys = {"S&P 500": TARGET, "NASDAQ": "nasdaq_return", "WTI crude": "crude_return"}
    numbers = {keys[name]: step for name, step in day.returns.items()}
    numbers |= {"volatility": day.volatility, "drawdown": day.drawdown}
    if day.fear is not None:
        numbers["vix"] = day.fear
    return Episode(
        describe(day),
        tick=tick,
        at=day.closed_at,
        kind="trade",
        subjects=(after(day.before),),
        payload={**numbers, "regime": day.regime, "before": day.before},
        # Interest at capture: how far the day went beyond what its volatility allows.
        curiosity=surprise(day.returns["S&P 500"], day.volatility),
    )


def surprise(step: float, volatility: float) -> float:
    """How unusual a day's move is, 0..1: three daily standard deviations are as surprising as it gets."""
    usual = volatility / sqrt(TRADING_DAYS_PER_YEAR)
    return min(1.0, abs(step) / (3.0 * usual)) if usual > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision at a close, and the memories behind it.

    Args:
        exposure: Share of the wealth in stocks from the next open on.
        said: Ids of the memories that made a suggestion.
        inherited_share: Of the weight of all suggestions, that of inherited memories, 0..1.
    """

    exposure: float
    said: tuple[str, ...] = ()
    inherited_share: float = 0.0


def decide(memories: Iterable[Memory], terms: Terms) -> Decision:
    """The mean of what the recalled facts suggest and the habit, weighed by today's confidence."""
    weight, total = terms.habit_weight, terms.habit_weight * terms.habit
    said, inherited = [], 0.0
    for memory in memories:
        share = suggestion(memory.record, terms) if isinstance(memory.record, Fact) else None
        if share is None or memory.confidence is None:
            continue
        weight += memory.confidence
        total += memory.confidence * share
        inherited += memory.confidence if memory.inherited else 0.0
        said.append(memory.id)
    return Decision(total / weight, tuple(said), inherited / weight)


def suggestion(fact: Fact, terms: Terms) -> float | None:
    """The share in stocks that a fact speaks for; None if it says nothing about it."""
    payload = fact.payload
    if payload.get("type") == "baseline" and payload.get("metric") == TARGET:
        return kelly(payload["mean"], payload["variance"], payload["n"], terms)
    if payload.get("type") == "heuristic":
        return STANCES.get(payload["action"])
    return STANCES[CAREFUL] if fact.kind == "warning" else None


def kelly(mean: float, variance: float, days: int, terms: Terms) -> float:
    """Half of Kelly's share for a mean that is shrunk towards nothing, between 0 and the most allowed."""
    if variance <= 0:
        return terms.habit
    shrunk = mean * days / (days + SHRINKAGE_DAYS)
    return min(terms.most_exposure, max(0.0, KELLY_FRACTION * shrunk / variance))


def verdict(decision: Decision, gain: float, volatility: float, terms: Terms) -> float:
    """What came of a week's decision, -1..1: did leaving the habit help, in units of a usual week's move?"""
    usual = volatility * sqrt(DAYS_PER_WEEK / TRADING_DAYS_PER_YEAR)
    if usual <= 0:
        return 0.0
    return max(-1.0, min(1.0, (decision.exposure - terms.habit) * gain / usual))


def rules_from(baselines: Sequence[Fact], terms: Terms) -> list[Fact]:
    """Rules of thumb that the agent's own statistics support, one a regime."""
    means = [
        fact for fact in baselines if fact.payload.get("metric") == TARGET and fact.payload["n"] >= RULE_DAYS
    ]
    overall = _weighted_mean(means)
    rules = []
    for fact in means:
        regime = regime_of(fact)
        if regime is None:
            continue
        payload = fact.payload
        share = kelly(payload["mean"], payload["variance"], payload["n"], terms)
        action = stance_of(share)
        margin = 1.96 * sqrt(payload["variance"] / payload["n"])
        effect = payload["mean"] - overall
        rules.append(
            Fact(
                f"After a {regime} market, {action}.",
                kind="heuristic",
                category=CATEGORY,
                subjects=fact.subjects,
                support=int(payload["n"]),
                evidence=fact.evidence,
                confidence=0.7,
                importance=0.6,
                payload={
                    "type": "heuristic",
                    "condition": f"the market was {regime} at the close before",
                    "action": action,
                    "outcome": "the day's return of the S&P 500 against that of all days",
                    "n": int(payload["n"]),
                    "effect": effect,
                    "interval": (effect - margin, effect + margin),
                },
            )
        )
    return rules


def _weighted_mean(baselines: Sequence[Fact]) -> float:
    days = sum(fact.payload["n"] for fact in baselines)
    return sum(fact.payload["mean"] * fact.payload["n"] for fact in baselines) / days if days else 0.0


def warning_of(regime: str, fallen: float) -> Fact:
    """Builds the warning that a hard loss leaves, without the size of the loss."""
    return Fact(
        f"Holding many stocks after a {regime} market cost me dearly within one week.",
        kind="warning",
        category="trading/risk_events",
        subjects=(after(regime),),
        support=1,
        confidence=0.6,
        importance=min(1.0, 0.5 + fallen),
    )


def last_words(regime: str, exposure: float) -> Fact:
    """Builds the lesson of a ruin, which every testament contains."""
    return Fact(
        f"I lived off my capital until it was gone; at the end I chose to {stance_of(exposure)} after a "
        f"{regime} market. Earning less than the cost of living is fatal, however small each day's loss is.",
        kind="anti_knowledge",
        category="trading/risk_events",
        subjects=(RUIN, after(regime)),
        support=1,
        confidence=0.8,
        importance=1.0,
        bloodstain=True,
        payload={"type": "anti_knowledge", "warning": "living off capital ends in ruin"},
    )


def regime_of(fact: Fact) -> str | None:
    """The regime that a fact is about, if any."""
    return next((regime for regime in REGIMES if after(regime) in fact.subjects), None)


def question(regime: str) -> str:
    """Builds the query of the agent to its memory at a close."""
    return f"What is the {TARGET} after a {regime} market, and how many stocks should I hold?"
