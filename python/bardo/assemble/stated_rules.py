"""The block of rules that apply to a decision, each stated in a line with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bardo.assemble.blocks import Block, PromptMemory
from bardo.recall.rules import brief

#: Name and tag of the block.
LEARNED_RULES = "learned_rules"
#: Above the blocks of memories: a rule says in a line what many episodes say together.
_PRIORITY = 7
#: Tokens of the block at first: three rules with their dates and sources.
_TOKENS = 260
#: Largest part of the prompt that is set aside for rules.
_SHARE = 4


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule in the words of a person; everything else is as the memory has it.

    Args:
        memory: Recalled rule.
        text: Statement with its evidence in brief.
    """

    memory: PromptMemory
    text: str
    layer: str
    confidence: float | None
    tick: int
    at: int
    source: str
    inherited: bool
    record: Any
    standing: str


def is_seated(memory: PromptMemory) -> bool:
    """Whether a memory is a rule for which a place was reserved."""
    if memory.layer != "fact":
        return False
    return bool(getattr(getattr(memory, "why", None), "is_seated", False))


def rules_block(memories: Sequence[PromptMemory], tokens: int) -> Block:
    """The block of the rules that apply.

    Args:
        memories: Rules, the most applicable first.
        tokens: Tokens of the prompt.
    """
    stated = [
        StatedRule(
            memory, brief(memory.record), memory.layer, memory.confidence, memory.tick, memory.at, memory.source,
            memory.inherited, memory.record,
            getattr(memory, "standing", "") or ("unverified" if memory.inherited else ""),
        )
        for memory in memories
    ]  # fmt: skip
    return Block(LEARNED_RULES, memories=stated, priority=_PRIORITY, cap=min(_TOKENS, tokens // _SHARE))
