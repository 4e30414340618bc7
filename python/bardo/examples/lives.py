"""Three generations that live on the market one after the other, each booted from the testament of the last."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bardo
from bardo.examples import homes, trader
from bardo.examples.market import STOCKS, Day
from bardo.examples.trader import DAYS_PER_WEEK, Decision, Terms
from bardo.model import Fact
from bardo.ports import ManualClock, Progress

if TYPE_CHECKING:
    from bardo.bequeath.testament import Testament
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.grimoire.grimoire import Grimoire
    from bardo.recall.recollection import Recollection

GENERATIONS = 3
#: Facts recalled for one decision.
FACTS_PER_DECISION = 10
#: Importances on verification are rounded to this, so that a week's days are verified in few durable writes.
IMPORTANCE_STEP = 0.25
#: Fields of a pass's report that are summed over all passes of the Curator.
SUMS = (
    "passes",
    "episodes",
    "facts_new",
    "facts_reinforced",
    "facts_confirmed",
    "facts_refuted",
    "entries_pruned",
)
ECONOMIC, TERM = "economic", "end of term"


#: Kind of fact, regime, and whether it was still only handed down.
Curve = tuple[str, str, bool]


@dataclass(slots=True)
class Life:
    """One life as it went.

    Args:
        agent: Name.
        generation: 0 for the founder.
        first: Its first day, as an index into all days.
        inherited: Facts at birth that were handed down.
        days: Days lived.
        wealth: At each close.
        exposure: Share in stocks over each day.
        curves: Confidence of the tracked facts over time, by kind, regime and whether it was still only handed down.
        totals: Sums over the Curator's passes.
        outcomes: How many outcomes strengthened and weakened memories.
        inherited_share: At each decision, the weight of inherited memories in it.
        spoken_against: Ids of the inherited facts that the Curator found refuted by the agent's own statistics.
        confirmed: Inherited facts that became its own.
        refuted: Inherited facts that its own statistics spoke against.
        doubted: Inherited facts that lost confidence, since acting on them went badly.
        faded: Inherited facts that were never put to the test.
        cause: Of death.
        first_recollection: What it recalled for its first decision that found anything.
        last_recollection: What it recalled for its last decision.
        testament: What it left.
    """

    agent: str
    generation: int
    first: int
    inherited: list[Fact] = field(default_factory=list)
    days: list[Day] = field(default_factory=list)
    wealth: list[float] = field(default_factory=list)
    exposure: list[float] = field(default_factory=list)
    curves: dict[Curve, dict[int, float]] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(
        default_factory=lambda: {"good": 0, "bad": 0, "reinforced": 0, "weakened": 0}
    )
    inherited_share: list[float] = field(default_factory=list)
    spoken_against: set[str] = field(default_factory=set)
    confirmed: list[Fact] = field(default_factory=list)
    refuted: list[Fact] = field(default_factory=list)
    doubted: list[Fact] = field(default_factory=list)
    faded: list[Fact] = field(default_factory=list)
    cause: str = ""
    first_recollection: Recollection | None = None
    last_recollection: Recollection | None = None
    testament: Testament | None = None


class Trader:
    """One agent at work: it remembers each week, sleeps when due, recalls, decides, and pays for its living.

    Args:
        grimoire: Its memory; every tick is a trading day of its life.
        clock: Follows the closes.
        terms: Of the life.
        life: Where it is recorded.
    """

    def __init__(self, grimoire: Grimoire, clock: ManualClock, terms: Terms, life: Life) -> None:
        self._grimoire = grimoire
        self._clock = clock
        self._terms = terms
        self.life = life
        self._decision = Decision(terms.habit)
        self._used: Recollection | None = None
        self._waiting: list[tuple[str, Day]] = []
        self._reviewed = 0
        self._wealth = terms.budget

    def live(self, days: Sequence[Day], tell: Callable[[int], None]) -> None:
        """Lives the days until they or the money run out; the last close is a close like any other."""
        for start in range(0, len(days), DAYS_PER_WEEK):
            week = self._spend(days[start : start + DAYS_PER_WEEK])
            self._clock.set(week[-1].closed_at)
            self._remember(week)
            self._judge(week)
            self._pass_time(week[-1])
            tell(len(self.life.days))
            if self.is_ruined:
                self._grimoire.learn(trader.last_words(week[-1].before, self.life.exposure[-1]))
                self.life.cause = ECONOMIC
                return
            self._decide(week[-1])
        self.life.cause = TERM

    @property
    def is_ruined(self) -> bool:
        """Whether only the reserve for the testament is left."""
        return self._wealth <= self._terms.reserve

    def _spend(self, week: Sequence[Day]) -> list[Day]:
        """The days of the week that are lived to the end, with last week's decision in force."""
        lived = []
        for day in week:
            self._wealth *= 1.0 + self._decision.exposure * day.returns[STOCKS]
            self._wealth -= self._terms.living_cost_per_day
            self.life.wealth.append(max(self._wealth, 0.0))
            self.life.exposure.append(self._decision.exposure)
            self.life.days.append(day)
            lived.append(day)
            if self.is_ruined:
                break
        return lived

    def _remember(self, week: Sequence[Day]) -> None:
        """One durable batch; every day but the last has its outcome by now and is verified by it."""
        first = len(self.life.days) - len(week) + 1
        stored = self._grimoire.remember(
            [trader.episode_of(day, first + place) for place, day in enumerate(week)]
        )
        self._waiting += [(episode.id, day) for episode, day in zip(stored, week, strict=True)]
        by_importance: dict[float, list[str]] = {}
        for (episode_id, day), (_, following) in zip(self._waiting, self._waiting[1:], strict=False):
            found = trader.surprise(following.returns[STOCKS], day.volatility)
            by_importance.setdefault(round(found / IMPORTANCE_STEP) * IMPORTANCE_STEP, []).append(episode_id)
        for importance, ids in sorted(by_importance.items()):
            self._grimoire.episodes.verify(ids, importance=importance)
        self._waiting = self._waiting[-1:]

    def _judge(self, week: Sequence[Day]) -> None:
        """Tells the memories that were used what came of them, and keeps a hard loss as a warning."""
        gain = 1.0
        for day in week:
            gain *= 1.0 + day.returns[STOCKS]
        fallen = -self._decision.exposure * (gain - 1.0)
        if fallen > trader.HARD_LOSS:
            self._grimoire.learn(trader.warning_of(week[0].before, fallen))
        if self._used is None or not self._used:
            return
        value = trader.verdict(self._decision, gain - 1.0, week[0].volatility, self._terms)
        if abs(value) < trader.QUIET_OUTCOME:
            return
        stance = trader.stance_of(self._decision.exposure)
        how = "went well" if value > 0 else "went badly"
        note = f"In the week to {week[-1].date}, to {stance} after a {week[0].before} market {how}."
        report = self._grimoire.outcome(self._used, value=value, note=note)
        self.life.outcomes["good" if value > 0 else "bad"] += 1
        self.life.outcomes["reinforced"] += report.reinforced
        self.life.outcomes["weakened"] += report.weakened

    def _pass_time(self, day: Day) -> None:
        tick = len(self.life.days)
        report = self._grimoire.tick(tick)
        if report is None:
            return
        self.count(report)
        if tick - self._reviewed >= trader.REVIEW_TICKS:
            self._reviewed = tick
            self._review()
        self._measure(tick)

    def count(self, report: CuratorCycleComplete) -> None:
        """Adds what the Curator did to the sums of the life."""
        totals = self.life.totals
        for name in SUMS:
            totals[name] = totals.get(name, 0) + getattr(report, name)
        self.life.spoken_against.update(report.refuted)

    def _review(self) -> None:
        """Twice a year: new rules of thumb from the agent's own statistics; from then on only outcomes move them.

        A rule that was handed down and that its own statistics lead to as well becomes its own.
        """
        grimoire = self._grimoire
        own = [fact for fact in grimoire.facts.list(kind="baseline") if not is_inherited(fact)]
        known = {fact.text for fact in grimoire.facts.list(kind="heuristic") if not is_inherited(fact)}
        rules = [rule for rule in trader.rules_from(own, self._terms) if rule.text not in known]
        if rules:
            grimoire.learn(rules)

    def _measure(self, tick: int) -> None:
        for fact in self._grimoire.facts.list():
            curve = curve_of(fact)
            if curve is not None:
                points = self.life.curves.setdefault(curve, {})
                points[tick] = max(points.get(tick, 0.0), self._grimoire.facts.confidence(fact))

    def _decide(self, day: Day) -> None:
        subject = trader.after(day.regime)
        found = self._grimoire.recall(
            trader.question(day.regime), subjects=[subject], layers=("fact",), limit=FACTS_PER_DECISION
        )
        decision = trader.decide(found, self._terms)
        self._wealth -= (
            abs(decision.exposure - self._decision.exposure) * self._wealth * self._terms.trading_cost
        )
        self._decision = decision
        # Credit and blame go to those memories that had a say, not to all that came up.
        said = tuple(memory for memory in found if memory.id in decision.said)
        self._used = dataclasses.replace(found, memories=said)
        self.life.inherited_share.append(decision.inherited_share)
        self.life.first_recollection = self.life.first_recollection or found
        self.life.last_recollection = found


