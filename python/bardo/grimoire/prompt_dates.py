"""Dates of facts in prompts: when the words behind a fact were said, and not when a pass drew it from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
from bardo.consolidate.pages.fact_dates import FactDates
from bardo.grimoire.session import Session


def dated(memories: Iterable[MemoryLike], session: Session) -> list[PromptMemory]:
    """Returns memories as a prompt shows them, each fact with the time of its latest evidence.

    Args:
        memories: Recalled memories.
        session: Open memory that holds the evidence.
    """
    dates = FactDates(session.log.get, session.moment)
    return [_dated(PromptMemory.of(memory), dates) for memory in memories]


def _dated(memory: PromptMemory, dates: FactDates) -> PromptMemory:
    if memory.layer != "fact" or not memory.record.evidence:
        return memory
    _, last = dates.noted(memory.record)
    return memory if last is None else replace(memory, at=last, tick=memory.record.observed[1])
