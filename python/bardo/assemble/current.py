"""Leaves older values out of a prompt that has the current one."""

from __future__ import annotations

from collections.abc import Sequence

from bardo.assemble.blocks import PromptMemory
from bardo.model import Fact


def without_replaced(memories: Sequence[PromptMemory]) -> tuple[list[PromptMemory], int]:
    """Leaves out each outdated fact whose slot has its current value among the memories.

    Args:
        memories: Memories, best first.

    Returns:
        The other memories, and the number of those left out.
    """
    outdated = [memory for memory in memories if getattr(memory, "outdated", False)]
    current = [memory for memory in memories if memory not in outdated] if outdated else []
    slots = {_slot(memory) for memory in current} - {None}
    ids = {getattr(memory, "id", "") for memory in current}
    replaced = [
        memory
        for memory in outdated
        if _slot(memory) in slots or getattr(memory.record, "superseded_by", None) in ids
    ]
    return [memory for memory in memories if memory not in replaced], len(replaced)


def _slot(memory: PromptMemory) -> tuple[str, ...] | None:
    """Subject, attribute and condition of a fact's statement; None without one."""
    record = memory.record
    statement = record.statement if isinstance(record, Fact) else None
    if statement is None or not statement.functional:
        return None
    parts = (statement.subject, statement.attribute, statement.condition)
    return tuple(" ".join(part.casefold().split()) for part in parts)