def is_inherited(fact: Fact) -> bool:
    """Whether a fact was handed down and its holder has not confirmed it yet."""
    return fact.source == "testament"


def curve_of(fact: Fact) -> Curve | None:
    """The curve that a fact belongs to; None if it is not drawn."""
    regime = trader.regime_of(fact)
    if regime is None or fact.kind not in {"baseline", "heuristic", "warning"}:
        return None
    if fact.kind == "baseline" and fact.payload.get("metric") != trader.TARGET:
        return None
    return (fact.kind, regime, is_inherited(fact))


def live_and_die(
    days: Sequence[Day],
    folder: Path,
    *,
    terms: Terms,
    seed: int,
    embedder: Any,
    progress: Progress,
    tell: Callable[[Life], None],
) -> list[Life]:
    """Three lives in turn; each may last its share of the days that are left.

    Args:
        days: All of them, in order.
        folder: For the grimoires and testaments; must exist.
        terms: Of every life.
        seed: Of the ids and keys.
        embedder: As `bardo.open` takes it; None is the default model.
        progress: Told of every week.
        tell: Told of every life when it is over.

    Returns:
        The lives, oldest first.
    """
    lives: list[Life] = []
    first = 0
    for generation in range(GENERATIONS):
        term = (len(days) - first) // (GENERATIONS - generation)
        span = days[first : first + term]
        life = Life(agent=f"trader-{generation + 1}", generation=generation, first=first)
        clock = ManualClock(span[0].closed_at)
        options: dict[str, Any] = {
            "agent": life.agent,
            "clock": clock,
            "seed": seed + generation,
            "embedder": embedder,
        }
        home = homes.write_settings(
            folder / life.agent, agent=life.agent, tables=f"{homes.CLOCK}\n{homes.EMBEDDING}"
        )
        grimoire = (
            bardo.inherit(folder / f"{lives[-1].agent}.testament", home, **options)
            if lives
            else bardo.open(home, **options)
        )
        with grimoire:
            life.inherited = [fact for fact in grimoire.facts.list() if is_inherited(fact)]
            stage = f"{life.agent}, generation {generation}"
            at_work = Trader(grimoire, clock, terms, life)
            at_work.live(span, functools.partial(_step, progress, stage, len(span)))
            progress(stage, len(span), len(span))
            at_work.count(grimoire.sleep())
            _take_stock(grimoire, life)
            life.testament = grimoire.bequeath(folder / f"{life.agent}.testament", cause=life.cause)
        tell(life)
        lives.append(life)
        first += len(life.days)
    return lives


def _step(progress: Progress, stage: str, total: int, done: int) -> None:
    progress(stage, done, total)


def _take_stock(grimoire: Grimoire, life: Life) -> None:
    """Sorts the inherited facts: confirmed, refuted by statistics, doubted by outcomes, or never tested."""
    at_birth = {fact.id: fact for fact in life.inherited}
    for fact in grimoire.facts.list(status=None):
        if fact.id not in at_birth:
            continue
        if fact.id in life.spoken_against:
            life.refuted.append(fact)
        elif not is_inherited(fact):
            life.confirmed.append(fact)
        elif fact.confidence < at_birth[fact.id].confidence:
            life.doubted.append(fact)
        else:
            life.faded.append(fact)
