"""Dates and words of facts in prompts: when the words behind one were said, and what a severe failure was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
from bardo.clock import day_of
from bardo.consolidate.pages import incidents
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.consolidate.pages.wording import is_of_ancestor
from bardo.grimoire.session import Session


def dated(memories: Iterable[MemoryLike], session: Session) -> list[PromptMemory]:
    """Returns memories as a prompt shows them, each fact with the time of its latest evidence.

    A warning of a severe failure begins with what happened, in the words of its episode.

    What an ancestor left has the times of the ancestor, or none; never the birthday of the heir.

    Args:
        memories: Recalled memories.
        session: Open memory that holds the evidence.
    """
    dates = FactDates(session.log.get, session.moment, session.agent)
    return [_dated(_told(PromptMemory.of(memory), dates), dates) for memory in memories]


def _told(memory: PromptMemory, dates: FactDates) -> PromptMemory:
    if memory.layer != "fact" or not incidents.is_measured(memory.record):
        return memory
    episodes = dates.episodes(sorted(incidents.failures([memory.record])))
    (fact,) = incidents.in_words([memory.record], {one.id: one for one in episodes if one is not None})
    return replace(memory, text=fact.text, record=fact)


def _dated(memory: PromptMemory, dates: FactDates) -> PromptMemory:
    if memory.layer != "fact":
        return memory
    first, last = dates.noted(memory.record)
    if not memory.record.evidence and is_of_ancestor(memory.record, dates.agent):
        since = f"known since {day_of(first)}" if first is not None else ""
        standing = "; ".join(part for part in (memory.standing, since) if part)
        seconds = 0 if last is None else memory.record.observed[1]
        return replace(memory, at=last or 0, tick=seconds, standing=standing)
    if last is None or not memory.record.evidence:
        return memory
    return replace(memory, at=last, tick=memory.record.observed[1])
