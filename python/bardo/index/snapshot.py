"""The hot set on disk: when its snapshot is worth writing, and when it must go."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TypedDict

from bardo._core import EpisodeLog, HotSet
from bardo.errors import StoreUnavailableError


class LoadReport(TypedDict):
    """How a hot set came to be."""

    #: Memories that the snapshot held.
    restored: int
    #: Episodes read from the log.
    replayed: int
    #: Why a snapshot that was there was passed over.
    refused: str | None


#: A snapshot is written again when at least so many episodes or vectors came since the last one,
_CHANGES = 512
#: and at least this share of all: a large snapshot is not rewritten for a little.
_SHARE = 0.02


class Snapshot:
    """Keeps `hot.snapshot` worth having. It is derived: without it, opening reads the whole log.

    Args:
        path: The file.
        log: The ground truth.
        hot: What is saved.
        opened: How the hot set came to be, as `HotSet.load` told.

    Attributes:
        opened: As given.
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
        """Puts a new snapshot in the place of the old one; none where a small memory needs none."""
        self._path.unlink(missing_ok=True)
        return self.save_if_due()

    def save_if_due(self) -> int:
        """Writes the snapshot where enough has changed since the last one.

        A file that cannot be written is a warning: nothing is lost, the next opening reads the log.

        Returns:
            Its bytes; 0 if it was not due.
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
