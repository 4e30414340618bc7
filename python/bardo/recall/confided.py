"""Confidences: a record that one person told in confidence does not answer another person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bardo.model import Episode, Fact
from bardo.privacy import confidences
from bardo.privacy.confided import tellers

if TYPE_CHECKING:
    from bardo._core import EpisodeLog

#: End of the note on them.
LEFT_OUT = "left out: another person asks"


def told_by_others(asker: str, records: Sequence[Episode | Fact], log: EpisodeLog | None) -> set[str]:
    """Returns the ids of the records that others than the asker told in confidence, or that are known from it alone.

    Args:
        asker: Person who asks.
        records: Records of an answer.
        log: Episode log; None where it cannot be read. There, only an episode that itself asks for confidence is one.
    """
    told: dict[str, str | None]
    if log is None:
        episodes = [record for record in records if isinstance(record, Episode)]
        told = {episode.id: episode.speaker for episode in episodes if confidences.asks(episode.text)}
    else:
        told = tellers(log, list(dict.fromkeys(id_ for record in records for id_ in _grounds(record))))
    others = {id_ for id_, teller in told.items() if teller is not None and not _is_same(teller, asker)}
    return {record.id for record in records if (ids := _grounds(record)) and others.issuperset(ids)}


def confidences_note(count: int) -> str:
    """Note on records that were left out; empty if none was."""
    if not count:
        return ""
    told = "1 memory told in confidence was" if count == 1 else f"{count} memories told in confidence were"
    return f"{told} {LEFT_OUT}"


def _grounds(record: Episode | Fact) -> Sequence[str]:
    """Ids of the episodes that a record is known from: an episode from itself."""
    return record.evidence if isinstance(record, Fact) else (record.id,)


def _is_same(one: str, other: str) -> bool:
    """Whether two names are of one person: one has all words of the other ("Ruth", "Ruth Adler")."""
    first, second = set(one.casefold().split()), set(other.casefold().split())
    return first <= second or second <= first
