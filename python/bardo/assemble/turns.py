"""Memories told with the turns beside them, in one entry: who said what, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bardo.assemble.blocks import Block, PromptMemory
from bardo.assemble.stated_rules import StatedRule
from bardo.model import Episode

#: Characters of the turns beside one memory at most, the nearest first: they must not push out what was found.
MOST_BESIDE = 2_000
_LONGEST_NAME = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MemoryWithTurns:
    """A memory whose text is the conversation around it; everything else is as the memory has it.

    Args:
        memory: What was recalled.
        text: It and the turns beside it.
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


def attach_turns(memories: Sequence[PromptMemory]) -> tuple[list[PromptMemory], int]:
    """Memories with the turns beside them, each turn once: alone if it was recalled, else beside the best memory.

    Args:
        memories: Best first; `before` and `after`, if a memory has them, are its turns.

    Returns:
        The memories, and how many turns were left out because there is no room beside their memory.
    """
    if not any(getattr(memory, "before", ()) or getattr(memory, "after", ()) for memory in memories):
        return list(memories), 0
    seen = {getattr(memory, "id", "") for memory in memories}
    found: list[PromptMemory] = []
    left_out = 0
    for memory in memories:
        sides = [
            [turn for turn in side if turn.id not in seen]
            for side in (getattr(memory, "before", ()), getattr(memory, "after", ()))
        ]
        kept = _nearest(*sides)
        left_out += sum(map(len, sides)) - len(kept)
        if not kept:
            found.append(memory)
            continue
        beside = {turn.id for turn in kept}
        seen |= beside
        before, after = ([turn for turn in side if turn.id in beside] for side in sides)
        said = partial(_line, day=_day(memory.at))
        text = "\n".join([*map(said, before), said(memory.record, text=memory.text), *map(said, after)])
        found.append(
            MemoryWithTurns(
                memory, text, memory.layer, memory.confidence, memory.tick, memory.at, memory.source,
                memory.inherited, memory.record, getattr(memory, "standing", ""),
            )
        )  # fmt: skip
    return found, left_out


def recalled(memory: PromptMemory) -> PromptMemory:
    """The memory itself, without the turns beside it and in its own words."""
    return memory.memory if isinstance(memory, (MemoryWithTurns, StatedRule)) else memory


def last_with_turns(block: Block) -> list[int]:
    """The place of the last memory of a block that has turns beside it, if any has."""
    return [
        place for place, memory in enumerate(block.memories or ()) if isinstance(memory, MemoryWithTurns)
    ][-1:]


def without(block: Block, places: Sequence[int]) -> Sequence[PromptMemory] | None:
    """A block's memories without the turns beside those at some places; None where there are none there."""
    memories = block.memories or ()
    alone = {place for place in places if isinstance(memories[place], MemoryWithTurns)}
    if not alone:
        return None
    return [recalled(memory) if place in alone else memory for place, memory in enumerate(memories)]


def _nearest(before: Sequence[Episode], after: Sequence[Episode]) -> list[Episode]:
    """The turns of both sides for which there is room, the nearest first; a side ends where one is too long."""
    kept: list[Episode] = []
    room = MOST_BESIDE
    sides = [list(reversed(before)), list(after)]
    while any(sides):
        for side in sides:
            if side and len(side[0].text) <= room:
                room -= len(side[0].text)
                kept.append(side.pop(0))
            else:
                side.clear()
    return kept


def _line(turn: Any, *, day: str, text: str | None = None) -> str:
    """Lays a turn out with the speaker on a line of its own and the words indented: it cannot pass for another speaker.

    What was said on another day than the memory that it stands beside has its own.
    """
    name = " ".join(str(getattr(turn, "speaker", None) or getattr(turn, "role", "")).split())[:_LONGEST_NAME]
    said = (turn.text if text is None else text).splitlines()
    when = "" if text is not None or _day(turn.at) == day else f" on {_day(turn.at)}"
    return "\n".join([f"{name} said{when}:", *(f"  {line}" for line in said)])


def _day(at: int) -> str:
    try:
        return (_EPOCH + timedelta(microseconds=at)).date().isoformat()
    except OverflowError:
        return "an unknown day"
