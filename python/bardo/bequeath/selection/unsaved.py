"""Order in which a dying agent reads its pending texts: what has no other copy comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bardo import _core
from bardo.bequeath.content.worth import worth
from bardo.bequeath.selection.selection import folded
from bardo.consolidate.extraction_pass import Rank
from bardo.consolidate.stored_facts import pages
from bardo.model import Episode


def rank(log: _core.EpisodeLog, facts: _core.FactStore, orders: Callable[[], Iterable[str]]) -> Rank:
    """Makes a judge of pending texts; it surveys the log when it is first asked.

    A text has another copy if a fact in force rests on it, or if a fact in force, an entry of the gate, or an earlier
    one of the given texts has the same words. Of the others the worth to an heir decides: questions, exact identifiers
    and statements that were said once, before lines of routine.

    Args:
        log: Episode log.
        facts: Fact store.
        orders: Returns the texts of the gate's entries in force.
    """
    survey: _core.Survey | None = None

    def judge(episodes: Sequence[Episode]) -> list[float]:
        nonlocal survey
        survey = survey or _core.Survey(log, kinds=(), latest=0)
        saved = {folded(text) for text in orders()}
        for fact in pages(facts):
            saved |= {folded(fact.text), *fact.evidence}
        found = []
        for episode, novelty in zip(episodes, survey.novelty([one.text for one in episodes]), strict=True):
            text = folded(episode.text)
            has_copy = not saved.isdisjoint((text, episode.id))
            found.append(0.0 if has_copy else worth(episode, novelty))
            saved.add(text)
        return found

    return judge
