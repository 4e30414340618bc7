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
    """Base of handles that open a memory's folder without its log. Close it after use.

    Attributes:
        path: Folder of the memory.
        agent: Name of the agent.
    """

    path: Path
    agent: str
    #: Error message after close, with the folder in place of `{0}`.
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
        """Releases the files."""

    def close(self) -> None:
        """Releases the files. Idempotent."""
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
        """Raises an error after close, and in a fork of the process that opened it."""
        if self._pid != os.getpid():
            raise forked_error(self.path, self._pid)
        if self._closed:
            raise GrimoireClosedError(self._CLOSED.format(str(self.path)))


def facts_of(folder: Folder, agent: str | None, settings: Config) -> FactStore:
    """Opens the fact store of a folder without the log or its lease; the store checks the agent.

    Args:
        folder: Folder of the memory.
        agent: Name of the agent, if the settings do not have it.
        settings: Settings of the folder.

    Raises:
        NotFoundError: There is no fact store.
        StoreForeignError: It belongs to another agent.
    """
    if not folder.facts.exists():
        raise NotFoundError(
            f"there are no facts in {folder.root}: its owner has only begun to make it, or {folder.facts.name} was "
            "lost. Try again in a moment, or open it with bardo.open, which says what is wrong"
        )
    try:
        # The store assigns no ids here, so the seed does not matter.
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
