"""Days at which facts were noted, were confirmed, and ended, from the episodes behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bardo.clock import YEAR_2000
from bardo.model import Episode, Fact


@dataclass(frozen=True, slots=True)
class FactDates:
    """Instants of facts, in microseconds UTC.

    Args:
        episodes: Returns the episodes of ids, None where there is none.
        moment: Returns the instant of a tick, None if no record tells it.
    """

    episodes: Callable[[Sequence[str]], Sequence[Episode | None]]
    moment: Callable[[int], int | None]

    def noted(self, fact: Fact) -> tuple[int | None, int | None]:
        """When the fact was noted first and last; None where that is unknown, as of a claim without times.

        What an ancestor noted has its ticks, which are seconds if they lie between the year 2000 and the adoption.
        """
        if fact.source not in ("self", "derived", "upload", "dream"):
            told = [self.moment(tick) for tick in fact.observed]
            first, last = ((at if at and YEAR_2000 <= at <= fact.created_at else None) for at in told)
            return (first, last) if first and last else (None, None)
        ends = self.episodes([fact.evidence[0], fact.evidence[-1]]) if fact.evidence else ()
        lived = [episode.at for episode in ends if episode is not None]
        if not lived:
            return fact.created_at or None, fact.created_at or None
        if fact.support > len(fact.evidence):
            # Only the latest evidence is kept.
            return self.moment(fact.observed[0]) or min(lived), max(lived)
        return min(lived), max(lived)

    def confirmed(self, fact: Fact) -> int | None:
        """When the fact was confirmed last; None if it was never since its creation, or when is unknown."""
        return self.moment(fact.reinforced_tick) if fact.reinforced_tick > fact.created_tick else None

    def ended(self, fact: Fact, states: Sequence[tuple[int, int | None, Fact]]) -> int | None:
        """When the fact ceased to be in force; None if that is unknown.

        Args:
            fact: Fact that is no longer in force.
            states: Its states and those of facts that it replaced or was replaced by, oldest first.
        """
        if fact.statement is not None and fact.statement.until is not None:
            return fact.statement.until
        for from_tick, _, then in states:
            if then.id == fact.id and then.status == fact.status:
                return self.moment(from_tick)
        return None
