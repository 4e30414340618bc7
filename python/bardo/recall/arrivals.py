"""Episodes not yet in LanceDB, read from the journal and the inbox by a process that does not own the log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bardo.capture import inbox
from bardo.errors import BardoError
from bardo.model import Episode

#: Maximum number of inbox files to read, the latest.
_FILES = 256
#: Maximum size of the inbox files to read, in bytes.
_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ArrivalBatch:
    """Episodes later than those of LanceDB.

    Args:
        episodes: Episodes by id.
        journaled: Number of episodes in the journal.
        dropped: Number of episodes in the inbox.
        unseen: Number of episodes in neither LanceDB nor the journal; None where it is unknown to this process.
        unread: Number of inbox files not read: beyond the limits, or unreadable.
    """

    episodes: dict[str, Episode]
    journaled: int
    dropped: int
    unseen: int | None
    unread: int


class Arrivals:
    """Episodes in the journal and the inbox of a memory; read again after a change of either.

    Args:
        journaled: Callable that reads the journal.
        journal: File of the journal.
        folder: Folder of the memory.
    """

    def __init__(
        self, journaled: Callable[[], tuple[Sequence[Episode], int]], journal: Path, folder: Path
    ) -> None:
        self._journaled, self._journal, self._folder = journaled, journal, folder
        self._lock = threading.Lock()
        self._signs: tuple[object, object] = (None, None)
        self._in_journal: tuple[Sequence[Episode], int] = ((), 0)
        self._in_inbox: tuple[list[Episode], int] = ([], 0)

    def since(self, seq: int) -> ArrivalBatch:
        """Returns the episodes after an arrival.

        Args:
            seq: Number of the last arrival in LanceDB.
        """
        with self._lock:
            self._keep_in_step()
            known, last = self._in_journal
            dropped, unread = self._in_inbox
        later = max(0, last - seq)
        recent = known[len(known) - min(later, len(known)) :] if last else ()
        episodes = {episode.id: episode for episode in (*dropped, *recent)}
        return ArrivalBatch(
            episodes,
            journaled=len(recent),
            dropped=len(episodes) - len(recent),
            unseen=later - len(recent) if last else None,
            unread=unread,
        )

    def _keep_in_step(self) -> None:
        files = inbox.waiting(self._folder)
        signs = _sign(self._journal), tuple(map(_sign, files))
        if signs[0] != self._signs[0]:
            self._in_journal = self._journaled()
        if signs[1] != self._signs[1]:
            self._in_inbox = _read(files)
        self._signs = signs


def _sign(path: Path) -> tuple[str, int, int] | None:
    """Returns a stamp that changes with a file's content."""
    try:
        state = path.stat()
    except OSError:
        return None
    return path.name, state.st_mtime_ns, state.st_size


def _read(files: list[Path]) -> tuple[list[Episode], int]:
    """Returns the episodes of the latest files, and the number of files not read."""
    found: list[Episode] = []
    left, read = _BYTES, 0
    for path in reversed(files[-_FILES:]):
        try:
            left -= path.stat().st_size
            if left < 0:
                break
            found += inbox.look(path)
        except FileNotFoundError:
            # The owner has just recorded and deleted the file.
            read += 1
        except (BardoError, ValueError, TypeError, OSError):
            continue
        else:
            read += 1
    return found, len(files) - read
