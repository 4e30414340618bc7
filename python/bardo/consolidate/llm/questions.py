"""Questions to a language model about waiting texts: their size, and how long an incomplete one waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bardo.model import Episode

#: Maximum number of texts that a model reads in one pass of `tick`, or in one page of `sleep`.
ASKED_AT_ONCE = 16
#: Age of the last text at which an incomplete question is put, in microseconds.
IDLE = 5 * 60_000_000

#: Episodes with their numbers in a stream.
Numbered = list[tuple[int, Episode]]


def first(numbered: Numbered, is_read: Callable[[Episode], bool]) -> Numbered:
    """Returns the beginning of a page, with at most `ASKED_AT_ONCE` texts for a model."""
    count = 0
    for place, (_, episode) in enumerate(numbered):
        count += is_read(episode)
        if count == ASKED_AT_ONCE:
            return numbered[: place + 1]
    return numbered


def of_one_question(
    arrived: tuple[Numbered, Callable[[Episode], bool]],
    verified: tuple[Numbered, Callable[[Episode], bool]],
    *,
    size: int,
    now: int,
) -> tuple[Numbered, Numbered]:
    """Cuts two streams to the texts of one question, or before them if it is incomplete and waits.

    Args:
        arrived: Episodes by arrival, and whether the model is asked about one.
        verified: Episodes by verification, likewise.
        size: Number of texts of a question.
        now: Wall clock, microseconds UTC.
    """
    streams = (arrived, verified)
    asked = [
        [place for place, (_, one) in enumerate(stream) if is_asked(one)] for stream, is_asked in streams
    ]
    waiting = [
        stream[place][1] for (stream, _), places in zip(streams, asked, strict=True) for place in places
    ]
    if len(waiting) < size and not is_idle(waiting, now=now):
        size = 0
    sizes = (size, max(0, size - len(asked[0])))
    cut = [
        stream[: places[most]] if len(places) > most else stream
        for (stream, _), places, most in zip(streams, asked, sizes, strict=True)
    ]
    return cut[0], cut[1]


def is_idle(waiting: Sequence[Episode], *, now: int) -> bool:
    """Whether texts wait, and the last one is old enough for an incomplete question."""
    return bool(waiting) and now - max(one.at for one in waiting) >= IDLE
