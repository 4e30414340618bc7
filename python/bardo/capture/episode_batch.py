"""Result of `remember` for a batch, which makes each episode object when it is first read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from bardo.model import Episode

if TYPE_CHECKING:
    from bardo._core import StoredEpisodes


class EpisodeBatch(Sequence[Episode]):
    """Stored episodes of one batch, in its order; equal to a list of the same episodes.

    Args:
        stored: Stored episodes in the core's form.
        fresh: Number of new episodes; the others were stored before.
    """

    __slots__ = ("_stored", "fresh")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, stored: StoredEpisodes, fresh: int) -> None:
        self._stored, self.fresh = stored, fresh

    def __len__(self) -> int:
        return len(self._stored)

    @overload
    def __getitem__(self, place: int) -> Episode: ...
    @overload
    def __getitem__(self, place: slice) -> list[Episode]: ...
    def __getitem__(self, place: int | slice) -> Episode | list[Episode]:
        if isinstance(place, slice):
            return [self._stored[at] for at in range(*place.indices(len(self)))]
        at = place + len(self) if place < 0 else place
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} episodes, and none at {place}")
        return self._stored[at]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, EpisodeBatch)) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))
