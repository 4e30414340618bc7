"""Handle of a memory that another process may own: opens and closes its stores."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from bardo._core import FactStore
from bardo.config import Config
from bardo.errors import GrimoireClosedError, NotFoundError, StoreForeignError
from bardo.folder import Folder, forked_error


class Handle(ABC):
    """Something that is open in a memory's folder without its log. Close it after use.

    Attributes:
        path: The folder.
        agent: Whose memory it is.
    """

    path: Path
    agent: str
    #: Error message once it is closed, with the folder in place of `{0}`.
    _CLOSED: ClassVar[str]

    def __init__(self, folder: Folder, facts: FactStore) -> None:
        self._folder = folder
        self._facts = facts
        self._pid = os.getpid()
        self._closed = False
        self.path = folder.root
        self.agent = facts.agent

    @abstractmethod
    def _release(self) -> None:
        """Gives the files free."""

    def close(self) -> None:
        """Gives the files free. Idempotent."""
        if self._closed or self._pid != os.getpid():
            return
        self._closed = True
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r}, agent={self.agent!r})"

    def _ready(self) -> None:
        """Refuses work after it was closed, and in a fork of the process that opened it."""
        if self._pid != os.getpid():
            raise forked_error(self.path, self._pid)
        if self._closed:
            raise GrimoireClosedError(self._CLOSED.format(str(self.path)))


def facts_of(folder: Folder, agent: str | None, settings: Config) -> FactStore:
    """Opens the facts of a folder, which say whose it is; neither the log nor its lease is touched.

    Args:
        folder: Of the memory.
        agent: Whose it is, if the settings do not say.
        settings: Of the folder.

    Raises:
        NotFoundError: There are no facts.
        StoreForeignError: They are another agent's.
    """
    if not folder.facts.exists():
        raise NotFoundError(
            f"there are no facts in {folder.root}: its owner has only begun to make it, or {folder.facts.name} was "
            "lost. Try again in a moment, or open it with bardo.open, which says what is wrong"
        )
    try:
        # It gives no ids, so the seed does not matter.
        return FactStore(
            str(folder.facts), agent=agent or settings.agent or folder.root.name, seed=0, create=False
        )
    except StoreForeignError as error:
        if agent or settings.agent:
            raise
        raise StoreForeignError(
            f"{error}. The folder's name was taken because {folder.settings} names no agent: restore that file, or "
            "pass the agent's name"
        ) from error
