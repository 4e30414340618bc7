"""Medians of calls that take turns, so that other load on the machine affects all of them alike."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Time that all threads of this process had on the processor: on one core it is the duration of a call on an idle
#: machine, and it stays so on a shared one.
CPU = time.process_time
#: Time that passed, waiting for the disk included.
WALL = time.perf_counter

#: Calls of each system before the clock runs.
WARM = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report.

    Args:
        what: Name of the table.
        system: Who did it.
        seconds: The median; 0 where it is no time.
        ratio: bardo's median over this one; None for bardo itself and where there is none.
        bar: What the ratio may be at most, in words; empty if there is none.
        note: Recall, counts, or why there is no number.
        shown: The value as text, if it is no time.
    """

    what: str
    system: str
    seconds: float = 0.0
    ratio: float | None = None
    bar: str = ""
    note: str = ""
    shown: str = ""

    @property
    def value(self) -> str:
        """The value with its unit."""
        if self.shown or not self.seconds:
            return self.shown
        return f"{self.seconds * 1e6:.0f} us" if self.seconds < 1e-3 else f"{self.seconds * 1e3:.2f} ms"


def one_core() -> None:
    """Keeps this process, with every thread that any library starts, on one processor."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def in_turns(
    calls: Mapping[str, Callable[[Any], object]],
    arguments: Sequence[Any],
    *,
    clock: Callable[[], float] = CPU,
) -> dict[str, float]:
    """Medians in seconds: for each argument every call has its turn, each time another one first.

    Args:
        calls: Calls by name.
        arguments: Arguments of one call after the other.
        clock: `CPU`, or `WALL` where the work waits for the disk.
    """
    names = list(calls)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        for argument in arguments[:WARM]:
            calls[name](argument)
    gc.collect()
    gc.disable()
    try:
        for turn, argument in enumerate(arguments):
            for place in range(len(names)):
                name = names[(turn + place) % len(names)]
                started = clock()
                calls[name](argument)
                taken[name].append(clock() - started)
    finally:
        gc.enable()
    return {name: statistics.median(values) for name, values in taken.items()}


def both_ways(
    calls: Mapping[str, Callable[[Any], object]], arguments: Sequence[Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """Medians of calls that take turns; and of the same calls in a row, each with all arguments one after the other, so
    that it finds in the caches what it used just before.
    """
    turns = in_turns(calls, arguments)
    return turns, {name: in_turns({name: call}, arguments)[name] for name, call in calls.items()}


def rows(
    what: str,
    medians: Mapping[str, float],
    *,
    ours: str = "bardo",
    bars: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
) -> list[Row]:
    """The medians as lines, with bardo's ratio to each."""
    bars, notes = bars or {}, notes or {}
    return [
        Row(
            what,
            name,
            seconds,
            None if name == ours or ours not in medians else medians[ours] / seconds,
            bars.get(name, ""),
            notes.get(name, ""),
        )
        for name, seconds in medians.items()
    ]


def rows_of_both(
    what: str,
    medians: tuple[Mapping[str, float], Mapping[str, float]],
    *,
    bars: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
) -> list[Row]:
    """The medians of `both_ways` as lines."""
    turns, row = medians
    return rows(what, turns, bars=bars, notes=notes) + rows(f"{what}, in a row", row, bars=bars)
