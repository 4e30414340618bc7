"""Records that the answer to one query leaves out: secrets it does not ask for, and confidences of other persons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo.recall import confided, untold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bardo._core import EpisodeLog
    from bardo.model import Episode
    from bardo.recall.recollection import Answer
    from bardo.recall.untold import Untold


class Withheld:
    """Finds the records that the answers to a query leave out, and counts them.

    Args:
        query: The query.
        secrets: Secrets among the episodes; None if they may be told.
        asker: Person who asks; None if not known: then no confidence is left out.
        log: Episode log, which tells confidences; None where it cannot be read.
    """

    def __init__(self, query: str, secrets: Untold | None, asker: str | None, log: EpisodeLog | None) -> None:
        self._query, self._untold = query, secrets
        self._asker, self._log = asker, log
        self._secrets: set[str] = set()
        self._confidences: set[str] = set()

    @property
    def ids(self) -> set[str]:
        """Ids of all records that were left out."""
        return self._secrets | self._confidences

    def among(self, found: Answer) -> set[str]:
        """Returns the ids of the records of an answer that are to be left out, and were not before."""
        before = self.ids
        if self._untold is not None:
            self._secrets |= self._untold.among(self._query, found)
        if self._asker:
            records = [found.record(place) for place in range(len(found))]
            self._confidences |= confided.told_by_others(self._asker, records, self._log)
        return self.ids - before

    def without(self, turns: Sequence[Episode]) -> list[Episode]:
        """Returns the turns without those that are to be left out."""
        told = turns if self._untold is None else self._untold.without(self._query, turns)
        hidden = confided.told_by_others(self._asker, told, self._log) if self._asker else ()
        return [turn for turn in told if turn.id not in hidden]

    def notes(self) -> list[str]:
        """Notes on the number of records that were left out."""
        confidences = self._confidences - self._secrets
        counted = (
            untold.secrets_note(len(self._secrets)),
            confided.confidences_note(len(confidences)),
        )
        return [note for note in counted if note]


def is_on_withheld(note: str) -> bool:
    """Whether a note of a recall tells of records that were left out."""
    return note.endswith((untold.LEFT_OUT, confided.LEFT_OUT))
