"""Rejections and orders that a person ended, by which recall marks the turns that they were heard from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bardo.model import Episode, Fact


@dataclass(frozen=True, slots=True)
class Lifted:
    """Rejection or order that a person ended.

    Args:
        text: Its words.
        episode: Id of the turn that it was heard from; empty if it was told, or heard in an earlier life.
        at: Time of its end, microseconds UTC; 0 if it is unknown.
    """

    text: str
    episode: str
    at: int

    def marks(self, record: Episode | Fact) -> bool:
        """Whether a record tells it: the turn, an earlier one in the same words, or a fact read from the turn."""
        if isinstance(record, Fact):
            return self.episode in record.evidence and _plain(self.text) in _plain(record.text)
        return record.id == self.episode or (record.at < self.at and _plain(record.text) == _plain(self.text))


#: Returns what persons ended, and a note if that is unknown.
LiftedOf = Callable[[], tuple[Sequence[Lifted], str]]


def none_lifted() -> tuple[Sequence[Lifted], str]:
    """Returns no rejections: for a recall without a gate."""
    return (), ""


def lifted_at(record: Episode | Fact, lifted: Sequence[Lifted]) -> int | None:
    """Returns the end of a rejection that a record tells, 0 if its time is unknown; None if it tells none.

    Args:
        record: Record of a memory.
        lifted: What persons ended.
    """
    return max((one.at for one in lifted if one.marks(record)), default=None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
