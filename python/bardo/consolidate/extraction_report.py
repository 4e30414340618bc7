"""Report of an extraction of facts from texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bardo._core import ActCounts, Upserted


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """Report of an extraction.

    Args:
        read: Episodes that were read.
        new: New facts.
        renewed: Repetitions of known facts.
        superseded: Facts that a text ended.
        disputed: Pairs of facts that were found to contradict each other.
        acts: Numbers of its acts in the journal.
        notes: Failures with their reasons.
        unread: Episodes that were left unread because the time was over.
    """

    read: int = 0
    new: int = 0
    renewed: int = 0
    superseded: int = 0
    disputed: int = 0
    acts: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    unread: int = 0

    @classmethod
    def of(
        cls, counts: ActCounts, outcomes: Sequence[Upserted] = (), *, read: int = 0, notes: Sequence[str] = ()
    ) -> ExtractionReport:
        """Returns the report of one act.

        Args:
            counts: Effects of the act on facts that were known before.
            outcomes: Outcomes of the facts that it stored.
            read: Episodes that were read for it.
            notes: Failures with their reasons.
        """
        new = sum(entry.outcome == "new" for entry in outcomes)
        renewed = sum(entry.outcome in ("exact", "similar") for entry in outcomes)
        acts = () if counts.act is None else (counts.act,)
        return cls(read, new, renewed, counts.superseded, counts.disputed, acts, tuple(notes))

    def plus(self, other: ExtractionReport) -> ExtractionReport:
        """Returns the sum of two reports."""
        return ExtractionReport(
            self.read + other.read,
            self.new + other.new,
            self.renewed + other.renewed,
            self.superseded + other.superseded,
            self.disputed + other.disputed,
            (*self.acts, *other.acts),
            tuple(dict.fromkeys((*self.notes, *other.notes))),
            self.unread + other.unread,
        )
