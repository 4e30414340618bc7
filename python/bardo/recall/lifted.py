"""Rejections and orders that a person ended, by which recall marks the turns that they were heard from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bardo.model import Episode, Fact


@dataclass(frozen=True, slots=True)
class Lifted:
    """Rejection or order that a person ended.

    Args:
        text: Its words, as `plain` writes them.
        episode: Id of the turn that it was heard from; empty if it was told, or heard in an earlier life.
        at: Time of its end, microseconds UTC; 0 if it is unknown.
    """

    text: str
    episode: str
    at: int

    def marks(self, record: Episode | Fact, said: str) -> bool:
        """Whether a record tells it: the turn, an earlier one in the same words, or a fact read from the turn.

        Args:
            record: Record of a memory.
            said: Its text, as `plain` writes it.
        """
        if isinstance(record, Fact):
            return self.episode in record.evidence and self.text in said
        return record.id == self.episode or (record.at < self.at and said == self.text)


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
    if not lifted:
        return None
    said = plain(record.text)
    return max((one.at for one in lifted if one.marks(record, said)), default=None)


def plain(text: str) -> str:
    """Writes a text without case, repeated spaces and its last mark, for comparison."""
    return " ".join(text.casefold().split()).rstrip(".!")
