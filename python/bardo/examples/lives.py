"""Runs three generations of an agent on the market in turn, each with the testament of the previous one.

Beside each heir lives a twin of the same seed, which inherits nothing.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
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
    from bardo.bequeath.testament.testament import Testament
    from bardo.consolidate.curator import CuratorCycleComplete
    from bardo.grimoire.grimoire import Grimoire
    from bardo.recall.recollection import Recollection

GENERATIONS = 3
#: Number of facts recalled for a decision.
FACTS_PER_DECISION = 10
#: Rounding step of importances on verification, so that the days of a week are verified in few durable writes.
IMPORTANCE_STEP = 0.25
#: Fields of the Curator's report that are summed over all passes.
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
#: Suffix of the name of a twin.
TWIN = "-twin"


#: Kind of fact, regime, and whether it is inherited and not confirmed.
Curve = tuple[str, str, bool]


@dataclass(slots=True)
class Life:
    """Record of one life.

    Args:
        agent: Name of the agent.
        generation: Generation; 0 for the founder.
        first: Index of the first day in all days.
        inherited: Number of inherited facts at birth.
        days: Days lived.
        wealth: Wealth at each close.
        exposure: Share in stocks over each day.
        curves: Confidence of the tracked facts over time, by kind, regime and whether inherited and not confirmed.
        totals: Sums over the Curator's passes.
        outcomes: Numbers of outcomes that strengthened and weakened memories.
        inherited_share: Weight of inherited memories in each decision.
        spoken_against: Ids of the inherited facts that the agent's own statistics refuted.
        confirmed: Inherited facts confirmed by the agent.
        refuted: Inherited facts refuted by the agent's own statistics.
        doubted: Inherited facts that lost confidence after bad outcomes.
        faded: Inherited facts that were never tested.
        cause: Cause of death.
        first_recollection: Result of the first recall that found any memory.
        last_recollection: Result of the recall for the last decision.
        testament: Testament of the life; a twin leaves none.
        twin: Life of the twin of the same seed and days, which inherited nothing; None for a founder.
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
    twin: Life | None = None


