"""Vitality: the product of an economic, an epistemic and a stochastic clock, and the phase of life that it sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bardo._printed import printed
from bardo.life.affect import Affect

Phase = Literal["thriving", "stable", "conservation", "declining", "terminal"]
Cause = Literal["economic", "epistemic", "stochastic"]
#: Phases of a death, in order.
DeathPhase = Literal["acceptance", "settle", "reflect", "legacy"]

#: Lowest vitality of each phase; below the last one it is terminal.
PHASES: tuple[tuple[float, Phase], ...] = (
    (0.7, "thriving"),
    (0.5, "stable"),
    (0.3, "conservation"),
    (0.1, "declining"),
)
#: Vitality above the bound of a better phase from which it has begun: nearly twice the deviation, .06, of a fitness
#: that averages 33 outcomes, so that an even life has few changes. A worse phase begins at its bound.
RECOVERY = 0.1
#: Predictive fitness below which the agent is dying.
SENESCENCE = 0.35
#: Part of the lifespan after which more is left to heirs, and the confidence that then suffices.
EARLY_LEGACY, EARLY_CONFIDENCE = 0.85, 0.4
#: Part of the budget that is set aside at birth for the death.
RESERVE_SHARE = 0.02
#: Shape of the survival curve `1 - ratio ** SHAPE`: half of all agents reach 84 % of the lifespan.
SHAPE = 4


@dataclass(frozen=True, slots=True)
class Vitality:
    """Vitality at a tick.

    Args:
        tick: Tick of the measurement.
        value: Product of the three clocks, 0..1.
        phase: Phase of life.
        economic: Part of the budget without the reserve that is left, 0..1; 1 without a known budget.
        epistemic: Predictive fitness, 0..1: discounted share of good outcomes; 1 before the first.
        stochastic: Probability of reaching the current age, 0..1; 1 without a lifespan.
        mortal: Whether the agent has a budget or a lifespan, so that phases change the budgets of prompts.
        budget: Budget at birth; 0 for none.
        left: Budget that is left to spend, without the reserve; 0 without a budget.
        reserve: Rest of the sum that was set aside at birth for the death; no part of `left`.
        burn_rate: Net spending per tick of life.
        ticks_left: Ticks until the budget is spent at this rate; None if nothing is spent.
        outcomes: Number of outcomes behind the fitness.
        age: Ticks since birth.
        lifespan: Longest life in ticks; 0 for none.
        hayflick_ratio: Age as a part of the lifespan; 0 without one.
        affect: Mood.
        dying: Clocks that have run out; any of them is a cause of death.
        death: Phase of a death that has begun; None before.
        markers: Number of situations with a marker.
        dangers: Number of these that surely end badly more often than others.
        decisions: Number of situations in the decision cache.
        spent: Net spending of the life.
        budget_known: Whether the budget at birth is known, if there was one; without it `value` is an upper bound.
        notes: What is amiss with the measurement.
        is_dead: Whether the agent has died. A budget or lifespan that only its program set is not known any more.
    """

    tick: int
    value: float
    phase: Phase
    economic: float
    epistemic: float
    stochastic: float
    mortal: bool
    budget: float
    left: float
    reserve: float
    burn_rate: float
    ticks_left: float | None
    outcomes: int
    age: int
    lifespan: int
    hayflick_ratio: float
    affect: Affect
    dying: tuple[Cause, ...] = ()
    death: DeathPhase | None = None
    markers: int = 0
    dangers: int = 0
    decisions: int = 0
    spent: float = 0.0
    budget_known: bool = True
    notes: tuple[str, ...] = ()
    is_dead: bool = False

    _printed = ("phase", "value", "economic", "epistemic", "stochastic", "dying", "is_dead", "notes")
    __str__ = printed

    @property
    def pushes_legacy(self) -> bool:
        """Whether the agent is so old that a testament takes insights from confidence .4 on, instead of .6."""
        return self.hayflick_ratio > EARLY_LEGACY

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        named = {name: getattr(self, name) for name in self.__slots__}
        return named | {
            "affect": self.affect.to_dict(), "dying": list(self.dying), "pushes_legacy": self.pushes_legacy,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PhaseChange:
    """Event: the phase of life changed.

    Args:
        before: Phase until now.
        after: Phase from now on.
        vitality: Vitality that set it.
    """

    before: Phase
    after: Phase
    vitality: Vitality

    __str__ = printed


def phase_of(vitality: float) -> Phase:
    """Returns the phase of a vitality; a bound belongs to the lower phase, as thriving is above .7."""
    return next((phase for least, phase in PHASES if vitality > least), "terminal")


def phase_after(before: Phase, vitality: float) -> Phase:
    """Returns the phase of a vitality after another phase: a better one begins `RECOVERY` above its bound.

    Args:
        before: Phase until now.
        vitality: Vitality, 0..1.
    """
    order = [phase for _, phase in PHASES]

    def rank(phase: Phase) -> int:
        return order.index(phase) if phase in order else len(order)

    now = phase_of(vitality)
    return now if rank(now) >= rank(before) else min(before, phase_of(vitality - RECOVERY), key=rank)


def reserve_of(budget: float, least: float) -> float:
    """Part of a budget that is set aside at birth for the death: `max(least, 2 % of the budget)`.

    Args:
        budget: Budget at birth; 0 for none.
        least: Minimum sum, in the currency of the budget.
    """
    return max(least, RESERVE_SHARE * budget) if budget else 0.0


def survival(age: int, lifespan: int) -> float:
    """Probability of reaching an age, under a hazard per tick that rises without bound towards the lifespan.

    Args:
        age: Ticks since birth.
        lifespan: Longest life in ticks; 0 for none.
    """
    return max(0.0, 1.0 - (age / lifespan) ** SHAPE) if lifespan else 1.0


def measure(
    *,
    tick: int,
    age: int,
    budget: float,
    spent: float,
    set_aside: float = 0.0,
    reserve: float = 0.0,
    lifespan: int,
    fitness: float,
    outcomes: int,
    affect: Affect,
    before: Phase = "thriving",
    death: DeathPhase | None = None,
    markers: int = 0,
    dangers: int = 0,
    decisions: int = 0,
) -> Vitality:
    """Reads the three clocks.

    Args:
        tick: Current tick.
        age: Ticks since birth.
        budget: Budget at birth; 0 for none.
        spent: Spending less earnings.
        set_aside: Sum that was set aside at birth for the death.
        reserve: Rest of that sum.
        lifespan: Longest life in ticks; 0 for none.
        fitness: Discounted share of good outcomes.
        outcomes: Number of outcomes behind it.
        affect: Mood.
        before: Phase of life that was last reported.
        death: Phase of a death that has begun; None before.
        markers: Number of situations with a marker.
        dangers: Number of these that surely end badly more often than others.
        decisions: Number of situations in the decision cache.
    """
    spendable = max(0.0, budget - set_aside)
    left = max(0.0, spendable - spent)
    economic = min(1.0, left / spendable) if spendable else 0.0 if budget else 1.0
    stochastic = survival(age, lifespan)
    value = economic * fitness * stochastic
    burn_rate = spent / max(1, age)
    clocks: tuple[tuple[Cause, bool], ...] = (
        ("economic", economic <= 0.0),
        ("epistemic", fitness < SENESCENCE),
        ("stochastic", stochastic <= 0.0),
    )
    return Vitality(
        tick=tick,
        value=value,
        phase=phase_after(before, value),
        economic=economic,
        epistemic=fitness,
        stochastic=stochastic,
        mortal=bool(budget or lifespan),
        budget=budget,
        left=left,
        reserve=reserve,
        burn_rate=burn_rate,
        ticks_left=left / burn_rate if budget and burn_rate > 0 else None,
        outcomes=outcomes,
        age=age,
        lifespan=lifespan,
        hayflick_ratio=age / lifespan if lifespan else 0.0,
        affect=affect,
        dying=tuple(name for name, has_run_out in clocks if has_run_out),
        death=death,
        markers=markers,
        dangers=dangers,
        decisions=decisions,
        spent=spent,
    )
