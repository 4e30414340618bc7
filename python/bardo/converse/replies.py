"""Memories of a reply to a chat message, by category: certain facts, tentative facts, knowledge and summaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from bardo.assemble.blocks import FACTS, Block, PromptMemory, memory_block
from bardo.assemble.context import assemble
from bardo.model import Fact, FactKind, Source

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


@dataclass(frozen=True, slots=True)
class LatestFact:
    """Fact in the shape of a recalled memory.

    Args:
        record: Fact.
        confidence: Confidence decayed to now, 0..1.
    """

    record: Fact
    confidence: float | None

    @property
    def id(self) -> str:
        """Id of the fact."""
        return self.record.id

    @property
    def text(self) -> str:
        """Text of the fact."""
        return self.record.text

    @property
    def layer(self) -> str:
        """`fact`."""
        return "fact"

    @property
    def tick(self) -> int:
        """Tick of its creation."""
        return self.record.created_tick

    @property
    def at(self) -> int:
        """Time of its creation, microseconds UTC."""
        return self.record.created_at

    @property
    def source(self) -> Source:
        """Source of the fact."""
        return self.record.source

    @property
    def inherited(self) -> bool:
        """Whether another agent learned it."""
        return self.record.generation > 0


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
    known = {_id(memory) for memory in found}
    further = [memory for memory in latest if _id(memory) not in known]
    kept = min(LATEST_PLACES, len(further))
    ordered = [*found[: HEARD_MOST - kept], *further[:kept], *found[HEARD_MOST - kept :], *further[kept:]]
    chosen = ordered[:HEARD_MOST]
    certain = _fitting([one for one in chosen if is_certain(one)], HEARD_TOKENS, tokenizer, KNOWN_FOR_CERTAIN)
    left = HEARD_TOKENS - (certain.cap or 0 if certain else 0)
    tentative = _fitting([one for one in chosen if not is_certain(one)], left, tokenizer, HELD_LIGHTLY)
    return [each for each in (certain, tentative) if each is not None]


def knowledge(memories: Iterable[PromptMemory], *, tokenizer: str) -> list[PromptMemory]:
    """Returns the first memories that fit into the tokens of knowledge."""
    fitting = _fitting(list(memories), KNOWN_TOKENS, tokenizer, FACTS)
    return [] if fitting is None else list(fitting.memories or ())


def summaries_block(summaries: Sequence[PromptMemory], *, tokenizer: str) -> Block | None:
    """Makes the block of summaries, best first; None if there are none."""
    return _fitting(summaries, SUMMARIES_TOKENS, tokenizer, SUMMARIES)


def is_certain(memory: PromptMemory) -> bool:
    """Whether a personal fact may be stated as certain."""
    return (
        getattr(memory.record, "kind", "") in PINNED
        and not memory.inherited
        and not getattr(memory, "standing", "")
        and (memory.confidence or 0.0) >= CERTAIN
    )


def _fitting(memories: Sequence[PromptMemory], tokens: int, tokenizer: str, name: str) -> Block | None:
    """Makes a block of the first memories that fit into tokens, its frame included; None if none does."""
    if not memories or tokens <= 0:
        return None
    tried = assemble([memory_block(memories, name=name)], budget=tokens, reserve=0, tokenizer=tokenizer)
    # Whole memories alone: in the prompt, the frame is shared with other blocks.
    shown = {_id(memory) for memory in tried.memories}
    kept = [memory for memory in memories if _id(memory) in shown]
    if not kept:
        return None
    return Block(name, memories=kept, priority=_PRIORITIES.get(name), cap=tried.tokens)


def _id(memory: PromptMemory) -> str:
    return str(getattr(memory, "id", ""))
