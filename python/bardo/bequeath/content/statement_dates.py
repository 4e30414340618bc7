"""Dates of facts that were learned late: those of the statements behind them, not of their recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from bardo._core import EpisodeLog
from bardo.clock import MICROSECONDS
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.model import Fact


def with_dates(
    facts: Iterable[Fact], log: EpisodeLog, moment: Callable[[int], int | None], *, tick: int
) -> tuple[Fact, ...]:
    """Returns facts, those of the life with the seconds of their first and last statement as their ticks.

    Args:
        facts: Facts of a life whose ticks are seconds.
        log: Episode log.
        moment: Returns the instant of a tick, None if no record tells it.
        tick: Tick of death.
    """
    dates = FactDates(log.get, moment, log.agent)
    return tuple(_with_dates(fact, dates, tick) for fact in facts)


def _with_dates(fact: Fact, dates: FactDates, tick: int) -> Fact:
    if fact.generation or not fact.evidence:
        return fact
    first, last = dates.noted(fact)
    if first is None or last is None or not 0 < first <= last <= tick * MICROSECONDS:
        return fact
    return replace(fact, observed=(first // MICROSECONDS, last // MICROSECONDS))
