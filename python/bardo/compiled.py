"""The verbs about what facts are compiled into: the dossier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from bardo._core import FactStore
from bardo.config import Config
from bardo.folder import Folder
from bardo.lazily import modules, once
from bardo.ports import Clock, Progress, quiet

if TYPE_CHECKING:
    from bardo.consolidate import dossier
    from bardo.consolidate.dossier import Dossier, Dossiers
    from bardo.erasure import ForgetReport
else:
    (dossier,) = modules("consolidate.dossier")


class Compiled(ABC):
    """What a `Grimoire` makes of its facts for people and for prompts."""

    agent: str
    config: Config
    _folder: Folder
    _facts: FactStore
    _clock: Clock

    @once
    def _dossiers(self) -> Dossiers:
        """Compiles the dossier."""
        return dossier.Dossiers(self._folder.dossier, self._facts, self.config.dossier, self.agent)

    @abstractmethod
    def _ready(self, *, write: bool = False) -> None: ...

    @property
    @abstractmethod
    def now_tick(self) -> int:
        """The current tick."""

    @property
    @abstractmethod
    def is_dead(self) -> bool:
        """Whether this life has ended."""

    def dossier(self, *, progress: Progress = quiet) -> Dossier:
        """All that is known on one page of fewer than 600 words, as in `DOSSIER.md`.

        Facts in force by category, with an index, cross references and how sure each is. Of two that contradict each
        other the stronger stands; what is left out is counted. Compiled anew if a fact is newer than the file.

        Args:
            progress: Told when it is compiled.
        """
        self._ready()
        return self._dossiers.current(
            tick=self.now_tick, now=self._clock.now(), keep=not self.is_dead, progress=progress
        )

    def _fresh_dossier(self) -> Dossier | None:
        return self._dossiers.fresh(tick=self.now_tick)

    def _recompile(self, report: ForgetReport) -> None:
        """Makes anew what a deletion took away."""
        if self._folder.dossier.name in report.removed and not self.is_dead:
            self._compile(at_once=True)

    def _compile(self, *, at_once: bool) -> None:
        """Brings what is compiled up to date, when that is due."""
        self._dossiers.keep_up(tick=self.now_tick, now=self._clock.now(), at_once=at_once)
