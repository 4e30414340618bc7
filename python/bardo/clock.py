"""Logical time: the current tick, and the number of ticks in a day."""

from __future__ import annotations

import operator
import warnings
from datetime import UTC, date, datetime, timedelta
from typing import Any, SupportsIndex

from bardo import config
from bardo.errors import BardoWarning, DecreasingTickError, InvalidInputError
from bardo.ports import FIRST_AT, LAST_AT, Clock

MICROSECONDS = 1_000_000
#: Units in which times are mistaken for microseconds, with the microseconds of each.
UNITS = (("seconds", 1_000_000), ("milliseconds", 1_000))
#: First microsecond of the year 2000.
YEAR_2000 = 946_684_800_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: English names of the months, independent of the locale.
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
#: Largest tick: SQLite and Arrow store signed 64-bit integers.
MAX_TICK = 2**63 - 1
#: Largest tick that a caller may pass; records at it expire and decay at later ticks.
MAX_OWN_TICK = 2**62 - 1
#: Maximum lead of a caller's tick over the clock, in seconds, where ticks are seconds: clocks of machines differ.
AHEAD_SECONDS = 86_400
#: Lead of the ticks over the clock above which it is reported, in seconds.
LEAD_SECONDS = 3_600
#: Step between two ticks above which it is reported, in days: facts that decay have decayed by then.
LEAP_DAYS = 365
#: Name of the mark in the fact store that holds the offset of the agent's ticks from the clock or the caller's ticks.
OFFSET = "clock.offset"


