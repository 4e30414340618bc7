"""Turns beside recalled episodes: an answer often follows its question."""

from __future__ import annotations

import dataclasses

from bardo._core import EpisodeLog, modes_with
from bardo.errors import InvalidInputError
from bardo.model import Episode
from bardo.recall.cold_tier import TieredIndex
from bardo.recall.filters import Filters
from bardo.recall.recollection import Recollection
from bardo.recall.withheld import Withheld

#: Maximum number of turns on either side.
MOST = 64


def with_turns(
    recollection: Recollection,
    memory: TieredIndex,
    log: EpisodeLog,
    *,
    window: int,
    filters: Filters | None,
    withheld: Withheld,
) -> Recollection:
    """Returns the same memories, each with the turns before and after it in its conversation.

    Args:
        recollection: Recalled memories.
        memory: Index of the conversations.
        log: Episode log.
        window: Maximum number of turns on either side, 0 to 64.
        filters: Filters of the recall; turns of another mode, by an excluded author, outside the time range or after
            the tick of `as_of` are left out.
        withheld: Records that answers to the query leave out.

    Raises:
        InvalidInputError: The window is out of range.
    """
    if not 0 <= window <= MOST:
        raise InvalidInputError(f"window is {window}. It is a number of turns from 0 to {MOST}")
    if not window:
        return recollection
    neighbours = memory.neighbours([found.id for found in recollection], window)
    ids = dict.fromkeys(turn for sides in neighbours for side in sides for turn in side)
    read = [turn for turn in log.get(list(ids)) if turn is not None]
    turns = {turn.id: turn for turn in withheld.without(read)}

    def known(side: list[str]) -> tuple[Episode, ...]:
        found = (turns[turn] for turn in side if turn in turns)
        return tuple(turn for turn in found if filters is None or _is_visible(turn, filters))

    memories = tuple(
        dataclasses.replace(found, before=known(before), after=known(after))
        for found, (before, after) in zip(recollection, neighbours, strict=True)
    )
    return dataclasses.replace(recollection, memories=memories)


def _is_visible(turn: Episode, filters: Filters) -> bool:
    """Whether a turn may be included; filters on topics apply to the memory, not to the turns beside it."""
    return (
        (filters.mode is None or turn.mode is None or turn.mode in modes_with(filters.mode))
        and turn.role not in (filters.without_roles or ())
        and (filters.since is None or turn.at >= filters.since)
        and (filters.until is None or turn.at <= filters.until)
        and (filters.as_of is None or turn.tick <= filters.as_of)
    )
