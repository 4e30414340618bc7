"""Events of a memory: reports of methods, delivered to listeners."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from bardo.errors import InvalidInputError

Event = TypeVar("Event")

#: Class names of the reports that are events: a pass of the Curator, a dream, a lint, a deletion, a change of the phase
#: of life, the testament of a death, and an inheritance.
EVENTS = (
    "CuratorCycleComplete",
    "DreamComplete",
    "LintReport",
    "ForgetReport",
    "PhaseChange",
    "Testament",
    "InheritanceReport",
)


class Events:
    """Listeners by event. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: dict[type, list[Callable[[Any], object]]] = {}

    def on(self, event: type[Event], listener: Callable[[Event], object]) -> Callable[[], None]:
        """Adds a listener; see `Grimoire.on`."""
        if not isinstance(event, type) or event.__name__ not in EVENTS:
            raise InvalidInputError(f"{event!r} is no event. Listen to one of: {', '.join(EVENTS)}")

        # Each subscription is separate, also for the same listener.
        def called(happened: Event) -> object:
            return listener(happened)

        with self._lock:
            self._listeners.setdefault(event, []).append(called)

        def leave() -> None:
            with self._lock:
                kept = self._listeners.get(event, [])
                if called in kept:
                    kept.remove(called)

        return leave

    def emit(self, happened: object) -> None:
        """Calls every listener in order of subscription; an exception of one is logged, and the next is called."""
        with self._lock:
            listeners = tuple(self._listeners.get(type(happened), ()))
        for listener in listeners:
            try:
                listener(happened)
            except Exception:  # the operation has succeeded, and must not seem to have failed
                import logging

                logging.getLogger("bardo.events").exception(
                    "a listener of %s failed", type(happened).__name__
                )
