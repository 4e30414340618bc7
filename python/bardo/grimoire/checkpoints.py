"""Checkpoint of a session: how far it came, so that the next one notices that it was cut off."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from bardo._atomic import damaged, read_json, write_json

#: Number of exchanges between two checkpoints.
EXCHANGES = 3
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """State of a session. It holds ids and numbers, no text.

    Args:
        is_open: Whether the session has not ended.
        session: Name of the session; empty if it has none.
        exchanges: Number of exchanges (replies of the agent) so far.
        last: Id of the last episode at the checkpoint.
        doing: Id of the entry of state with the unfinished work; empty if there is none.
        at: Wall clock, microseconds UTC.
    """

    is_open: bool = False
    session: str = ""
    exchanges: int = 0
    last: str = ""
    doing: str = ""
    at: int = 0

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """Reads a checkpoint; None if there is none.

        Raises:
            StoreDamagedError: The file is damaged.
        """
        fields = read_json(path)
        if fields is None:
            return None
        fields.pop("version", None)
        try:
            return cls(**fields)
        except TypeError as error:
            raise damaged(path, error) from error

    def save(self, path: Path) -> None:
        """Writes the checkpoint atomically and durably."""
        write_json(path, {"version": _VERSION, **asdict(self)})


class Checkpoints:
    """Checkpoints of the session that this process runs.

    Args:
        path: File of the checkpoint.

    Attributes:
        unfinished: Checkpoint of an earlier session that did not end, until it is resumed.
        detached: Whether the session outlives this process, as where every turn is a process of its own.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.detached = False
        found = Checkpoint.load(path)
        self.unfinished = found if found is not None and found.is_open else None
        self._own = Checkpoint(doing=found.doing if found else "")
        self._counted = 0

    @property
    def doing(self) -> str:
        """Id of the entry of state with the unfinished work; empty if there is none."""
        return self._own.doing

    def resume(self) -> None:
        """Marks the checkpoint of the earlier session as resumed."""
        if self.unfinished is not None:
            self.unfinished = None
            self._own.save(self._path)

    def join(self, session: str) -> None:
        """Continues the earlier session if it has this name, as the next process of the same session does."""
        if self.unfinished is not None and self.unfinished.session == session:
            self._own, self.unfinished = self.unfinished, None
            self._counted = self._own.exchanges % EXCHANGES

    def exchange(self, *, count: int, last: str, session: str, at: int) -> bool:
        """Counts exchanges, and writes a checkpoint at the first one and after every three; returns whether it did.

        Args:
            count: Number of exchanges.
            last: Id of the last episode.
            session: Name of the session; empty if it has none.
            at: Wall clock, microseconds UTC.
        """
        is_first = not (self._own.is_open and self._own.exchanges)
        self._own = replace(
            self._own, is_open=True, session=session, exchanges=self._own.exchanges + count, last=last, at=at
        )
        self._counted += count
        if not is_first and self._counted < EXCHANGES:
            return False
        self._counted = 0 if self._counted >= EXCHANGES else self._counted
        self._own.save(self._path)
        return True

    def work(self, doing: str, *, at: int) -> None:
        """Writes a checkpoint with the work that is being done.

        Args:
            doing: Id of its entry of state; empty if it is done.
            at: Wall clock, microseconds UTC.
        """
        self._own = replace(self._own, is_open=bool(doing) or self._own.is_open, doing=doing, at=at)
        self._own.save(self._path)

    def close(self) -> None:
        """Ends the session, unless it outlives this process. Its unfinished work stays."""
        if self._own.is_open and not self.detached:
            self._own = replace(self._own, is_open=False)
            self._own.save(self._path)