class Ticks:
    """Maps the wall clock and the caller's own ticks to the one order that every stage uses.

    Args:
        settings: Unit and length of a day.
        clock: Wall clock.
        last: Last tick in the log.
        loops: Whether the caller has ever passed a tick of its own, which makes `auto` mean `loops`.
        offset: Offset added to the seconds of the clock and to the caller's ticks; not 0 after a rebase.
    """

    def __init__(
        self, settings: config.Clock, clock: Clock, *, last: int, loops: bool, offset: int = 0
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._last = last
        self._loops = loops if settings.unit == "auto" else settings.unit == "loops"
        self._begun = False
        self._leaps: list[str] = []
        self._ended = False
        self.offset = offset

    @property
    def loops(self) -> bool:
        """Whether ticks are loops of the caller rather than seconds."""
        return self._loops

    @property
    def seconds(self) -> int | None:
        """Offset of ticks from the seconds of the epoch; None where ticks are loops, which have no times."""
        return None if self._loops else self.offset

    @property
    def per_day(self) -> int:
        """Ticks in a day, for ages and expiries that are given in days."""
        if self._settings.ticks_per_day:
            return self._settings.ticks_per_day
        return config.LOOP_TICKS_PER_DAY if self._loops else config.SECONDS_PER_DAY

    @property
    def lead(self) -> int:
        """Lead of the last tick over the clock, in seconds; 0 where ticks are loops, or the clock is not behind."""
        return 0 if self._loops else max(0, self._last - self._seconds(self._clock.now()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on faults of time, one sentence each: ticks ahead of the clock, steps over a year."""
        lead = self.lead
        if lead <= LEAD_SECONDS:
            return tuple(self._leaps)
        return (
            *self._leaps,
            f"ticks stand at {self._last}, {lead} seconds after the clock, until it is there: facts do not fade. If "
            "the clock was wrong before and is right now, take the leap back with `maintenance.rebase_ticks` (`bardo "
            "maintenance rebase-ticks`)",
        )

    @property
    def expiry(self) -> int:
        """Ticks after which a contradicted fact, or a dream that nothing confirmed, expires."""
        return min(config.EXPIRY_DAYS * self.per_day, MAX_TICK)

    def tau(self, settings: config.Decay) -> float:
        """The e-folding time of decay, in ticks."""
        if settings.tau_ticks:
            return settings.tau_ticks
        return config.LOOP_TAU_TICKS if self._loops else config.SECONDS_TAU_TICKS

    def now(self) -> int:
        """The current tick; never less than an earlier one."""
        if self._loops or self._ended:
            return self._last
        return max(self._last, self._seconds(self._clock.now()))

    def end(self, tick: int | None = None) -> None:
        """Stops logical time.

        Args:
            tick: Tick of the death; the last one for an agent that was killed earlier.
        """
        self._ended = True
        self._last = self._last if tick is None else tick

    def of(self, at: int) -> int:
        """The tick of a record that was observed at `at` (microseconds UTC) and has no tick of its own.

        A conversation that is captured afterwards keeps its own times this way. Ticks never decrease, and a time in
        the future counts as now.
        """
        return self._last if self._loops else max(self._last, self._seconds(min(at, self._clock.now())))

    def moment(self, tick: int) -> int | None:
        """The instant of a tick, in microseconds UTC; None where ticks are loops, which have no times."""
        return None if self._loops else (tick - self.offset) * MICROSECONDS

    def stamp(self, given: SupportsIndex | None) -> int:
        """The tick of a record made now: the caller's tick if given.

        Raises:
            InvalidInputError: The tick is not a whole number from 0 to 2**62 - 1, or lies more than a day after the
                clock where ticks are seconds.
            DecreasingTickError: It is the caller's first own tick, and lies before the last tick in seconds.
        """
        if given is None:
            return self.now()
        if self._loops or self._settings.unit != "auto":
            return self.own(given, late=False)
        # The first tick of the caller's own: from here on ticks are loops.
        tick = checked_tick(given) + self.offset
        if tick < self._last:
            raise DecreasingTickError(
                f"tick {tick} is before {self._last}, the second at which something was kept without a tick. Pass your "
                'own ticks from the beginning, or none; clock.unit = "loops" in bardo.toml says so before the first one'
            )
        return tick

    def own(self, given: SupportsIndex, *, late: bool) -> int:
        """The tick of a record that has its own.

        Args:
            given: Tick as the caller counts.
            late: Whether it comes from another process, whose ticks do not change the unit to loops.

        Raises:
            InvalidInputError: The same as for `stamp`.
        """
        tick = checked_tick(given) + self.offset
        return self.credible(tick) if late or self._settings.unit != "auto" else tick

    def credible(self, tick: int) -> int:
        """Returns a record's tick after checking its lead over the clock, where ticks are seconds.

        Raises:
            InvalidInputError: It is more than a day ahead of the clock.
        """
        if not self._loops and tick > (now := self._seconds(self._clock.now())) + AHEAD_SECONDS:
            raise InvalidInputError(
                f"tick {tick} is {tick - now} seconds after the clock, and ticks are seconds here: every fact would "
                f"fade by them. Pass one that is at most {AHEAD_SECONDS} seconds after it, or none; if you count your "
                'own, set clock.unit = "loops" in bardo.toml'
            )
        return tick

    def given(self, name: str, moment: SupportsIndex | datetime | None) -> Any:
        """Converts an argument that is a point in time to a tick; returns anything else unchanged.

        Args:
            name: Name of the argument.
            moment: Value of the argument.

        Raises:
            InvalidInputError: It is a datetime without a time zone, or ticks are loops, which have no times.
        """
        if not isinstance(moment, (datetime, str)):
            return moment
        micros = moment_of(moment, name, unit="a tick")
        if self._loops:
            raise InvalidInputError(
                f"{name} is {moment!r}, and ticks count loops of your own here: which one that was is not known. "
                "Pass a tick"
            )
        return max(0, self._seconds(micros))

    def begin(self) -> bool:
        """Whether the agent's first tick has passed since the last call; true once per instance."""
        begins = not self._begun and self._last > 0
        self._begun |= begins
        return begins

    def seen(self, tick: int, *, own: bool) -> None:
        """Records a tick that the log has accepted; `own` if the caller passed it."""
        if own and self._settings.unit == "auto" and not self._loops:
            self._loops = True
            if (word := self._unit_of_clock(tick - self.offset)) is not None:
                warnings.warn(
                    f"tick {tick} is the time of the clock in {word}, but ticks that you pass count loops of your own, "
                    "by which facts fade and expire. Pass none (`g.tick()`), and a tick is a second of the clock; or "
                    'set clock.unit in bardo.toml to "seconds" or "loops", which says what they are',
                    BardoWarning,
                    stacklevel=4,
                )
        known = len(self._leaps)
        self._reach(tick)
        for leap in self._leaps[known:]:
            warnings.warn(leap, BardoWarning, stacklevel=4)

    def _unit_of_clock(self, tick: int) -> str | None:
        """Name of the unit in which a tick is a time of the last day of the clock; None if it is none."""
        now = self._clock.now()
        found = next(
            (
                word
                for word, factor in (*UNITS, ("microseconds", 1))
                if abs(now - tick * factor) <= AHEAD_SECONDS * MICROSECONDS
            ),
            None,
        )
        return found if now >= YEAR_2000 else None

    def instant(self, moment: Any, name: str) -> Any:
        """Converts a point in time from a caller to microseconds UTC; returns None and other types unchanged.

        Args:
            moment: Datetime with a time zone, or microseconds UTC.
            name: Name of the argument, for errors.

        Raises:
            InvalidInputError: It is no such time, or a number of seconds or milliseconds.
        """
        if type(moment) is int and not 0 < moment < YEAR_2000:
            return moment
        return moment_of(moment, name, now=self._clock.now())

    def resume(self, tick: int, *, offset: int) -> None:
        """Continues from the latest tick in the stores."""
        self.offset = offset
        self._reach(tick)

    def _reach(self, tick: int) -> None:
        if self._last and tick - self._last > LEAP_DAYS * self.per_day:
            self._leaps.append(
                f"tick {tick} comes {tick - self._last} ticks after the last one, {self._last}: fading facts have "
                "faded by then. If the clock or the tick was wrong, set it right and take the leap back with "
                "`maintenance.rebase_ticks` (`bardo maintenance rebase-ticks`)"
            )
        self._last = max(self._last, tick)

    def leap(self, given: SupportsIndex | None) -> int:
        """Lead of the last tick over the current time, in ticks.

        Args:
            given: Current tick, as the caller counts; the clock's second if not given.

        Raises:
            InvalidInputError: There is no lead, or ticks are loops and none is given.
        """
        if given is None and self._loops:
            raise InvalidInputError(
                "ticks are the caller's own here, and only the caller knows the right one. Pass it as tick"
            )
        now = self._seconds(self._clock.now()) if given is None else checked_tick(given) + self.offset
        if now >= self._last:
            raise InvalidInputError(
                f"the last tick is {self._last}, which does not run ahead of {now}: there is no leap to take back. Set "
                "the clock right first"
            )
        return self._last - now

    def rebase(self, offset: int) -> None:
        """Sets the offset that makes the last tick the current one."""
        self.offset = offset
        self._leaps.clear()

    def _seconds(self, at: int) -> int:
        return at // MICROSECONDS + self.offset


def moment_of(
    moment: Any, name: str = "at", *, unit: str = "microseconds UTC", now: int | None = None
) -> Any:
    """Converts a point in time to microseconds UTC; returns anything else unchanged.

    Args:
        moment: Datetime with a time zone, or a number.
        name: Name of the argument, for errors.
        unit: Unit of a number, for errors.
        now: Wall clock, microseconds UTC, to notice a number of another unit; None if a number is no microseconds.

    Raises:
        InvalidInputError: It is a text, a date, a datetime without a time zone, or a number of seconds or milliseconds.
    """
    if isinstance(moment, datetime) and moment.utcoffset() is not None:
        return (moment - EPOCH) // timedelta(microseconds=1)
    if isinstance(moment, (date, str)):
        raise InvalidInputError(
            f"{name} is {moment!r}. It must be {unit} or a datetime with a time zone, such as datetime.now(UTC)"
        )
    if now is not None and isinstance(moment, int) and (guess := unit_of(moment, now)) is not None:
        word, factor = guess
        raise InvalidInputError(
            f"{name} is {moment}, which in {unit} is {day_of(moment)}; in {word} it is {day_of(moment * factor)}. Pass "
            f"microseconds ({moment} * {factor:_}), or a datetime with a time zone, also for a time of January 1970"
        )
    return moment


def unit_of(moment: int, now: int) -> tuple[str, int] | None:
    """Name and microseconds of the unit by which a number is a time from 2000 on that has come; None if none is.

    Where the clock itself is that early, as in a simulation that counts from 0, no number is one.

    Args:
        moment: Number given for microseconds of the epoch.
        now: Wall clock, microseconds UTC.
    """
    if now < YEAR_2000:
        return None
    latest = now + AHEAD_SECONDS * MICROSECONDS
    return next((unit for unit in UNITS if YEAR_2000 <= moment * unit[1] <= latest), None)


def date_of(at: int) -> date:
    """Returns the day of an instant, in UTC.

    Args:
        at: Microseconds UTC.

    Raises:
        OverflowError: The instant lies outside the years 1 to 9999.
    """
    return (EPOCH + timedelta(microseconds=at)).date()


def day_of(at: int) -> str:
    """The day of an instant, in UTC: `3 May 2026`; in words outside the years 1 to 9999.

    Args:
        at: Microseconds UTC.
    """
    if not FIRST_AT <= at <= LAST_AT:
        return "before the year 1" if at < 0 else "after the year 9999"
    day = EPOCH + timedelta(microseconds=at)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def last_day(until: int) -> str:
    """The last day of what holds until an instant, in UTC: what ends at midnight has the day before as its last one.

    Args:
        until: Microseconds UTC, not included.
    """
    return day_of(until - 1 if until % (config.SECONDS_PER_DAY * MICROSECONDS) == 0 else until)


def checked_tick(given: SupportsIndex) -> int:
    """Returns a caller's tick as an integer.

    Raises:
        InvalidInputError: It is not a whole number from 0 to 2**62 - 1.
    """
    try:
        tick = operator.index(given)
    except TypeError as error:
        raise InvalidInputError(f"tick is {given!r}. A tick is a whole number from 0 to 2**62 - 1") from error
    if isinstance(given, bool) or not 0 <= tick <= MAX_OWN_TICK:
        raise InvalidInputError(f"tick is {given!r}. A tick is a whole number from 0 to 2**62 - 1")
    return tick
