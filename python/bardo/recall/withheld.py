"""Records that the answer to one query leaves out: secrets it does not ask for, and confidences of other persons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bardo.recall import confided, untold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bardo.model import Episode
    from bardo.recall.confided import Confided
    from bardo.recall.recollection import Answer
    from bardo.recall.untold import Untold


class Withheld:
    """Finds the records that the answers to a query leave out, and counts them.

    Args:
        query: The query.
        secrets: Secrets among the episodes; None if they may be told.
        confidences: Confidences among the episodes; None if they are not known.
        asker: Person who asks; None if not known: then no confidence is left out.
    """

    def __init__(
        self, query: str, secrets: Untold | None, confidences: Confided | None, asker: str | None
    ) -> None:
        self._query, self._secrets = query, secrets
        self._confidences, self._asker = confidences, asker
        self._hidden: dict[str, set[str]] = {"secrets": set(), "confidences": set()}

    @property
    def ids(self) -> set[str]:
        """Ids of all records that were left out."""
        return self._hidden["secrets"] | self._hidden["confidences"]

    def among(self, found: Answer) -> set[str]:
        """Returns the ids of the records of an answer that are to be left out, and were not before."""
        before = self.ids
        if self._secrets is not None:
            self._hidden["secrets"] |= self._secrets.among(self._query, found)
        if self._confidences is not None and self._asker:
            self._hidden["confidences"] |= self._confidences.among(self._asker, found)
        return self.ids - before

    def without(self, turns: Sequence[Episode]) -> Sequence[Episode]:
        """Returns the turns without those that are to be left out."""
        if self._secrets is not None:
            turns = self._secrets.without(self._query, turns)
        if self._confidences is not None and self._asker:
            turns = self._confidences.without(self._asker, turns)
        return turns

    def notes(self) -> list[str]:
        """Notes on the number of records that were left out."""
        hidden = self._hidden
        return [
            note
            for note in (
                untold.secrets_note(len(hidden["secrets"])),
                confided.confidences_note(len(hidden["confidences"] - hidden["secrets"])),
            )
            if note
        ]


def is_on_withheld(note: str) -> bool:
    """Whether a note of a recall tells of records that were left out."""
    return note.endswith((untold.LEFT_OUT, confided.LEFT_OUT))