class Trader:
    """Trading agent: records each week, sleeps when due, recalls, decides, and pays its living costs.

    Args:
        grimoire: Memory of the agent; every tick is a trading day.
        clock: Clock, set to each close.
        terms: Costs and limits of the life.
        life: Record of the life; updated in place.
    """

    def __init__(self, grimoire: Grimoire, clock: ManualClock, terms: Terms, life: Life) -> None:
        self.grimoire = grimoire
        self._clock = clock
        self._terms = terms
        self.life = life
        self._decision = Decision(terms.habit)
        self._used: Recollection | None = None
        self._waiting: list[tuple[str, Day]] = []
        self._reviewed = 0
        self._wealth = terms.budget

    def weeks(self, days: Sequence[Day]) -> Iterator[int]:
        """Runs the days until they or the money run out, and yields the days lived after each week.

        The last close is treated like any other.
        """
        for start in range(0, len(days), DAYS_PER_WEEK):
            week = self._spend(days[start : start + DAYS_PER_WEEK])
            self._clock.set(week[-1].closed_at)
            self._remember(week)
            self._judge(week)
            self._pass_time(week[-1])
            if self.is_ruined:
                self.grimoire.learn(trader.last_words(week[-1].before, self.life.exposure[-1]))
                self.life.cause = ECONOMIC
                yield len(self.life.days)
                return
            self._decide(week[-1])
            yield len(self.life.days)
        self.life.cause = TERM

    @property
    def is_ruined(self) -> bool:
        """Whether the wealth is down to the reserve for the testament."""
        return self._wealth <= self._terms.reserve

    def _spend(self, week: Sequence[Day]) -> list[Day]:
        """Applies last week's decision and the living costs; returns the completed days of the week."""
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
        """Records the week in one durable batch; every day but the last is verified by its outcome."""
        first = len(self.life.days) - len(week) + 1
        stored = self.grimoire.remember(
            [trader.episode_of(day, first + place) for place, day in enumerate(week)]
        )
        self._waiting += [(episode.id, day) for episode, day in zip(stored, week, strict=True)]
        by_importance: dict[float, list[str]] = {}
        for (episode_id, day), (_, following) in zip(self._waiting, self._waiting[1:], strict=False):
            found = trader.surprise(following.returns[STOCKS], day.volatility)
            by_importance.setdefault(round(found / IMPORTANCE_STEP) * IMPORTANCE_STEP, []).append(episode_id)
        for importance, ids in sorted(by_importance.items()):
            self.grimoire.episodes.verify(ids, importance=importance)
        self._waiting = self._waiting[-1:]

    def _judge(self, week: Sequence[Day]) -> None:
        """Reports the outcome to the memories that were used, and records a hard loss as a warning."""
        gain = 1.0
        for day in week:
            gain *= 1.0 + day.returns[STOCKS]
        fallen = -self._decision.exposure * (gain - 1.0)
        if fallen > trader.HARD_LOSS:
            self.grimoire.learn(trader.warning_of(week[0].before, fallen))
        if self._used is None or not self._used:
            return
        value = trader.verdict(self._decision, gain - 1.0, week[0].volatility, self._terms)
        if abs(value) < trader.QUIET_OUTCOME:
            return
        stance = trader.stance_of(self._decision.exposure)
        how = "went well" if value > 0 else "went badly"
        note = f"In the week to {week[-1].date}, to {stance} after a {week[0].before} market {how}."
        report = self.grimoire.outcome(self._used, value=value, note=note)
        self.life.outcomes["good" if value > 0 else "bad"] += 1
        self.life.outcomes["reinforced"] += report.reinforced
        self.life.outcomes["weakened"] += report.weakened

    def _pass_time(self, day: Day) -> None:
        tick = len(self.life.days)
        report = self.grimoire.tick(tick)
        if report is None:
            return
        self.count(report)
        if tick - self._reviewed >= trader.REVIEW_TICKS:
            self._reviewed = tick
            self._review()
        self._measure(tick)

    def count(self, report: CuratorCycleComplete) -> None:
        """Adds a Curator report to the sums of the life."""
        totals = self.life.totals
        for name in SUMS:
            totals[name] = totals.get(name, 0) + getattr(report, name)
        self.life.spoken_against.update(report.refuted)

    def _review(self) -> None:
        """Derives rules of thumb from the agent's own statistics twice a year; later only outcomes change them.

        An inherited rule that the agent's own statistics support as well is confirmed.
        """
        grimoire = self.grimoire
        own = [fact for fact in grimoire.facts.list(kind="baseline") if not is_inherited(fact)]
        known = {fact.text for fact in grimoire.facts.list(kind="heuristic") if not is_inherited(fact)}
        rules = [rule for rule in trader.rules_from(own, self._terms) if rule.text not in known]
        if rules:
            grimoire.learn(rules)

    def _measure(self, tick: int) -> None:
        for fact in self.grimoire.facts.list():
            curve = curve_of(fact)
            if curve is not None:
                points = self.life.curves.setdefault(curve, {})
                points[tick] = max(points.get(tick, 0.0), self.grimoire.facts.confidence(fact))

    def _decide(self, day: Day) -> None:
        subject = trader.after(day.regime)
        found = self.grimoire.recall(
            trader.question(day.regime), subjects=[subject], layers=("fact",), limit=FACTS_PER_DECISION
        )
        decision = trader.decide(found, self._terms)
        self._wealth -= (
            abs(decision.exposure - self._decision.exposure) * self._wealth * self._terms.trading_cost
        )
        self._decision = decision
        # Outcomes count for the memories that made a suggestion, not for all that were recalled.
        said = tuple(memory for memory in found if memory.id in decision.said)
        self._used = dataclasses.replace(found, memories=said)
        self.life.inherited_share.append(decision.inherited_share)
        self.life.first_recollection = self.life.first_recollection or found
        self.life.last_recollection = found


def is_inherited(fact: Fact) -> bool:
    """Whether a fact is inherited and not confirmed yet."""
    return fact.source == "testament"


