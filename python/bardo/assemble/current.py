"""Leaves older values out of a prompt that has the current one."""

from __future__ import annotations

from collections.abc import Sequence

from bardo.assemble.prompt_memory import PromptMemory
from bardo.consolidate.pages.twins import slot
from bardo.model import Fact


def without_replaced(memories: Sequence[PromptMemory]) -> tuple[list[PromptMemory], int]:
    """Leaves out each outdated fact whose slot has its current value among the memories.

    Args:
        memories: Memories, best first.

    Returns:
        The other memories, and the number of those left out.
    """
    outdated = [memory for memory in memories if memory.outdated]
    current = [memory for memory in memories if memory not in outdated] if outdated else []
    slots = {_slot(memory) for memory in current} - {None}
    ids = {memory.id for memory in current}
    replaced = [
        memory
        for memory in outdated
        if _slot(memory) in slots or getattr(memory.record, "superseded_by", None) in ids
    ]
    return [memory for memory in memories if memory not in replaced], len(replaced)


def _slot(memory: PromptMemory) -> tuple[str, ...] | None:
    """The slot of a fact's statement, if it has one value at a time; None otherwise."""
    record = memory.record
    statement = record.statement if isinstance(record, Fact) else None
    return slot(statement) if statement is not None and statement.functional else None
