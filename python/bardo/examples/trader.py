"""Decision rules of the demo's agent: recalled facts, weighted by today's confidence, against a fixed habit.

The rules are deliberately simple. They show the use of a memory and are not financial advice.
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

#: Name of the payload number that decisions use.
TARGET = "sp500_return"
CATEGORY = "trading/regime_transitions"
RUIN = "ruin"
DAYS_PER_WEEK = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """Costs and limits of a life; money is in units without a currency.

    Args:
        budget: Money at birth.
        living_cost_per_year: Living costs per year; cash alone lasts six and a half years, slightly more than one life.
        reserve: Wealth below which the life ends (2 % of the budget at birth, at least 0.30).
        trading_cost: Cost as a fraction of the amount bought or sold.
        most_exposure: Maximum share of the wealth in stocks; above 1 it is borrowed.
        habit: Share in stocks of a trader without memories.
        habit_weight: Weight of the habit relative to recalled facts, in the unit of a confidence.
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
        """Living costs paid at every close."""
        return self.living_cost_per_year / TRADING_DAYS_PER_YEAR


#: Fraction of the Kelly share: half, as is usual with uncertain estimates.
KELLY_FRACTION = 0.5
#: Shrinkage of a mean over n days by n / (n + SHRINKAGE_DAYS): one year of days with mean zero.
SHRINKAGE_DAYS = TRADING_DAYS_PER_YEAR
#: Minimum number of days behind a mean that becomes a rule (a quarter), and ticks between reviews (half a year).
RULE_DAYS = 63
REVIEW_TICKS = TRADING_DAYS_PER_YEAR // 2
#: Minimum weekly loss that is recorded as a warning, as a fraction of the wealth.
HARD_LOSS = 0.06
#: Minimum outcome, as a share of a usual week, that counts for the memories that were used.
QUIET_OUTCOME = 0.1
#: Share in stocks of each action that a rule can suggest; named in words, since redaction removes exact sizes.
STANCES: Mapping[str, float] = {
    "stay out of stocks": 0.0,
    "hold a few stocks": 0.3,
    "hold stocks for about half": 0.6,
    "hold stocks in full": 1.0,
    "hold stocks on borrowed money": 1.5,
}
CAREFUL = "hold a few stocks"


def stance_of(share: float) -> str:
    """Returns the stance with the nearest share in stocks."""
    return min(STANCES, key=lambda stance: abs(STANCES[stance] - share))


def after(regime: str) -> str:
    """Returns the subject of the day after a regime."""
    return f"after {regime}"


def episode_of(day: Day, tick: int) -> Episode:
    """Builds the episode of a day: text, with its numbers as payload.

    The day's return has the previous regime as subject, so that the subject's baseline is the mean of the next day.
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
        # Curiosity at capture: the day's return relative to its volatility.
        curiosity=surprise(day.returns["S&P 500"], day.volatility),
    )


def surprise(step: float, volatility: float) -> float:
    """Computes the surprise of a day's return, 0..1; 1 at three daily standard deviations."""
    usual = volatility / sqrt(TRADING_DAYS_PER_YEAR)
    return min(1.0, abs(step) / (3.0 * usual)) if usual > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision at a close, with the memories behind it.

    Args:
        exposure: Share of the wealth in stocks from the next open on.
        said: Ids of the memories that made a suggestion.
        inherited_share: Share of inherited memories in the weight of all suggestions, 0..1.
    """

    exposure: float
    said: tuple[str, ...] = ()
    inherited_share: float = 0.0


def decide(memories: Iterable[Memory], terms: Terms) -> Decision:
    """Averages the suggestions of recalled facts and the habit, weighted by today's confidence."""
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
    """Returns the share in stocks that a fact suggests; None without a suggestion."""
    payload = fact.payload
    if payload.get("type") == "baseline" and payload.get("metric") == TARGET:
        return kelly(payload["mean"], payload["variance"], payload["n"], terms)
    if payload.get("type") == "heuristic":
        return STANCES.get(payload["action"])
    return STANCES[CAREFUL] if fact.kind == "warning" else None


def kelly(mean: float, variance: float, days: int, terms: Terms) -> float:
    """Computes half the Kelly share for a mean shrunk towards 0, between 0 and the maximum exposure."""
    if variance <= 0:
        return terms.habit
    shrunk = mean * days / (days + SHRINKAGE_DAYS)
    return min(terms.most_exposure, max(0.0, KELLY_FRACTION * shrunk / variance))


def verdict(decision: Decision, gain: float, volatility: float, terms: Terms) -> float:
    """Rates a week's decision, -1..1: the gain from leaving the habit, in units of a usual week's return."""
    usual = volatility * sqrt(DAYS_PER_WEEK / TRADING_DAYS_PER_YEAR)
    if usual <= 0:
        return 0.0
    return max(-1.0, min(1.0, (decision.exposure - terms.habit) * gain / usual))


def rules_from(baselines: Sequence[Fact], terms: Terms) -> list[Fact]:
    """Derives rules of thumb from the agent's own statistics, one per regime."""
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
    """Builds the warning after a hard loss, without the size of the loss."""
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
    """Returns the regime in a fact's subjects, if any."""
    return next((regime for regime in REGIMES if after(regime) in fact.subjects), None)


def question(regime: str) -> str:
    """Builds the agent's query to its memory at a close."""
    return f"What is the {TARGET} after a {regime} market, and how many stocks should I hold?"
