"""Report of an extraction of facts from texts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """Report of an extraction.

    Args:
        read: Episodes that were read.
        new: New facts.
        renewed: Repetitions of known facts.
        updated: Facts that replaced older ones, or ended them.
        disputed: Pairs of facts that the extraction disputed.
        notes: Failures with their reasons.
        unread: Episodes that were left unread because the time was over.
    """

    read: int = 0
    new: int = 0
    renewed: int = 0
    updated: int = 0
    disputed: int = 0
    notes: tuple[str, ...] = ()
    unread: int = 0

    def plus(self, other: ExtractionReport) -> ExtractionReport:
        """Returns the sum of two reports."""
        return ExtractionReport(
            self.read + other.read,
            self.new + other.new,
            self.renewed + other.renewed,
            self.updated + other.updated,
            self.disputed + other.disputed,
            tuple(dict.fromkeys((*self.notes, *other.notes))),
            self.unread + other.unread,
        )
