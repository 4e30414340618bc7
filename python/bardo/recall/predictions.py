"""Predictions of rules: what a rule states about an outcome, and how far an outcome bears it out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from bardo.consolidate.pages.wording import Figures
from bardo.life.history import ACTION, NO_FEATURES, NORMAL_975, VALUE
from bardo.model import Episode, Fact
from bardo.recall.situation import (
    ACTION_PATHS,
    Condition,
    Situation,
    is_measured,
    is_of_others,
    parse_conditions,
)

#: Outcomes of other decisions from which their distribution is known, as for severe failures.
LEAST_OTHERS = 30
#: Factor by which groups of cases may differ in size and still be near equal.
_NEAR_EQUAL = 1.5


@dataclass(frozen=True, slots=True)
class Earlier:
    """Earlier outcome of a decision.

    Args:
        decision: Features of the decision, with its action if it is known.
        value: Outcome, from -1 to 1.
    """

    decision: Situation
    value: float

    @classmethod
    def of(cls, outcome: Episode) -> Self:
        """Reads an episode that `outcome` recorded."""
        payload = outcome.payload
        features = {name: each for name, each in payload.items() if name not in NO_FEATURES}
        action = features.pop(ACTION, None)
        taken = (action,) if isinstance(action, str) else ()
        return cls(Situation(features, outcome.subjects, taken), float(payload[VALUE]))


@dataclass(slots=True)
class EarlierOutcomes:
    """Earlier outcomes that are read once they are needed.

    Args:
        read: Reads the episodes of outcomes.
    """

    read: Callable[[], Sequence[Episode]]
    _known: list[Earlier] | None = None

    def __iter__(self) -> Iterator[Earlier]:
        if self._known is None:
            self._known = [Earlier.of(episode) for episode in self.read()]
        return iter(self._known)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Prediction of a heuristic: its outcome is higher, or lower, under its conditions than in other cases.

    Args:
        subjects: Subjects of the decisions that it is about; any, if empty.
        conditions: Conditions, all of which must hold.
        outcome: Path of the outcome.
        is_higher: Whether it predicts a higher outcome under its conditions.
        figures: Means and numbers of the cases; None if it states none.
        deviation: Standard deviation of the outcome; 0 if it is unknown.
    """

    subjects: tuple[str, ...]
    conditions: tuple[Condition, ...]
    outcome: str
    is_higher: bool
    figures: Figures | None = None
    deviation: float = 0.0

    @classmethod
    def of(cls, fact: Fact) -> Self | None:
        """Reads the prediction of a heuristic; None for any other fact, or an effect in free words."""
        payload = fact.payload
        outcome, _, effect = str(payload.get("outcome", "")).rpartition(" is ")
        if fact.kind != "heuristic" or payload.get("type") != "heuristic" or not outcome:
            return None
        if effect not in ("higher", "lower"):
            return None
        told = (str(payload.get(name, "")) for name in ("condition", "action"))
        conditions = tuple(condition for part in told for condition in parse_conditions(part))
        figures = Figures.of(fact.text)
        deviation = 0.0
        if figures is not None and figures.cases and figures.others:
            low, high = payload.get("interval") or (0.0, 0.0)
            error = (high - low) / 2 / NORMAL_975
            deviation = error / math.sqrt(1 / figures.cases + 1 / figures.others)
        return cls(fact.subjects, conditions, outcome, effect == "higher", figures, deviation)

    @property
    def has_other_reading(self) -> bool:
        """Whether the rule is also worth stating where its condition does not hold.

        A rule of one condition divides all cases in two groups. The other group is worth stating if it departs from the
        normal: if it is the smaller one, or, at near equal sizes, the one with the lower outcome.
        """
        if len(self.conditions) != 1 or self.figures is None:
            return False
        (condition,) = self.conditions
        if not is_measured(condition) or condition.path.rpartition(".")[2] in ACTION_PATHS:
            return False
        most = self.figures.cases * _NEAR_EQUAL if self.is_higher else self.figures.cases / _NEAR_EQUAL
        return 0 < self.figures.others <= most

    def is_otherwise(self, situation: Situation) -> bool:
        """Whether the other reading of the rule holds in a situation: its single condition does not."""
        return self.has_other_reading and self.conditions[0].holds(situation) is False

    def evidence(
        self, value: float, earlier: Iterable[Earlier], *, holds: bool = True, measured: float | None = None
    ) -> float | None:
        """Evidence of an outcome for the rule, from -1 (against it) to 1; None if the outcome says nothing.

        An outcome that the rule measures itself is judged by the log likelihood ratio of two normal distributions,
        around the mean of its cases and around that of the others, with the deviation that its interval implies. Any
        other one has another scale: it is judged by its rank among the outcomes of decisions in which the conditions
        were otherwise (`LEAST_OTHERS` of the same subjects). With fewer, the sign of the outcome decides, if the rule
        states no figures, or means on either side of 0.

        Args:
            value: Outcome, from -1 to 1.
            earlier: Earlier outcomes; read only if they are needed.
            holds: Whether the conditions held in the decision.
            measured: Outcome of the decision that the rule measures, in its own unit; None if it is not known.
        """
        sign = 1.0 if self.is_higher == holds else -1.0
        figures = self.figures
        if measured is None and figures is not None and self._is_of_scale(figures):
            measured = value
        if measured is not None and figures is not None:
            if self.deviation <= 0:
                return math.copysign(1.0, sign * (measured - figures.middle))
            ratio = abs(figures.mean - figures.others_mean) * (measured - figures.middle) / self.deviation**2
            return sign * max(-1.0, min(1.0, ratio))
        others = [one.value for one in earlier if self._is_other(one.decision, holds=holds)]
        if len(others) >= LEAST_OTHERS:
            return sign * _rank(value, others)
        if figures is None or figures.mean * figures.others_mean < 0:
            return sign * value
        return None

    def _is_of_scale(self, figures: Figures) -> bool:
        return self.outcome == VALUE and max(abs(figures.mean), abs(figures.others_mean)) <= 1.0

    def _is_other(self, decision: Situation, *, holds: bool) -> bool:
        """Whether a decision is of the same subjects, and for certain not under the same conditions."""
        if is_of_others(self.subjects, decision.subjects):
            return False
        met = [held(condition, decision) for condition in self.conditions]
        return any(each is False for each in met) if holds else bool(met) and all(met)


def held(condition: Condition, decision: Situation) -> bool | None:
    """Whether a condition held in a decision; one on a word that its features do not tell may be on the action."""
    known = condition.holds(decision)
    if known is not None or not condition.is_word or len(decision.actions) != 1:
        return known
    is_taken = Condition("action", condition.sign, condition.value).holds(
        Situation({"action": decision.actions[0]})
    )
    return is_taken if is_taken or condition.path.rpartition(".")[2] in ACTION_PATHS else None


def _rank(value: float, others: Sequence[float]) -> float:
    """Share of lower values less the share of higher ones, from -1 to 1."""
    return (sum(other < value for other in others) - sum(other > value for other in others)) / len(others)
