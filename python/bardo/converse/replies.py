"""Memories of a reply to a chat message, by category: certain facts, tentative facts, knowledge and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, get_args

from bardo.assemble.blocks import FACTS, Block, memory_block
from bardo.assemble.prompt import assemble
from bardo.assemble.prompt_memory import PromptMemory
from bardo.converse.summary_store import Summary
from bardo.model import Fact, FactKind

#: Kinds of facts about people and their affairs, which conversations state.
PERSONAL: Final[tuple[FactKind, ...]] = ("identity", "context", "goal", "preference", "interest")
#: Kinds of those that are certain.
PINNED: Final[frozenset[str]] = frozenset({"identity", "context"})
#: Kinds of all other facts.
GENERAL: Final[tuple[FactKind, ...]] = tuple(kind for kind in get_args(FactKind) if kind not in PERSONAL)
#: Numbers of knowledge found by the query, and of the latest without a vector; maximum tokens of both.
KNOWN, KNOWN_UNEMBEDDED, KNOWN_TOKENS = 40, 10, 600
#: Numbers of personal facts found by the query, and of the latest; maximum number and tokens of both in a prompt.
HEARD, HEARD_LATEST, HEARD_MOST, HEARD_TOKENS = 12, 4, 8, 500
#: Places of the latest personal facts among those in a prompt, if the query found enough others.
LATEST_PLACES = 2
#: Numbers of summaries similar to the query, and of the latest; maximum number and tokens of both in a prompt.
SIMILAR, LATEST_SUMMARIES, SUMMARIES_MOST, SUMMARIES_TOKENS = 4, 2, 3, 300
#: Minimum confidence of a certain fact.
CERTAIN = 0.5
#: Names and tags of the blocks.
KNOWN_FOR_CERTAIN, HELD_LIGHTLY, SUMMARIES = "known_for_certain", "held_lightly", "summaries"
_PRIORITIES = {KNOWN_FOR_CERTAIN: 7, HELD_LIGHTLY: 5, SUMMARIES: 4}


def memory_of_fact(fact: Fact, confidence: float | None) -> PromptMemory:
    """Makes the memory of a fact that no recall found.

    Args:
        fact: Fact.
        confidence: Confidence decayed to now, 0..1.
    """
    return PromptMemory(
        fact.text, "fact", id=fact.id, confidence=confidence, tick=fact.created_tick, at=fact.created_at,
        source=fact.source, inherited=fact.generation > 0, record=fact,
    )  # fmt: skip


def personal_blocks(
    found: Sequence[PromptMemory], latest: Sequence[PromptMemory], *, tokenizer: str
) -> list[Block]:
    """Makes the blocks of personal facts: certain and tentative ones, at most 8 in 500 tokens.

    Identity and context are certain, unless they are inherited, no longer hold, are disputed, or have a confidence
    under .5.

    Args:
        found: Facts that the query found, best first.
        latest: Latest facts.
        tokenizer: Tokenizer of the prompt.
    """
    known = {memory.id for memory in found}
    further = [memory for memory in latest if memory.id not in known]
    kept = min(LATEST_PLACES, len(further))
    ordered = [*found[: HEARD_MOST - kept], *further[:kept], *found[HEARD_MOST - kept :], *further[kept:]]
    chosen = ordered[:HEARD_MOST]
    certain = _block([one for one in chosen if is_certain(one)], HEARD_TOKENS, tokenizer, KNOWN_FOR_CERTAIN)
    left = HEARD_TOKENS - (certain.cap or 0 if certain else 0)
    tentative = _block([one for one in chosen if not is_certain(one)], left, tokenizer, HELD_LIGHTLY)
    return [each for each in (certain, tentative) if each is not None]


def knowledge(memories: Iterable[PromptMemory], *, tokenizer: str) -> list[PromptMemory]:
    """Returns the first memories that fit into the tokens of knowledge."""
    return _fitting(list(memories), KNOWN_TOKENS, tokenizer, FACTS)[0]


def summaries_block(summaries: Sequence[Summary], *, tokenizer: str) -> Block | None:
    """Makes the block of summaries, best first; None if there are none."""
    return _block([PromptMemory.of(each) for each in summaries], SUMMARIES_TOKENS, tokenizer, SUMMARIES)


def is_certain(memory: PromptMemory) -> bool:
    """Whether a personal fact may be stated as certain."""
    return (
        getattr(memory.record, "kind", "") in PINNED
        and not memory.inherited
        and not memory.standing
        and (memory.confidence or 0.0) >= CERTAIN
    )


def _block(memories: Sequence[PromptMemory], tokens: int, tokenizer: str, name: str) -> Block | None:
    """Makes a block of the first memories that fit into tokens; None if none does."""
    kept, used = _fitting(memories, tokens, tokenizer, name)
    return Block(name, memories=kept, priority=_PRIORITIES[name], cap=used) if kept else None


def _fitting(
    memories: Sequence[PromptMemory], tokens: int, tokenizer: str, name: str
) -> tuple[list[PromptMemory], int]:
    """Returns the first memories that fit into tokens, the frame of their block included, and the tokens used."""
    if not memories or tokens <= 0:
        return [], 0
    tried = assemble([memory_block(memories, name=name)], budget=tokens, reserve=0, tokenizer=tokenizer)
    # Whole memories alone: in the prompt, the frame is shared with other blocks.
    return list(tried.blocks[0].memories), tried.tokens
