"""Lint: the latest facts kept in order, daily or when asked; the core does it in one act of the journal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bardo import config
from bardo._core import FactStore, knowledge_gaps, lint_facts, rehearse_lint
from bardo._printed import printed
from bardo.consolidate.curator import Change
from bardo.ports import Progress, no_progress


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that the agent does not know and could ask.

    Args:
        kind: `contradiction` (two facts in force speak against each other), `unknown` (memories name it often, no fact
            speaks of it), `untried` (a heuristic without an outcome) or `unanswered` (it was asked at least
            twice, and no memory answered).
        question: Text of the question; for `unanswered` the query as it was put.
        facts: Ids of facts that it is about.
        entity: Who or what it is about.
        confirmed: Whether it was found at two different ticks: it is kept until it is answered.
        first_tick: When it was found first.
        last_tick: When it was found last.
        origin: Agent that asked it first, if it came with a testament; None for a question of the agent's own.
        generation: Lives between that agent and this one.
    """

    kind: Literal["contradiction", "unknown", "untried", "unanswered"]
    question: str
    facts: tuple[str, ...]
    entity: str | None
    confirmed: bool
    first_tick: int
    last_tick: int
    origin: str | None = None
    generation: int = 0

    __str__ = printed

    @property
    def inherited(self) -> bool:
        """Whether it came with a testament."""
        return self.origin is not None


@dataclass(frozen=True, slots=True)
class LintReport:
    """Report of a lint, or of its dry run.

    Args:
        tick: When.
        looked: Facts that were looked at: in force, among the latest 200; 0 if fewer than 5 are in force.
        merged: Pairs: the fact that stands for another from now on, and that other, which is its history.
        deprecated: Ids of facts that left for the cold tier: unimportant, neither renewed nor looked at for 60 days.
        recategorised: Ids of facts that were filed with their nearest neighbours.
        contradictions: Pairs that speak against each other and are linked from now on, the older first.
        open_questions: What is not known and could be asked (`g.curator.gaps`).
        act: Number of the act in the journal, by which it can be undone; None if nothing was done.
        changes: Facts that a dry run would change; empty after a real run.
    """

    tick: int
    looked: int = 0
    merged: tuple[tuple[str, str], ...] = ()
    deprecated: tuple[str, ...] = ()
    recategorised: tuple[str, ...] = ()
    contradictions: tuple[tuple[str, str], ...] = ()
    open_questions: int = 0
    act: int | None = None
    changes: tuple[Change, ...] = ()

    __str__ = printed

    @property
    def actions(self) -> int:
        """How many things it did."""
        return len(self.merged) + len(self.deprecated) + len(self.recategorised) + len(self.contradictions)

    def action(self, change: Change) -> Literal["merge", "replace", "deprecate", "recategorise"]:
        """Name of the change of one fact: `merge` to the fact that is kept, `replace` to the other."""
        id_ = change.after.id
        if id_ in self.deprecated:
            return "deprecate"
        if id_ in {gone for _, gone in self.merged}:
            return "replace"
        return "merge" if id_ in {kept for kept, _ in self.merged} else "recategorise"


def run(
    facts: FactStore,
    settings: config.Lint,
    *,
    tick: int,
    now: int,
    ticks_per_day: int,
    dry_run: bool = False,
    progress: Progress = no_progress,
) -> LintReport:
    """Puts the latest facts in order.

    Args:
        facts: What is known.
        settings: How many are looked at, and what counts as stale.
        tick: Now, in ticks.
        now: Now, in microseconds UTC.
        ticks_per_day: Ticks of the clock in one day.
        dry_run: Only say what would be done.
        progress: Told when it begins and ends.
    """
    progress("lint", 0, 1)
    stale = settings.stale_days * ticks_per_day
    changes: tuple[Change, ...] = ()
    if dry_run:
        done, found = rehearse_lint(facts, tick=tick, latest=settings.latest, stale_ticks=stale)
        changes = tuple(Change(before, after) for before, after in found)
    else:
        done = lint_facts(facts, tick=tick, now=now, latest=settings.latest, stale_ticks=stale)
    progress("lint", 1, 1)
    return LintReport(
        tick,
        looked=done.looked,
        merged=tuple(done.merged),
        deprecated=tuple(done.deprecated),
        recategorised=tuple(done.recategorised),
        contradictions=tuple(done.contradictions),
        open_questions=done.open_questions,
        act=done.act,
        changes=changes,
    )


def gaps(facts: FactStore) -> list[Gap]:
    """The open questions that the last lint found, confirmed ones first; then those that came with testaments."""
    return [
        Gap(kind, question, tuple(about), entity, confirmed, first, last, origin, generation)
        for kind, question, about, entity, confirmed, first, last, origin, generation in knowledge_gaps(facts)
    ]
