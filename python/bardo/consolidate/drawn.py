"""Facts of texts, with their effects on what was known before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bardo.consolidate.clause import Clause
from bardo.model import Fact


class Resolution(NamedTuple):
    """Effect on an older fact, in the order in which `FactStore.upsert_resolved` takes it.

    Args:
        place: Place of the newer fact among the new ones.
        newer: Id of the newer fact; None if it is a new one.
        older: Id of the older fact.
        ends: Whether the older fact ends; otherwise both are disputed.
        since: First instant at which the newer one holds, microseconds UTC; None if unknown.
        rule: Rule of the judgement.
    """

    place: int
    newer: str | None
    older: str
    ends: bool
    since: int | None
    rule: str


class Correction(NamedTuple):
    """Effect on an older episode.

    Args:
        newer: Id of the newer episode.
        older: Id of the older one.
        weight: What the newer one says of it: `ENDED`, `DISPUTED`, `PRESUMED` or `FOLLOWED`.
    """

    newer: str
    older: str
    weight: float


@dataclass(slots=True)
class Older:
    """An older record that a clause may correct.

    Args:
        id: Its id.
        is_fact: Whether it is a fact, not an episode.
        clauses: Its clauses.
        evidence: Episodes of a fact.
        is_outright: Whether a caller stated its subject, attribute and value.
    """

    id: str
    is_fact: bool
    clauses: Sequence[Clause]
    evidence: tuple[str, ...] = ()
    is_outright: bool = False


@dataclass(slots=True)
class Drawn:
    """Facts of some texts with their effects.

    Args:
        facts: New facts.
        resolutions: Effects on older facts.
        corrections: Effects on older episodes.
        judged: Texts of the clauses that were judged, in lower case.
        compared: Earlier records with which the texts were compared, by id.
    """

    facts: list[Fact] = field(default_factory=list)
    resolutions: list[Resolution] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)
    judged: set[str] = field(default_factory=set)
    compared: dict[str, Older] = field(default_factory=dict)

    def with_each_older_once(self) -> Drawn:
        """These effects, of those on one older fact an end before a dispute, and the first before others."""
        by_older: dict[str, Resolution] = {}
        for resolution in self.resolutions:
            known = by_older.get(resolution.older)
            if known is None or (resolution.ends and not known.ends):
                by_older[resolution.older] = resolution
        self.resolutions = list(by_older.values())
        return self

    def with_facts(self, facts: Sequence[Fact | None]) -> Drawn:
        """These effects with others in the places of the facts; the effects of a None leave with it."""
        places = {old: new for new, old in enumerate(place for place, fact in enumerate(facts) if fact)}
        self.facts = [fact for fact in facts if fact]
        self.resolutions = [
            each if each.newer else each._replace(place=places[each.place])
            for each in self.resolutions
            if each.newer or each.place in places
        ]
        return self

    def place_of(self, fact: Fact) -> int:
        """Place of a new fact: that of a fact of its episode with which its text begins, and which it replaces."""
        for place, other in enumerate(self.facts):
            is_of_episode = other.evidence[:1] == fact.evidence[:1] and other.statement is None
            if is_of_episode and fact.text.startswith(other.text):
                return place
        return len(self.facts)
