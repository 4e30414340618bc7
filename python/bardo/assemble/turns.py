"""Memories told with the turns beside them, in one entry: who said what, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bardo.assemble.blocks import Block
from bardo.assemble.prompt_memory import MemoryLike, PromptMemory
from bardo.clock import date_of
from bardo.model import Episode

#: Characters of the turns beside one memory at most, the nearest first: they must not push out what was found.
MOST_BESIDE = 2_000
_LONGEST_NAME = 64


def attach_turns(memories: Sequence[PromptMemory]) -> tuple[list[PromptMemory], int]:
    """Memories with the turns beside them, each turn once: alone if it was recalled, else beside the best memory.

    Args:
        memories: Memories, best first.

    Returns:
        The memories, and how many turns were left out because there is no room beside their memory.
    """
    seen = {memory.id for memory in memories}
    found: list[PromptMemory] = []
    left_out = 0
    for memory in memories:
        sides = [[turn for turn in side if turn.id not in seen] for side in (memory.before, memory.after)]
        kept = _nearest(*sides)
        left_out += sum(map(len, sides)) - len(kept)
        if not kept:
            found.append(memory)
            continue
        beside = {turn.id for turn in kept}
        seen |= beside
        before, after = (tuple(turn for turn in side if turn.id in beside) for side in sides)
        said = partial(_line, day=_day(memory.at))
        text = "\n".join([*map(said, before), said(memory.record, text=memory.text), *map(said, after)])
        found.append(replace(memory, text=text, before=before, after=after, alone=memory.text))
    return found, left_out


def last_with_turns(block: Block) -> list[int]:
    """The place of the last memory of a block that has turns beside it, if any has."""
    return [place for place, memory in enumerate(block.memories or ()) if _has_turns(memory)][-1:]


def without(block: Block, places: Sequence[int]) -> Sequence[MemoryLike] | None:
    """A block's memories without the turns beside those at some places; None where there are none there."""
    memories = block.memories or ()
    if not any(_has_turns(memories[place]) for place in places):
        return None
    return [
        PromptMemory.of(memory).without_turns() if place in places else memory
        for place, memory in enumerate(memories)
    ]


def _has_turns(memory: MemoryLike) -> bool:
    return isinstance(memory, PromptMemory) and memory.alone is not None


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
        return date_of(at).isoformat()
    except OverflowError:
        return "an unknown day"
