"""A fact that only says again what an episode of the same answer says takes no place in it."""

from __future__ import annotations

import dataclasses

from bardo._core import FactStore
from bardo.recall.found import Recollection


def without_restated(recollection: Recollection, facts: FactStore) -> Recollection:
    """The same memories, less the facts that rest on a single episode that is among them.

    A fact of several episodes generalises; one of a single episode repeats it, in fewer words.

    Args:
        recollection: What was recalled.
        facts: Where the episodes of each fact are looked up.
    """
    found = recollection.facts
    if not 0 < len(found) < len(recollection):
        return recollection
    single = {
        fact.id: fact.evidence[0]
        for fact in facts.get(found)
        if fact is not None and fact.support == 1 and len(fact.evidence) == 1
    }
    if not single:
        return recollection
    episodes = {memory.id for memory in recollection if memory.layer == "episode"}
    kept = tuple(memory for memory in recollection if single.get(memory.id) not in episodes)
    if len(kept) == len(recollection):
        return recollection
    return dataclasses.replace(recollection, memories=kept)
