"""Confidences: a record that one person told in confidence does not answer another person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bardo.model import Episode, Fact
from bardo.privacy import confidences
from bardo.privacy.confided import ConfidenceReader

if TYPE_CHECKING:
    from bardo._core import EpisodeLog
    from bardo.recall.recollection import Answer

#: End of the note on them.
LEFT_OUT = "left out: another person asks"
#: Number of episodes that are read at once.
_PAGE = 1_024


class Confided:
    """Confidences of a log.

    The log is read to its end at the first question of a person, and from there on at each further one. Ids and
    speakers are kept, and of each speaker the latest episode.

    Args:
        log: Episode log; None where it cannot be read. There, only a record that itself asks for confidence is one.
    """

    def __init__(self, log: EpisodeLog | None = None) -> None:
        self._log = log
        self._reader = ConfidenceReader()
        self._number = 0
        self._tellers: dict[str, str] = {}

    def among(self, asker: str, found: Answer) -> set[str]:
        """Returns the ids of the records of an answer that others told in confidence, or that are known from it alone.

        Args:
            asker: Person who asks.
            found: Answer to the question.
        """
        hidden = self._of_others(asker)
        if not hidden and self._log is not None:
            return set()
        records = [found.record(place) for place in range(len(found))]
        return {
            record.id
            for record in records
            if (
                _is_known_from(record.evidence, hidden)
                if isinstance(record, Fact)
                else record.id in hidden or (self._log is None and _asks(record, asker))
            )
        }

    def without(self, asker: str, turns: Sequence[Episode]) -> tuple[Episode, ...]:
        """Returns the turns without those that others told in confidence."""
        hidden = self._of_others(asker)
        return tuple(turn for turn in turns if turn.id not in hidden)

    def _of_others(self, asker: str) -> set[str]:
        """Ids of the episodes that others than the asker told in confidence."""
        if self._log is None:
            return set()
        while page := self._log.since(self._number, _PAGE):
            self._number = page[-1][0]
            for _, episode in page:
                for told in self._reader.read(episode):
                    if told.teller is not None:
                        self._tellers[told.episode.id] = told.teller
        return {id_ for id_, teller in self._tellers.items() if not _is_same(teller, asker)}


def confidences_note(count: int) -> str:
    """Note on records that were left out; empty if none was."""
    if not count:
        return ""
    told = "1 memory told in confidence was" if count == 1 else f"{count} memories told in confidence were"
    return f"{told} {LEFT_OUT}"


def _asks(episode: Episode, asker: str) -> bool:
    """Whether an episode of another person asks for confidence."""
    speaker = episode.speaker
    return speaker is not None and not _is_same(speaker, asker) and confidences.asks(episode.text)


def _is_known_from(evidence: Iterable[str], hidden: set[str]) -> bool:
    """Whether a fact has evidence, all of which is hidden."""
    ids = list(evidence)
    return bool(ids) and hidden.issuperset(ids)


def _is_same(one: str, other: str) -> bool:
    """Whether two names are of one person: one has all words of the other ("Ruth", "Ruth Adler")."""
    first, second = set(one.casefold().split()), set(other.casefold().split())
    return first <= second or second <= first
