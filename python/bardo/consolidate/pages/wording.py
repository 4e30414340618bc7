"""Wording of compiled pages: single lines, counts, and rules in plain words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from bardo._patterns import lazy_pattern
from bardo.model import Fact

_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
#: A bound of a number in the condition of a rule: `momentum >= 0.5`.
_BOUND = lazy_pattern(r"(?<!\S)(\S+) (>=|<=|>|<) (-?[\d.]+(?:e[-+]?\d+)?)(?= and |$)")
#: The generalised form in which a bound is inherited: `momentum is high`.
_LEVEL = lazy_pattern(r"(\S+) is (high|low)")
#: Means and numbers of cases in the text of a measured rule.
_CASES = lazy_pattern(r": (\S+) on average in ([\d,]+) cases, (\S+) in the other ([\d,]+)$")
#: Failure rates in a warning by the Curator (`rust/bardo-core/src/consolidate/failure_rates.rs`).
RATES = (
    r" \(severe in [\d,]+ of [\d,]+ such cases(?: and [\d,]+ of [\d,]+ others)?"
    r"(?:; (?P<verdict>(?:not )?surely more often(?:, on average (?:lower|higher))?|on average (?:lower|higher)))?\)"
)
_RATES = lazy_pattern(RATES)
_UNSURPRISING = frozenset({"not surely more often", "not surely more often, on average higher"})
_SIGNS = {">=": "is at least", ">": "is above", "<=": "is at most", "<": "is below"}
#: Last words of outcomes that are 1 or 0, of which a mean is a share.
_SHARES = lazy_pattern(
    r"(?i)(?:^|[\s._])(?:success|successful|succeeded|ok|passed|healthy|won|done|solved|correct|accepted|failure|failed|error|"
    r"rejected|rolled_back)(?= is (?:higher|lower)$)"
)
#: Path of an action in a condition: `action is buy`, `order.side is long`.
_ACTION = lazy_pattern(r"(^| and )(?:[\w.]*\.)?(?:action|decision|side|strategy) is ")


def one_line(text: str) -> str:
    """A text on one line, which opens no comment."""
    return " ".join(_CONTROL.sub(" ", text).split()).replace("<!--", "&lt;!--")


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 fact`, `1,023 facts`, `2 entries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def short(number: float) -> str:
    """A number with three significant digits."""
    return f"{number:.3g}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the Curator states it.

    Args:
        condition: When it applies; empty for always.
        action: Action in it; empty for none.
        outcome: Effect on the outcome, such as `pnl is higher`.
        effect: Size of the effect; only its sign counts without an interval.
        interval: 95 % interval of the effect; None if its size is unknown, as of an inherited rule.
        decisions: Decisions on which it was tested.
    """

    condition: str
    action: str
    outcome: str
    effect: float
    interval: tuple[float, float] | None
    decisions: int

    @classmethod
    def of(cls, fact: Fact) -> Self | None:
        """Reads the rule that a fact states; None for a warning, which tells what happened and no general effect."""
        return None if fact.kind == "warning" else cls.read(fact)

    @classmethod
    def read(cls, fact: Fact) -> Self | None:
        """Reads the parts in the payload of a rule or warning; None if it has none."""
        payload = fact.payload
        if payload.get("type") != "heuristic":
            return None
        condition, action, outcome = (
            one_line(str(payload.get(name) or "")) for name in ("condition", "action", "outcome")
        )
        if not outcome or not (condition or action):
            return None
        low, high = (float(end) for end in payload.get("interval") or (0.0, 0.0))
        return cls(
            condition, action, outcome, float(payload.get("effect") or 0.0),
            (low, high) if low < high and low * high > 0 else None, int(payload.get("n") or 0),
        )  # fmt: skip

    @property
    def key(self) -> frozenset[str]:
        """Equal for rules that differ in the bounds of their conditions alone."""
        parts = set()
        for part in f"{self.condition} and {self.action}".split(" and "):
            if bound := _BOUND.fullmatch(part):
                parts.add(f"{bound[1]} is {'high' if '>' in bound[2] else 'low'}")
            elif level := _LEVEL.fullmatch(part):
                parts.add(f"{level[1]} is {level[2]}")
            elif part:
                parts.add(part.casefold())
        return frozenset({*parts, f"=> {self.outcome}"})

    @property
    def sentence(self) -> str:
        """The rule as an observation: `When momentum is at least 0.5, pnl is higher by 0.3`."""
        given = " and ".join(part for part in (self.condition, self.action) if part)
        return f"When {plain(given)}, {self._effect}"

    @property
    def likely(self) -> str:
        """The interval of its effect in words; empty if that is unknown."""
        if self.interval is None:
            return ""
        low, high = sorted(map(abs, self.interval))
        return f"likely {low:.2g} to {high:.2g}"

    @property
    def advice(self) -> str:
        """The rule as advice: `When momentum is at least 0.5, prefer buy: pnl is higher by 0.3`."""
        if not self.action:
            return f"When {plain(self.condition)}, expect that {self._effect}"
        verb = "prefer" if self.effect >= 0 else "avoid"
        action = plain(_ACTION.sub(r"\1", self.action))
        advice = f"{verb} {action}: {self._effect}"
        return f"When {plain(self.condition)}, {advice}" if self.condition else advice[0].upper() + advice[1:]

    @property
    def _effect(self) -> str:
        return self.outcome if self.interval is None else f"{self.outcome} by {short(abs(self.effect))}"

    def evidence(self, fact: Fact, agent: str) -> str:
        """Its evidence in brief: `holds in 42 of 58 decisions`.

        Args:
            fact: Fact that states it.
            agent: Name of the agent; of an inherited rule, only the agent's own decisions count.
        """
        if is_of_ancestor(fact, agent):
            return f"confirmed by {counted(fact.support, 'decision')} here"
        if (shares := self._shares(fact)) is not None:
            return shares
        if 0 < (cases := cases_of(fact)) <= self.decisions:
            # A bare "165 of 241" would read as a share of successes.
            return f"holds in {cases:,} of {counted(self.decisions, 'decision')}"
        return counted(cases, "decision")

    def _shares(self, fact: Fact) -> str | None:
        """Both shares of an outcome that is 1 or 0: `82 % of 165 decisions, else 41 % of 76`; None for any other."""
        measured = Figures.of(fact.text)
        if measured is None or not _SHARES.search(self.outcome):
            return None
        if not (0 <= measured.mean <= 1 and 0 <= measured.others_mean <= 1):
            return None
        inside = f"{_percent(measured.mean)} of {counted(measured.cases, 'decision')}"
        return f"{inside}, else {_percent(measured.others_mean)} of {measured.others:,}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures in the text of a measured rule.

    Args:
        mean: Mean outcome of the decisions in which its conditions held, in the unit of the outcome.
        cases: Number of these decisions.
        others_mean: Mean outcome of the other decisions.
        others: Number of the other decisions.
    """

    mean: float
    cases: int
    others_mean: float
    others: int

    @classmethod
    def of(cls, text: str) -> Self | None:
        """Reads the figures in the text of a rule; None if it states none."""
        if (found := _CASES.search(text)) is None:
            return None
        try:
            means = [float(found[group].replace(",", "")) for group in (1, 3)]
        except ValueError:
            return None
        cases, others = (int(found[group].replace(",", "")) for group in (2, 4))
        return cls(means[0], cases, means[1], others)

    @property
    def middle(self) -> float:
        """Value half way between both means."""
        return (self.mean + self.others_mean) / 2


def is_unsurprising(fact: Fact) -> bool:
    """Whether a warning says that its conditions make no difference: neither to failures nor to the mean outcome.

    With many conditions the worst failure under each is no news.
    """
    rates = _RATES.search(fact.text)
    return fact.kind == "warning" and rates is not None and rates["verdict"] in _UNSURPRISING


def cases_of(fact: Fact) -> int:
    """Number of decisions in which the conditions of a rule held, as its text states it; else that of its support.

    Support also counts later confirmations, which are no measured decisions.
    """
    measured = Figures.of(fact.text)
    return measured.cases if measured else fact.support


def is_of_ancestor(fact: Fact, agent: str) -> bool:
    """Whether another agent learned a fact first."""
    return bool(fact.origin) and fact.origin != agent


def plain(condition: str, told: Collection[str] = ()) -> str:
    """Conditions as a person would say them: `momentum is at least 0.5`.

    A subject that is told already, or that a feature names too, is left out.

    Args:
        condition: Conditions of a rule.
        told: Subjects that stand before the conditions.
    """
    parts = condition.split(" and ")
    words = [part.partition(" is ") for part in parts]
    named = {word for path, _, word in words if word and path != "subject"}
    kept = [
        part
        for part, (path, _, word) in zip(parts, words, strict=True)
        if word not in told and not (path == "subject" and word in named)
    ]
    stated = " and ".join(kept or parts)
    return _BOUND.sub(lambda bound: f"{bound[1]} {_SIGNS[bound[2]]} {bound[3]}", stated)
