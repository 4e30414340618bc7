"""Days at which facts were noted, were confirmed, and ended, from the episodes behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bardo.clock import MICROSECONDS, YEAR_2000
from bardo.consolidate.pages.wording import is_of_ancestor
from bardo.model import Episode, Fact

#: Entry of the metadata of a fact of a testament that was over: instant of its end, microseconds UTC.
ENDED_AT = "ended_at"


@dataclass(frozen=True, slots=True)
class FactDates:
    """Instants of facts, in microseconds UTC.

    Args:
        episodes: Returns the episodes of ids, None where there is none.
        moment: Returns the instant of a tick, None if no record tells it.
        agent: Name of the agent; empty if it is not known.
        ends: Instants at which inherited facts ended in an ancestor's life, by id.
    """

    episodes: Callable[[Sequence[str]], Sequence[Episode | None]]
    moment: Callable[[int], int | None]
    agent: str = ""
    ends: Mapping[str, int] = field(default_factory=dict)

    def noted(self, fact: Fact) -> tuple[int | None, int | None]:
        """When the fact was noted first and last; None where that is unknown, as of a claim without times.

        What an ancestor noted has the ancestor's times, also once outcomes alone have made it the agent's own.
        """
        if fact.source not in ("self", "derived", "upload", "dream") or self._is_handed_down(fact):
            return self._of_ancestor(fact)
        ends = self.episodes([fact.evidence[0], fact.evidence[-1]]) if fact.evidence else ()
        lived = [episode.at for episode in ends if episode is not None]
        if not lived:
            return fact.created_at or None, fact.created_at or None
        if fact.support > len(fact.evidence):
            # Only the latest evidence is kept.
            return self.moment(fact.observed[0]) or min(lived), max(lived)
        return min(lived), max(lived)

    def _is_handed_down(self, fact: Fact) -> bool:
        """Whether the agent has no evidence of its own for a fact of an ancestor."""
        return bool(self.agent) and is_of_ancestor(fact, self.agent) and not fact.evidence

    @staticmethod
    def _of_ancestor(fact: Fact) -> tuple[int | None, int | None]:
        """Times of an ancestor's evidence: inheriting has converted them to seconds of the epoch.

        Ticks that are no seconds lie before the year 2000, or after the inheritance.
        """
        first, last = (second * MICROSECONDS for second in fact.observed)
        is_known = YEAR_2000 <= first <= last <= fact.created_at
        return (first, last) if is_known else (None, None)

    def confirmed(self, fact: Fact) -> int | None:
        """When the fact was confirmed last; None if it was never since its creation, or when is unknown."""
        return self.moment(fact.reinforced_tick) if fact.reinforced_tick > fact.created_tick else None

    def ended(self, fact: Fact, states: Sequence[tuple[int, int | None, Fact]]) -> int | None:
        """When the fact ceased to be in force; None if that is unknown.

        What was over already at its inheritance ended when the ancestor says, not at the inheritance.

        Args:
            fact: Fact that is no longer in force.
            states: Its states and those of facts that it replaced or was replaced by, oldest first.
        """
        if fact.statement is not None and fact.statement.until is not None:
            return fact.statement.until
        own = [then for _, _, then in states if then.id == fact.id]
        # An inherited tombstone is superseded, without a link to its successor: the heir has ended others itself.
        is_tombstone = (
            fact.source == "testament" and fact.status == "superseded" and fact.superseded_by is None
        )
        if is_tombstone and own and own[0].status != "active":
            return self.ends.get(fact.id)
        ends = (
            from_tick for from_tick, _, then in states if then.id == fact.id and then.status == fact.status
        )
        recorded = next((self.moment(tick) for tick in ends), None)
        if fact.superseded_by is None or recorded is None:
            return recorded
        # Its successor may have been said long before the pass that read it.
        successor = next((then for _, _, then in reversed(states) if then.id == fact.superseded_by), None)
        said = self.noted(successor)[0] if successor is not None else None
        return recorded if said is None else min(recorded, said)
