"""Vitals: the state of a life that an open memory keeps up to date from its log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bardo import _atomic
from bardo._core import EpisodeLog
from bardo.clock import Ticks
from bardo.config import Life
from bardo.errors import ConfigError, StoreDamagedError
from bardo.life import clocks
from bardo.life.clocks import DeathPhase, Phase, PhaseChange, Vitality
from bardo.life.history import CachedDecision, History, Marker
from bardo.model import Episode

#: Names of the log's watermarks for all that was spent and earned, in millionths.
SPENT, EARNED = "life.spent", "life.earned"
#: The same for the sum that was set aside at birth for the death, and for its spending by the death.
SET_ASIDE, SPENT_BY_DEATH = "life.reserve", "life.reserve_spent"
#: The same for the lifespan in ticks, which every process can then measure the age by.
LIFESPAN = "life.lifespan"
_MILLION = 1_000_000
#: Largest sum of a life: larger ones do not fit the log.
_MOST = 2**62
#: Verified episodes that are read at once, and read since the last checkpoint before the next.
_PAGE, _UNSAVED = 256, 1_024
#: Smallest size of a marker that a prompt tells.
_TELLING = 0.2


class Vitals:
    """Reads the clocks of a life. Thread-safe.

    Args:
        log: Episode log.
        ticks: Logical time.
        settings: Budget and lifespan.
        path: File of the checkpoint.
        birth: Returns the first tick of the life; None before there is one.
        death: Returns the phase of a death that has begun; None before.
    """

    def __init__(
        self,
        log: EpisodeLog,
        ticks: Ticks,
        settings: Life,
        path: Path,
        *,
        birth: Callable[[], int | None],
        death: Callable[[], DeathPhase | None],
    ) -> None:
        self._log, self._ticks, self._settings, self._path = log, ticks, settings, path
        self._find_birth, self._death = birth, death
        self._birth: int | None = None
        self._lock = threading.RLock()
        self._history: History | None = None
        self._saved = 0

    @property
    def is_mortal(self) -> bool:
        """Whether a budget or a lifespan is set; without either, phases change nothing."""
        return bool(self._settings.budget or self._lifespan())

    def phase(self) -> Phase | None:
        """The phase that sets the budgets of prompts; None for an agent that is not mortal."""
        return self.measure().phase if self.is_mortal else None

    def measure(self) -> Vitality:
        """Measures the vitality at the current tick."""
        history = self._read()
        tick = self._ticks.now()
        spent = (self._log.watermark(SPENT) - self._log.watermark(EARNED)) / _MILLION
        measured = clocks.measure(
            tick=tick,
            age=max(0, tick - self._birth_tick(tick)),
            budget=self._settings.budget,
            spent=spent,
            set_aside=self._set_aside(),
            reserve=max(0.0, self._set_aside() - self._log.watermark(SPENT_BY_DEATH) / _MILLION),
            lifespan=self._lifespan(),
            fitness=history.fitness,
            outcomes=history.outcomes,
            affect=history.affect.decayed(tick - history.tick, self._ticks.per_day),
            before=history.phase,
            death=self._death(),
            markers=len(history.markers),
            dangers=sum(map(history.is_danger, history.markers.values())),
            decisions=len(history.decisions),
        )
        if self._settings.budget or not self._log.watermark(SET_ASIDE):
            return measured
        note = (
            "this agent was born with a budget, which is unknown here: set life.budget in bardo.toml, so that every "
            "process knows it"
        )
        return replace(measured, budget_known=False, notes=(note,))

    def marker(self, key: str | None) -> Marker | None:
        """Returns the marker of a situation, if there is one.

        Args:
            key: Key of the situation; None for one that has none.
        """
        history = self._read()
        return history.markers.get(key, history.overall.get(key)) if key else None

    def base(self, marker: Marker) -> tuple[int, int] | None:
        """Numbers of bad and of all other outcomes, if those of a marker are surely worse; else None.

        Args:
            marker: Marker of a situation.
        """
        history = self._read()
        return (
            (history.bad - marker.bad, history.all - marker.outcomes) if history.is_danger(marker) else None
        )

    def recent(self) -> list[Episode]:
        """Returns the latest outcomes that are still in the log, the oldest first."""
        return [episode for episode in self._log.get(self._read().recent) if episode is not None]

    def decision(self, key: str | None) -> CachedDecision | None:
        """Returns the latest decision of a situation, if it is cached.

        Args:
            key: Key of the situation without its action; None for one that has none.
        """
        return self._read().decisions.get(key) if key else None

    def _lifespan(self) -> int:
        return self._settings.lifespan_ticks or self._log.watermark(LIFESPAN)

    def note_lifespan(self) -> None:
        """Keeps the lifespan of the settings, durably: other processes may open the memory without them."""
        lifespan = self._settings.lifespan_ticks
        with self._lock:
            if lifespan and lifespan != self._log.watermark(LIFESPAN):
                self._log.set_watermark(LIFESPAN, lifespan)

    def set_aside(self) -> None:
        """Sets the reserve for the death aside, durably and once in a life: later settings do not change it.

        Raises:
            ConfigError: The budget is no larger than the reserve.
        """
        budget, least = self._settings.budget, self._settings.least_reserve
        with self._lock:
            if not budget or self._log.watermark(SET_ASIDE):
                return
            if budget <= (reserve := clocks.reserve_of(budget, least)):
                raise ConfigError(
                    f"life.budget is {budget:g}, and {reserve:g} of it would be set aside for the death. Raise it, or "
                    "lower life.least_reserve"
                )
            self.book(SET_ASIDE, reserve)

    def _set_aside(self) -> float:
        return self._log.watermark(SET_ASIDE) / _MILLION if self._settings.budget else 0.0

    def pay(self, cost: float) -> None:
        """Books the cost of a call of a language model; a death draws on the reserve beyond its budget.

        Args:
            cost: Sum in the unit of the budget, not below 0.
        """
        with self._lock:
            now = self.measure()
            of_reserve = min(max(0.0, cost - now.left), now.reserve) if now.death == "reflect" else 0.0
            self.book(SPENT, cost - of_reserve)
            if of_reserve:
                self.book(SPENT_BY_DEATH, of_reserve)

    def balance(self) -> float:
        """Sum that calls of a language model may cost now: the reserve is spent by the death alone."""
        now = self.measure()
        return now.left + (now.reserve if now.death == "reflect" else 0.0)

    def book(self, name: str, amount: float) -> None:
        """Adds to what was spent or earned, durably.

        Args:
            name: Name of the sum, such as `SPENT`.
            amount: Sum in the unit of the budget, not below 0.
        """
        with self._lock:
            total = self._log.watermark(name) + round(min(amount, _MOST / _MILLION) * _MILLION)
            self._log.set_watermark(name, min(total, _MOST))

    def changed(self) -> PhaseChange | None:
        """Returns the change of the phase since the one last returned, which the checkpoint names."""
        with self._lock:
            history = self._read()
            now, before = self.measure(), history.phase
            if now.phase == before:
                return None
            history.phase = now.phase
            self._save(history)
        return PhaseChange(before, now.phase, now)

    def checkpoint(self) -> None:
        """Saves the history if much was read since the last checkpoint."""
        with self._lock:
            history = self._read()
            if history.seen - self._saved >= _UNSAVED:
                self._save(history)

    def forget(self) -> None:
        """Deletes the checkpoint: the history is read again, without what was deleted."""
        with self._lock:
            phase = self._load().phase
            self._path.unlink(missing_ok=True)
            self._history, self._saved = History(phase=phase), 0

    def _load(self) -> History:
        """The history as it was last read."""
        if self._history is None:
            try:
                stored = _atomic.read_json(self._path)
            except StoreDamagedError:
                stored = None  # derived from the log
            self._history = History.from_dict(stored)
            self._saved = self._history.seen
        return self._history

    def _read(self) -> History:
        """The history with every verified episode."""
        with self._lock:
            history = self._load()
            while page := self._log.verified_since(history.seen, _PAGE):
                for number, episode in page:
                    history.add(number, episode, ticks_per_day=self._ticks.per_day)
            return history

    def _save(self, history: History) -> None:
        # The checkpoint must not be ahead of the log after a power loss.
        self._log.flush()
        _atomic.write_json(self._path, history.to_dict())
        self._saved = history.seen

    def _birth_tick(self, tick: int) -> int:
        if self._birth is None:
            self._birth = self._find_birth()
        return tick if self._birth is None else self._birth


def told(vitality: Vitality, situation: Sequence[str] = ()) -> str:
    """States a vitality in a sentence for a prompt.

    Args:
        vitality: Measurement.
        situation: Sentences about the situation, from `told_marker` and the like, to be added.
    """
    parts = [f"Vitality {vitality.value:.2f}, {vitality.phase}"]
    if vitality.budget:
        rest = "" if vitality.ticks_left is None else f", about {vitality.ticks_left:.0f} ticks at this rate"
        parts.append(f"budget {vitality.economic:.0%} left{rest}")
    if vitality.outcomes:
        parts.append(f"outcomes {vitality.epistemic:.0%} good")
    if vitality.lifespan:
        parts.append(f"age {vitality.hayflick_ratio:.0%} of the lifespan")
    if vitality.dying:
        parts.append(f"dying ({', '.join(vitality.dying)})")
    if vitality.death:
        parts.append(f"death has begun ({vitality.death}): take on nothing new and settle what is open")
    parts.append(f"mood {vitality.affect.label}")
    parts += situation
    return "; ".join(parts) + "."


def told_marker(marker: Marker) -> list[str]:
    """States a marker that is clear enough for a prompt."""
    if abs(marker.value) < _TELLING:
        return []
    ended = "well" if marker.value > 0 else "badly"
    return [f"situations like this ended {ended} ({marker.value:+.1f}, {marker.outcomes} outcomes)"]
