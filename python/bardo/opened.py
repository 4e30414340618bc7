"""What every verb of a grimoire stands on: the parts of an open memory, and whether it may be used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from bardo._core import EpisodeLog, FactStore, HotSet
from bardo.config import Config
from bardo.folder import Folder
from bardo.index.models import ModelKeeper
from bardo.index.upkeep import Upkeep
from bardo.ports import Clock
from bardo.stores import Stores
from bardo.ticks import Ticks


class Opened(ABC):
    """An agent's memory while it is open. `Grimoire` holds the parts; the files of verbs use them.

    Attributes:
        path: The folder.
        agent: Whose memory it is; part of every file in the folder.
        config: The settings in force.
    """

    path: Path
    agent: str
    config: Config
    _folder: Folder
    _stores: Stores
    _log: EpisodeLog
    _facts: FactStore
    _hot: HotSet
    _clock: Clock
    _ticks: Ticks
    _upkeep: Upkeep
    _models: ModelKeeper

    @property
    def now_tick(self) -> int:
        """The current tick."""
        return self._ticks.now()

    @property
    @abstractmethod
    def is_dead(self) -> bool:
        """Whether the agent has left its testament; its memory can be read but takes nothing more."""

    @abstractmethod
    def _ready(self, *, write: bool = False) -> None:
        """Refuses a memory that is closed, that a fork took along, or to write into one whose agent has died."""
