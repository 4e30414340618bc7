"""The verb for idle time: replaying what was lived, and what a dream proposes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from bardo._core import EpisodeLog, FactStore, HotSet
from bardo.lazily import modules
from bardo.ports import Clock, Progress, quiet
from bardo.stores import Stores
from bardo.ticks import Ticks

if TYPE_CHECKING:
    from bardo.consolidate import dream
    from bardo.consolidate.dream import DreamComplete
    from bardo.consolidate.replay import Replayer
else:
    (dream,) = modules("consolidate.dream")


def _never() -> bool:
    return False


class Dreaming(ABC):
    """What a `Grimoire` does while nothing else is to be done."""

    _log: EpisodeLog
    _facts: FactStore
    _hot: HotSet
    _clock: Clock
    _ticks: Ticks
    _stores: Stores

    @property
    @abstractmethod
    def _replayer(self) -> Replayer: ...

    @abstractmethod
    def _ready(self, *, write: bool = False) -> None: ...

    def dream(
        self,
        *,
        rounds: int | None = None,
        seed: int = 0,
        until: Callable[[], bool] = _never,
        progress: Progress = quiet,
    ) -> DreamComplete:
        """Replays episodes, proposes what they may mean, and lets rules compete (spec 3).

        A proposal is a fact of source `dream` at .3; only episodes that come later can bear it out, and make it the
        agent's own knowledge. What none bears out expires after 14 days. It is one transaction, an act that `undo`
        takes back.

        Args:
            rounds: Replays of 32 episodes, 1 to 128; 32 if not given.
            seed: Of the draws. The same seed on the same history dreams the same.
            until: Asked before each replay whether to wake up; what was replayed by then is dreamt of.
            progress: Told how far it has come.

        Raises:
            InvalidInputError: A number is out of its range.
        """
        self._ready(write=True)
        report = dream.run(
            self._facts, self._log, self._replayer, self._stores.config.curator,
            rounds=dream.ROUNDS if rounds is None else rounds, seed=seed, tick=self._ticks.now(),
            now=self._clock.now(), ticks_per_day=self._ticks.per_day, until=until, progress=progress,
        )  # fmt: skip
        self._hot.sync_facts(self._facts)
        return report
