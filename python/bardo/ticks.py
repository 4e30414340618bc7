"""Logical time: which tick it is now, and how many ticks make a day."""

from __future__ import annotations

import operator
from typing import SupportsIndex

from bardo import config
from bardo.errors import DecreasingTickError, InvalidInputError
from bardo.ports import Clock

MICROSECONDS = 1_000_000
#: SQLite and Arrow hold signed 64-bit integers.
MAX_TICK = 2**63 - 1


class Ticks:
    """Turns the wall clock and the caller's own ticks into the one order that every stage uses.

    Args:
        settings: The unit and the length of a day.
        clock: The wall clock.
        last: The last tick in the log.
        loops: Whether the caller has ever passed a tick of its own, which makes `auto` mean `loops`.
    """

    def __init__(self, settings: config.Clock, clock: Clock, *, last: int, loops: bool) -> None:
        self._settings = settings
        self._clock = clock
        self._last = last
        self._loops = loops if settings.unit == "auto" else settings.unit == "loops"
        self._begun = False

    @property
    def loops(self) -> bool:
        """Whether a tick is a loop of the caller's rather than a second."""
        return self._loops

    @property
    def per_day(self) -> int:
        """Ticks in a day, for ages and expiries that are given in days."""
        if self._settings.ticks_per_day:
            return self._settings.ticks_per_day
        return config.LOOP_TICKS_PER_DAY if self._loops else config.SECONDS_PER_DAY

    def tau(self, settings: config.Decay) -> float:
        """The e-folding time of decay, in ticks."""
        if settings.tau_ticks:
            return settings.tau_ticks
        return config.LOOP_TAU_TICKS if self._loops else config.SECONDS_TAU_TICKS

    def now(self) -> int:
        """The current tick; never less than one that was seen."""
        if self._loops:
            return self._last
        return max(self._last, self._clock.now() // MICROSECONDS)

    def of(self, at: int) -> int:
        """The tick of something that was seen at `at` (microseconds UTC) and brings no tick of its own.

        A conversation that is captured afterwards keeps its own times this way; ticks still never go back, nor does a
        time that is not yet make it later than it is.
        """
        return self._last if self._loops else max(self._last, min(at, self._clock.now()) // MICROSECONDS)

    def stamp(self, given: SupportsIndex | None) -> int:
        """The tick of something that happens now: the caller's if it gave one.

        Raises:
            InvalidInputError: The tick is not a whole number from 0 to 2**63 - 1.
            DecreasingTickError: It is the first of the caller's own, and lies before the seconds that were counted.
        """
        if given is None:
            return self.now()
        tick = checked_tick(given)
        if not self._loops and self._settings.unit == "auto" and tick < self._last:
            raise DecreasingTickError(
                f"tick {tick} is before {self._last}, the second at which something was kept without a tick. Pass your "
                'own ticks from the beginning, or none; clock.unit = "loops" in bardo.toml says so before the first one'
            )
        return tick

    def begin(self) -> bool:
        """Whether a first tick was seen since this was asked before; true once in a life."""
        begins = not self._begun and self._last > 0
        self._begun |= begins
        return begins

    def seen(self, tick: int, *, own: bool) -> None:
        """Notes a tick that the log has accepted; `own` when the caller passed it itself."""
        self._last = max(self._last, tick)
        if own and self._settings.unit == "auto":
            self._loops = True


def checked_tick(given: SupportsIndex) -> int:
    """A tick of a caller's as a number.

    Raises:
        InvalidInputError: It is not a whole number from 0 to 2**63 - 1.
    """
    try:
        tick = operator.index(given)
    except TypeError as error:
        raise InvalidInputError(f"tick is {given!r}. A tick is a whole number from 0 to 2**63 - 1") from error
    if isinstance(given, bool) or not 0 <= tick <= MAX_TICK:
        raise InvalidInputError(f"tick is {given!r}. A tick is a whole number from 0 to 2**63 - 1")
    return tick
