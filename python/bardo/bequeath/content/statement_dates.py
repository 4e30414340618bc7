"""Dates that cross with facts: those of the statements behind them, not of their recording, and those of ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from bardo._core import EpisodeLog, FactStore
from bardo.bequeath.content.tables import TOMBSTONES
from bardo.clock import MICROSECONDS
from bardo.consolidate.pages.fact_dates import ENDED_AT, FactDates
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


def with_ends(
    facts: Iterable[Fact],
    store: FactStore,
    log: EpisodeLog,
    moment: Callable[[int], int | None],
    inherited: Mapping[str, int],
) -> tuple[Fact, ...]:
    """Returns facts, those that are over with the instant of their end in their metadata.

    Args:
        facts: Facts of a life.
        store: Its fact store.
        log: Episode log.
        moment: Returns the instant of a tick, None if no record tells it.
        inherited: Ends of inherited facts in an ancestor's life, by id.
    """
    dates = FactDates(log.get, moment, log.agent, inherited)
    return tuple(
        replace(fact, metadata={**fact.metadata, ENDED_AT: [str(at)]})
        if fact.status in TOMBSTONES
        and fact.kind != "baseline"
        and (at := dates.ended(fact, store.states(fact.id)))
        else fact
        for fact in facts
    )


def _with_dates(fact: Fact, dates: FactDates, tick: int) -> Fact:
    if fact.generation or not fact.evidence:
        return fact
    first, last = dates.noted(fact)
    if first is None or last is None or not 0 < first <= last <= tick * MICROSECONDS:
        return fact
    return replace(fact, observed=(first // MICROSECONDS, last // MICROSECONDS))
