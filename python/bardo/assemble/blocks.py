"""Blocks of a prompt: text, rows of a table, or recalled memories."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bardo import _core
from bardo.assemble.prompt_memory import MemoryLike
from bardo.errors import InvalidInputError

Place = Literal["first", "middle", "last"]
Rows = Sequence[Mapping[str, Any]]

#: The standard blocks that hold memories.
EPISODES, FACTS = "past_events", "knowledge"
_HIGHEST_PRIORITY = 255


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a prompt: text, rows of a table, or memories.

    What is None takes the value of the table of standard blocks if the name is one of them (`system`, `instruction`,
    `event`, `positions`, `cortical_state`, `past_events`, `knowledge`, `relationships`, `tool_results`), else that of a
    block of the caller's own: priority 4, 200 of 2,700 tokens, in the middle.

    Args:
        name: Name in reports, unique in a prompt.
        content: Text, shown as it is; cut at a sentence if it must be.
        rows: Mappings, shown as a markdown table; cut after a row.
        memories: Recalled memories, best first; fenced as data and cut one by one. An empty list says that nothing was
            found; a block that is not given says nothing.
        tag: The tag around it; the name if None. Lower-case ASCII letters, digits and `_`, at most 40.
        priority: Blocks of higher priority are filled first, and are the first to get spare tokens; 0 to 255.
        cap: Tokens it is given at first, tag included; spare tokens may add to it.
        protected: Whether the call fails rather than cut it. Only text can be; `system` and `instruction` are.
        trusted: Whether its text is left exactly as it is. In any other text the tags of this prompt are made inert.
        place: Where it stands.
        condense: Whether its predictable words go before its end does where it must be shortened and the prompt has a
            `Condenser`. Measured: it keeps more of a text in its own order, and less of memories ranked best first, so
            text that is not the user's own is condensed and memories are not.
        in_order: Whether its memories stand in the given order, instead of with the best at both ends and those about
            one thing in the order of time.
        omitted: Number of further memories of its kind that the block is not given; the notes of the prompt count them
            with those that do not fit.

    Raises:
        InvalidInputError: None or more than one of content, rows and memories is given, or a number is out of range.
    """

    name: str
    content: str | None = None
    rows: Rows | None = None
    memories: Sequence[MemoryLike] | None = None
    tag: str | None = None
    priority: int | None = None
    cap: int | None = None
    protected: bool | None = None
    trusted: bool | None = None
    place: Place | None = None
    condense: bool = True
    in_order: bool = False
    omitted: int = 0

    def __post_init__(self) -> None:
        given = sum(part is not None for part in (self.content, self.rows, self.memories))
        if given != 1:
            raise InvalidInputError(
                f"block {self.name!r} has {given} of content, rows and memories. Give it exactly one of them"
            )
        if self.priority is not None and not 0 <= self.priority <= _HIGHEST_PRIORITY:
            raise InvalidInputError(
                f"block {self.name!r} has priority {self.priority}. Use 0 to {_HIGHEST_PRIORITY}"
            )
        if self.cap is not None and self.cap < 0:
            raise InvalidInputError(f"block {self.name!r} has a cap of {self.cap} tokens. Use 0 or more")


def memory_block(memories: Sequence[MemoryLike], *, name: str = EPISODES, cap: int | None = None) -> Block:
    """A block of recalled memories, best first; empty says that nothing was found."""
    return Block(name, memories=memories, cap=cap)


def memory_blocks(memories: Sequence[MemoryLike]) -> list[Block]:
    """A recollection as its standard blocks: episodes as `past_events`, facts as `knowledge`.

    A layer that brought nothing has no block, but if neither brought anything, the prompt says so once.
    """
    episodes = [memory for memory in memories if memory.layer == "episode"]
    facts = [memory for memory in memories if memory.layer != "episode"]
    blocks = [
        memory_block(found, name=name) for name, found in ((EPISODES, episodes), (FACTS, facts)) if found
    ]
    return blocks or [memory_block((), name=EPISODES)]


def block(name: str, content: str | Rows | Sequence[MemoryLike] | Block) -> Block:
    """A block of a value: text, rows (mappings) or memories.

    Raises:
        InvalidInputError: The value is none of these.
    """
    if isinstance(content, Block):
        return content
    if isinstance(content, str):
        return Block(name, content)
    if isinstance(content, Sequence) and not isinstance(content, (bytes, bytearray)):
        if content and all(isinstance(item, Mapping) for item in content):
            return Block(name, rows=content)  # type: ignore[arg-type]
        if all(hasattr(item, "text") and hasattr(item, "source") for item in content):
            memories = bool(content) or name in (EPISODES, FACTS)
            return Block(name, memories=content) if memories else Block(name, "")  # type: ignore[arg-type]
    raise InvalidInputError(
        f"block {name!r} is a {type(content).__name__}. Give it text, a list of mappings (a table) or of memories"
    )


@functools.cache
def standard_blocks() -> tuple[tuple[str, int, int, bool, str], ...]:
    """The table of standard blocks in the order of a prompt: tag, tokens, priority, protected, place."""
    return tuple(_core.standard_blocks())
