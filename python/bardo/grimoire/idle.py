"""Dreams that start by themselves in a thread while an open memory is idle, and stop at the next call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bardo import config
from bardo.ports import Clock

#: Microseconds in a minute.
MINUTE = 60_000_000
#: Maximum wait between two looks at the clock, in seconds: a wall clock may be set, or stand still for a while.
LONGEST_WAIT = 60.0
#: Makes a dream that ends as soon as its argument returns True, and returns whether it came to its end.
Dreamer = Callable[[Callable[[], bool]], bool]


class IdleDreams:
    """Starts dreams while no caller uses a memory, one at a time. Thread-safe.

    Args:
        settings: When a dream starts.
        clock: Wall clock, by which idle time is measured.
        can_dream: Whether there is something new to dream of, and the memory may be written.
    """

    def __init__(self, settings: config.Dreams, clock: Clock, can_dream: Callable[[], bool]) -> None:
        self._idle = round(settings.idle_minutes * MINUTE)
        self._clock = clock
        self._can_dream = can_dream
        self._calls = 0
        self._last_call = clock.now()
        self._closed = False
        self._wake = threading.Condition()
        #: Held by a dream, and by the calls that must not run beside one.
        self._asleep = threading.RLock()
        self._thread: threading.Thread | None = None
        self._counts = {"started": 0, "completed": 0, "interrupted": 0}
        self._fault: str | None = None

    def start(self, dream: Dreamer) -> None:
        """Begins to watch for idle time in a thread, where the settings ask for it.

        Args:
            dream: Makes a dream.
        """
        if self._idle:
            self._thread = threading.Thread(
                target=self._watch, args=(dream,), name="bardo dreams", daemon=True
            )
            self._thread.start()

    def called(self, *, idle: bool = False) -> None:
        """Notes a call: a running dream stops before its next replay, and the idle time begins again.

        Args:
            idle: Whether the call is no use of the memory, so that the idle time goes on.
        """
        self._calls += 1
        if self._idle and not idle:
            self._last_call = self._clock.now()

    def look(self) -> None:
        """Looks at the clock now: starts a dream if the memory has been idle for long enough. Does not wait."""
        if self._thread is not None:
            with self._wake:
                self._wake.notify()

    @contextmanager
    def awake(self, *, idle: bool = False) -> Iterator[None]:
        """Interrupts a dream, waits for its end, and lets none start meanwhile.

        Args:
            idle: Whether the call is no use of the memory, so that the idle time goes on.
        """
        self.called(idle=idle)
        with self._asleep:
            yield
        self.called(idle=idle)

    def close(self) -> None:
        """Interrupts a dream, waits for its end, and starts none any more. Idempotent."""
        self._closed = True
        self.look()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def stats(self) -> dict[str, Any]:
        """Returns how many dreams started by themselves, came to their end and were interrupted; plain types."""
        running = self._counts["started"] - self._counts["completed"] - self._counts["interrupted"]
        return {
            "idle_minutes": self._idle / MINUTE,
            **self._counts,
            "dreaming": running > 0,
            "fault": self._fault,
        }

    def _watch(self, dream: Dreamer) -> None:
        while not self._closed:
            calls = self._calls
            with self._wake:
                seconds = (self._last_call + self._idle - self._clock.now()) / 1e6
                if seconds > 0 and not self._closed:
                    self._wake.wait(min(seconds, LONGEST_WAIT))
                    continue
            self._dream(dream, calls)

    def _dream(self, dream: Dreamer, calls: int) -> None:
        with self._asleep:
            if not self._closed and self._calls == calls and self._can_dream():
                self._counts["started"] += 1
                ended = False
                try:
                    ended = dream(lambda: self._closed or self._calls != calls)
                except Exception as error:  # no caller waits for this thread: `stats` has the fault
                    import logging

                    self._fault = f"{type(error).__name__}: {error}"
                    logging.getLogger("bardo.dreams").exception("a dream that started by itself failed")
                self._counts["completed" if ended else "interrupted"] += 1
        if self._calls == calls:
            # Until the next call there is nothing new to dream of, or the same fault.
            self._last_call = self._clock.now()
