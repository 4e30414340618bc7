"""The block of learned rules that apply to a decision, each stated in a line with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bardo.assemble.blocks import Block
from bardo.assemble.prompt_memory import PromptMemory
from bardo.recall.rules import brief
from bardo.recall.situation import Situation

#: Name and tag of the block.
LEARNED_RULES = "learned_rules"
#: Above the blocks of memories: a rule says in a line what many episodes say together.
_PRIORITY = 7
#: Tokens of the block at first: three rules with their dates and sources.
_TOKENS = 260
#: Largest part of the prompt that is set aside for rules.
_SHARE = 4


def is_seated(memory: PromptMemory) -> bool:
    """Whether a memory is a rule for which a place was reserved."""
    return memory.layer == "fact" and memory.why is not None and memory.why.is_seated


def rules_block(memories: Sequence[PromptMemory], tokens: int, situation: Situation | None = None) -> Block:
    """The block of the rules that apply, in the words of a person.

    Args:
        memories: Rules, the most applicable first.
        tokens: Tokens of the prompt.
        situation: Features of the moment; None if they are not known.
    """
    stated = [
        replace(
            memory,
            text=brief(memory.record, situation),
            standing="; ".join(filter(None, ("unverified" if memory.inherited else "", memory.standing))),
        )
        for memory in memories
    ]
    return Block(LEARNED_RULES, memories=stated, priority=_PRIORITY, cap=min(_TOKENS, tokens // _SHARE))
