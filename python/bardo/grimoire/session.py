"""What every verb of a grimoire stands on: the parts of an open memory, and whether it may be used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bardo._core import EpisodeLog, FactStore, HotSet
from bardo._lazy import modules, once
from bardo.clock import Ticks
from bardo.config import Config
from bardo.folder import Folder
from bardo.grimoire.stores import Stores
from bardo.index.indexer import Upkeep
from bardo.index.keeper import ModelKeeper
from bardo.ports import Clock, Progress, quiet

if TYPE_CHECKING:
    from bardo.assemble import copies
    from bardo.assemble.copies import MadePrompts
    from bardo.grimoire import events
    from bardo.grimoire.events import Events
    from bardo.index.embedding.migration import MigrationReport
else:
    events, copies = modules("grimoire.events", "assemble.copies")

Event = TypeVar("Event")


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

    @once
    def _made_prompts(self) -> MadePrompts:
        """The passages of this agent's prompts, by which copies are known again."""
        return copies.MadePrompts(self.path, agent=self.agent)

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

    @abstractmethod
    def _embed(self, progress: Progress = quiet) -> int:
        """Gives what has no vectors its own; how many memories got some."""

    @abstractmethod
    def _moved(self, report: MigrationReport | None) -> None:
        """Lets go of what belonged to the model before, if a migration has switched to another."""

    @once
    def _events(self) -> Events:
        """Who listens."""
        return events.Events()

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Lets a callable know of what happens in this memory, while it is open and by this process.

        It is called with the report that the verb returns, once all of it is done, in the thread that did it: after a
        pass of the Curator (`CuratorCycleComplete`), a dream (`DreamComplete`), a lint (`LintReport`), a deletion
        (`ForgetReport`), a death (`Testament`) and an inheritance (`InheritanceReport`); no dry run. What it raises
        is logged (logger `bardo.events`) and stops neither the verb nor other listeners.

        Args:
            event: The class of the report.
            listener: Called with it.

        Returns:
            Ends the subscription when called; calling it again does nothing.

        Raises:
            InvalidInputError: The class is no event.
        """
        self._ready()
        return self._events.on(event, listener)

    def _emit(self, happened: Event) -> Event:
        """Tells who listens; the event itself is the answer."""
        if listening := type(self)._events.made(self):
            listening.emit(happened)
        return happened
