"""Protocols of the caller's objects that bardo uses: a clock, models, a listener."""

from __future__ import annotations

import math
import numbers
import operator
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from bardo.errors import InvalidInputError
from bardo.model import Fingerprint

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
else:
    Vectors = Any


#: First and last microsecond that Python, Arrow and ISO 8601 can all write as a date: the years 1 to 9999.
FIRST_AT, LAST_AT = -62_135_596_800_000_000, 253_402_300_799_999_999


class Clock(Protocol):
    """Source of the wall-clock time."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC, from the year 1 to 9999."""
        ...


class SystemClock:
    """System clock."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC."""
        return time.time_ns() // 1_000


class ManualClock:
    """Clock that changes only when it is set: for tests, replays and simulations.

    Args:
        now: Microseconds since the Unix epoch, UTC.

    Raises:
        InvalidInputError: The time is not a whole number or not in the years 1 to 9999; `set` and `advance` raise it
            too.
    """

    def __init__(self, now: int = 0) -> None:
        self.set(now)

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC, as last set."""
        return self._now

    def set(self, now: int) -> None:
        """Moves the clock to `now`, in microseconds since the epoch."""
        self._now = checked_time(now, "the time of a ManualClock is")

    def advance(self, seconds: float) -> None:
        """Moves the clock forward by a finite number of seconds, 0 or more; `set` moves it back."""
        if not isinstance(seconds, numbers.Real) or isinstance(seconds, bool) or not 0 <= seconds < math.inf:
            raise InvalidInputError(
                f"seconds of advance() is {seconds!r}. It must be a number from 0; `set` moves the clock back"
            )
        self._now = checked_time(
            self._now + round(seconds * 1_000_000), f"advance({seconds!r}) moves the clock to"
        )


class CheckedClock:
    """Wrapper of a caller's clock that validates each time.

    Args:
        clock: Caller's clock.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC.

        Raises:
            InvalidInputError: The clock's time is not a whole number or not in the years 1 to 9999.
        """
        return checked_time(self._clock.now(), "the clock says")


def checked_time(said: object, where: str) -> int:
    """Validates a time and returns it in microseconds since the Unix epoch, UTC.

    Args:
        said: Time from a clock, or to set one.
        where: Beginning of the error message.

    Raises:
        InvalidInputError: It is not a whole number or not in the years 1 to 9999.
    """
    try:
        now = operator.index(said)  # type: ignore[arg-type]
    except TypeError:
        now = LAST_AT + 1
    if isinstance(said, bool) or not FIRST_AT <= now <= LAST_AT:
        raise InvalidInputError(
            f"{where} {said!r}. A clock gives whole microseconds since the epoch, UTC, of a date from the year 1 to "
            "9999: set it right, or pass another one"
        )
    return now


def checked_clock(clock: Clock | None) -> Clock:
    """Wraps a caller's clock in a `CheckedClock`; the system clock if there is none.

    Raises:
        InvalidInputError: The clock has no method `now`.
    """
    if clock is None:
        return SystemClock()
    if not callable(getattr(clock, "now", None)):
        raise InvalidInputError(
            f"clock is {clock!r}, which has no method now(). Pass an object whose now() returns microseconds since the "
            "Unix epoch, such as bardo.ManualClock"
        )
    return clock if isinstance(clock, (SystemClock, CheckedClock)) else CheckedClock(clock)


class Embedder(Protocol):
    """Embedding model: turns texts into vectors."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity of the model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts to be searched, float32 of shape (len(texts), dims)."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of queries, float32 of shape (len(texts), dims)."""
        ...


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token vectors of a text, grouped by word.

    Args:
        words: Words in order, without the model's special tokens.
        counts: Number of tokens of each word.
        vectors: Token vectors, float32 of shape (sum(counts), dims).
    """

    words: Sequence[str]
    counts: Sequence[int]
    vectors: Vectors


@runtime_checkable
class LateEmbedder(Embedder, Protocol):
    """Embedder that also gives a vector for each token, for late interaction."""

    @property
    def gives_tokens(self) -> bool:
        """Whether the model gives token vectors; reading this may load the model."""
        ...

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        """Splits a text between sentences into parts that fit the model's input together with the text `beside`."""
        ...

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """`embed_documents`, with the tokens of every text."""
        ...

    def embed_late_queries(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """`embed_queries`, with the tokens of every text."""
        ...


class Progress(Protocol):
    """Callback for the progress of a long operation."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Reports `done` of `total` items of a named stage; the total may grow while it is unknown."""
        ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Ignores progress."""


@contextmanager
def stage(name: str, progress: Progress) -> Iterator[None]:
    """Reports the beginning and the end of a stage that has no countable items."""
    progress(name, 0, 1)
    yield
    progress(name, 1, 1)


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a language model.

    Args:
        role: Author of the message.
        content: Text of the message.
    """

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one answer, from the server.

    Args:
        tokens_in: Tokens of the prompt, cached ones included.
        tokens_out: Tokens of the answer.
        tokens_cached: Tokens of the prompt that came from a cache.
    """

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a language model.

    Args:
        text: Text of the answer.
        usage: Tokens of the answer; None where the server does not report them, and they are estimated.
    """

    text: str
    usage: Usage | None = None


class LLM(Protocol):
    """Language model. It is never called during `remember`, and its answers are never trusted."""

    @property
    def model(self) -> str:
        """Name of the model, for the ledger and its prices."""
        ...

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Completion:
        """Returns the model's answer.

        Args:
            messages: Conversation so far, at least one message.
            schema: JSON schema of the answer; any text if None. The caller validates the answer in any case.
            max_tokens: Maximum tokens of the answer.

        Raises:
            LanguageModelError: There is no answer. Any other exception is treated in the same way.
        """
        ...
