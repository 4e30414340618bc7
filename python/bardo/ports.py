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


#: The first and the last microsecond that Python, Arrow and ISO 8601 can all write as a date: the years 1 to 9999.
FIRST_AT, LAST_AT = -62_135_596_800_000_000, 253_402_300_799_999_999


class Clock(Protocol):
    """Tells the wall clock."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC, from the year 1 to 9999."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC."""
        return time.time_ns() // 1_000


class ManualClock:
    """A clock that stands still until it is moved: for tests, replays and simulations.

    Args:
        now: Microseconds since the Unix epoch, UTC.

    Raises:
        InvalidInputError: The time is no whole number, or no date from the year 1 to 9999; so do `set` and `advance`.
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
    """A clock of a caller's whose answers are refused unless they are times.

    Args:
        clock: The caller's.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> int:
        """Microseconds since the Unix epoch, UTC.

        Raises:
            InvalidInputError: The clock says what is no whole number, or no date from the year 1 to 9999.
        """
        return checked_time(self._clock.now(), "the clock says")


def checked_time(said: object, where: str) -> int:
    """Microseconds since the Unix epoch, UTC.

    Args:
        said: By a clock, or for one.
        where: Begins the error.

    Raises:
        InvalidInputError: It is no whole number, or no date from the year 1 to 9999.
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
    """The clock of a caller's with its answers checked, or the computer's if there is none."""
    if clock is None:
        return SystemClock()
    return clock if isinstance(clock, (SystemClock, CheckedClock)) else CheckedClock(clock)


class Embedder(Protocol):
    """Turns texts into vectors of one model."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity of the model."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that will be searched, float32 of shape (len(texts), dims), each of length 1."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to search with, float32 of shape (len(texts), dims), each of length 1."""
        ...


@dataclass(frozen=True, slots=True)
class Tokens:
    """The vectors of a text's tokens, word by word.

    Args:
        words: In order, without the model's special tokens.
        counts: How many tokens each word was cut into.
        vectors: float32 of shape (sum(counts), dims).
    """

    words: Sequence[str]
    counts: Sequence[int]
    vectors: Vectors


@runtime_checkable
class LateEmbedder(Embedder, Protocol):
    """An embedder that also gives a vector for each token, for late interaction."""

    @property
    def gives_tokens(self) -> bool:
        """Whether the model really does; asking may load it."""
        ...

    def passages(self, text: str, *, beside: str = "") -> list[str]:
        """A text cut between sentences into parts that the model reads whole, together with what stands beside them."""
        ...

    def embed_late_documents(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """As `embed_documents`, with the tokens of every text."""
        ...

    def embed_late_queries(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """As `embed_queries`, with the tokens of every text."""
        ...


class Progress(Protocol):
    """Told how far a long work has come."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` items of a named stage are ready; a total that is not known yet grows."""
        ...


def no_progress(stage: str, done: int, total: int) -> None:
    """A progress that shows nothing."""


@contextmanager
def stage(name: str, progress: Progress) -> Iterator[None]:
    """Tells when a stage begins and when it has ended, where nothing can be counted in between."""
    progress(name, 0, 1)
    yield
    progress(name, 1, 1)


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a language model.

    Args:
        role: Whose it is.
        content: Its text.
    """

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer, as the server counted them.

    Args:
        tokens_in: Of the prompt, those from a cache included.
        tokens_out: Of the answer.
        tokens_cached: Of the prompt, those that came from a cache.
    """

    tokens_in: int
    tokens_out: int
    tokens_cached: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a language model.

    Args:
        text: As it was written.
        usage: None where the server does not say; it is estimated then.
    """

    text: str
    usage: Usage | None = None


class LLM(Protocol):
    """Answers messages. It is never asked while something is remembered, and never trusted with what is stored."""

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
        """The model's answer.

        Args:
            messages: The conversation so far, at least one.
            schema: JSON schema that the answer is to fit; any text if None. The caller checks it in any case.
            max_tokens: Of the answer at most.

        Raises:
            LanguageModelError: There is none. Any other exception is taken for the same.
        """
        ...
