"""Facts of inherited episodes beside inherited facts: an ancestor read the episodes, and concluded the facts later."""

from __future__ import annotations

from collections.abc import Sequence

from bardo import _core
from bardo._core import FactStore
from bardo.model import INHERITED_KIND, Episode, Fact


def apart_from_conclusions(
    found: Sequence[Fact], episodes: Sequence[Episode], facts: FactStore, *, tick: int
) -> list[Fact | None]:
    """Returns the facts of some episodes; None in the place of one on which an ancestor has concluded.

    A fact of inherited episodes that repeats an inherited fact is that ancestor's evidence, which would count twice.
    One that an inherited fact in force excludes is older than this, and would end it. The facts of own episodes are
    unchanged.

    Args:
        found: Facts of the episodes.
        episodes: The episodes.
        facts: Fact store of the heir.
        tick: Logical time.
    """
    inherited = {episode.id for episode in episodes if episode.kind == INHERITED_KIND}
    if not inherited or not found:
        return list(found)
    ids = facts.known(found, tick=tick)
    stored = {fact.id: fact for fact in facts.get([id_ for id_ in ids if id_]) if fact}
    return [
        None
        if fact.evidence
        and inherited.issuperset(fact.evidence)
        and (_is_inherited(stored.get(id_ or "")) or _is_concluded(fact, facts, tick=tick))
        else fact
        for fact, id_ in zip(found, ids, strict=True)
    ]


def _is_concluded(fact: Fact, facts: FactStore, *, tick: int) -> bool:
    """Whether an inherited fact in force states the same or excludes it."""
    said = fact.statement
    return said is not None and any(
        _core.says_same(other.statement, said) or _core.excludes(other.statement, said)
        for other in facts.of_subject(said.subject, tick=tick)
        if other.statement and _is_inherited(other)
    )


def _is_inherited(fact: Fact | None) -> bool:
    return fact is not None and fact.source == "testament"
