"""Snapshot of the hot set on disk: conditions of writing and of deleting it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TypedDict

from bardo._core import EpisodeLog, HotSet
from bardo.errors import StoreUnavailableError


class LoadReport(TypedDict):
    """Report of the loading of a hot set."""

    #: Number of memories from the snapshot.
    restored: int
    #: Number of episodes read from the log.
    replayed: int
    #: Reason why an existing snapshot was not used.
    refused: str | None


#: Minimum number of new episodes or vectors for a new snapshot.
_CHANGES = 512
#: Minimum share of new episodes or vectors for a new snapshot, so that a large one is not rewritten for few changes.
_SHARE = 0.02


class Snapshot:
    """Maintains `hot.snapshot`, which is derived: without it, opening reads the whole log.

    Args:
        path: File of the snapshot.
        log: Episode log.
        hot: Hot set to save.
        opened: Report of `HotSet.load`.

    Attributes:
        opened: Report of `HotSet.load`.
    """

    def __init__(self, path: Path, log: EpisodeLog, hot: HotSet, opened: LoadReport) -> None:
        self._path = path
        self._log = log
        self._hot = hot
        self.opened = opened
        episodes, vectors = self._size()
        replayed = opened["replayed"]
        self._saved = (episodes - replayed, vectors - replayed) if opened["restored"] else (0, 0)

    def renew(self) -> int:
        """Deletes the snapshot, and writes a new one if the memory is large enough."""
        self._path.unlink(missing_ok=True)
        return self.save_if_due()

    def save_if_due(self) -> int:
        """Writes the snapshot if enough has changed since the last one.

        A file that cannot be written is only a warning, since the next opening reads the log.

        Returns:
            Size of the snapshot in bytes; 0 if it was not due.
        """
        if not self._path.exists():
            # A deletion removes the snapshot: it holds words and vectors of deleted memories (law 11).
            self._saved = (0, 0)
        size = self._size()
        changes = max(abs(now - then) for now, then in zip(size, self._saved, strict=True))
        if changes < max(_CHANGES, _SHARE * size[0]):
            return 0
        try:
            written = self._hot.save(self._path)
        except StoreUnavailableError as error:
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)
            return 0
        if written:
            self._saved = size
        return written

    def _size(self) -> tuple[int, int]:
        stats = self._log.stats()
        return stats["episodes"], stats["with_vectors"]