def curve_of(fact: Fact) -> Curve | None:
    """Returns the curve of a fact; None if it is not drawn."""
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
    """Runs three lives in turn, and beside each heir its twin; each may last its share of the remaining days.

    Args:
        days: All days, in order.
        folder: Folder for the grimoires and testaments; must exist.
        terms: Costs and limits of every life.
        seed: Seed of the ids and keys.
        embedder: Embedder for `bardo.open`; None is the default model.
        progress: Callback after every week.
        tell: Callback after every life.

    Returns:
        Lives, oldest first.
    """
    lives: list[Life] = []
    first = 0
    for generation in range(GENERATIONS):
        term = (len(days) - first) // (GENERATIONS - generation)
        life = Life(agent=f"trader-{generation + 1}", generation=generation, first=first)
        stage = f"{life.agent}, generation {generation}"
        before = folder / f"{lives[-1].agent}.testament" if lives else None
        with ExitStack() as opened:
            home = _Home(folder, days[first : first + term], terms, seed + generation, embedder)
            at_work = home.enter(opened, life, before)
            traders = [at_work]
            if lives:
                life.twin = Life(agent=f"{life.agent}{TWIN}", generation=0, first=first)
                traders.append(home.enter(opened, life.twin, None))
            _side_by_side(traders, home.days, functools.partial(_step, progress, stage, len(home.days)))
            for one in traders:
                one.count(one.grimoire.sleep())
                _take_stock(one.grimoire, one.life)
            progress(stage, len(home.days), len(home.days))
            grimoire = at_work.grimoire
            life.testament = grimoire.bequeath(folder / f"{life.agent}.testament", cause=life.cause)
        tell(life)
        lives.append(life)
        first += len(life.days)
    return lives


def live_in_pair(
    days: Sequence[Day],
    folder: Path,
    agent: str,
    first: int,
    count: int,
    *,
    testament: Path,
    generation: int,
    terms: Terms,
    seed: int,
    embedder: Any,
) -> tuple[Life, Life]:
    """Runs an heir and its twin side by side.

    Args:
        days: All days, in order.
        folder: Folder for both grimoires; must exist.
        agent: Name of the heir.
        first: Index of the first day.
        count: Number of days.
        testament: Testament that the heir inherits.
        generation: Generation of the heir.
        terms: Costs and limits of both lives.
        seed: Seed of both.
        embedder: Embedder for `bardo.open`; None is the default model.

    Returns:
        Lives of the heir and of the twin.
    """
    heir = Life(agent=agent, generation=generation, first=first)
    twin = Life(agent=f"{agent}{TWIN}", generation=0, first=first)
    with ExitStack() as opened:
        home = _Home(folder, days[first : first + count], terms, seed, embedder)
        traders = [home.enter(opened, heir, testament), home.enter(opened, twin, None)]
        _side_by_side(traders, home.days, lambda _: None)
    return heir, twin


@dataclass(frozen=True, slots=True)
class _Home:
    """Conditions that an heir and its twin share.

    Args:
        folder: Folder for their grimoires.
        days: Days of their lives.
        terms: Costs and limits.
        seed: Seed of the ids and keys.
        embedder: Embedder for `bardo.open`.
    """

    folder: Path
    days: Sequence[Day]
    terms: Terms
    seed: int
    embedder: Any

    def enter(self, opened: ExitStack, life: Life, testament: Path | None) -> Trader:
        """Opens the memory of a life until the stack closes; an heir inherits a testament."""
        clock = ManualClock(self.days[0].closed_at)
        options: dict[str, Any] = {
            "agent": life.agent,
            "clock": clock,
            "seed": self.seed,
            "embedder": self.embedder,
        }
        home = homes.write_settings(
            self.folder / life.agent, agent=life.agent, tables=f"{homes.CLOCK}\n{homes.FACTS_ONLY}"
        )
        grimoire = bardo.inherit(testament, home, **options) if testament else bardo.open(home, **options)
        opened.enter_context(grimoire)
        life.inherited = [fact for fact in grimoire.facts.list() if is_inherited(fact)]
        return Trader(grimoire, clock, self.terms, life)


def _side_by_side(traders: Sequence[Trader], days: Sequence[Day], tell: Callable[[int], None]) -> None:
    """Runs lives week by week in turn, so that the texts of a week are embedded once for all of them."""
    running = [one.weeks(days) for one in traders]
    while running:
        lived = [next(life, None) for life in running]
        running = [life for life, done in zip(running, lived, strict=True) if done is not None]
        tell(max((done for done in lived if done is not None), default=len(days)))


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
