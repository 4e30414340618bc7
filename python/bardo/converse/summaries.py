"""Summaries of conversations, made in a pass of the Curator: ranges of messages, then days, weeks and months.

The levels are a graph without cycles: a day rests on ranges, a week on days, and a month on its whole weeks and on the
days of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

import blake3

from bardo._core import EpisodeLog
from bardo._printed import printed
from bardo.clock import date_of
from bardo.consolidate.extraction_pass import Embed
from bardo.consolidate.speech import is_speech
from bardo.converse import digest
from bardo.converse.digest import Source
from bardo.converse.summary_store import (
    LEVELS,
    Level,
    Maker,
    Summary,
    SummaryStore,
    WaitingMessage,
)
from bardo.ports import Vectors

if TYPE_CHECKING:
    from bardo.language.advisor import Advisor

#: Number of a thread's last messages that stay out of summaries.
KEPT = 14
#: Number of messages of a range.
FEWEST, MOST = 6, 40
#: Watermarks in the log: arrival number of the last episode that was read, and whether the store was made.
READ, MADE = "summaries.read", "summaries.made"
#: Number of episodes per read.
PAGE = 1_024
#: Number of texts per call of the embedding model.
EMBEDDED = 64
#: Thread, mode, and period of a summary.
Key = tuple[str | None, str | None, str]


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """Report of a pass.

    Args:
        made: Number of summaries that were made, or made again.
        notes: Reasons why a summary was made without the language model.
    """

    made: int = 0
    notes: tuple[str, ...] = ()

    __str__ = printed


class Summariser:
    """Makes summaries.

    Args:
        log: Episode log.
        store: Store of the summaries.
        agent: Name of the agent.
        embed: Embeds texts; returns None while the model is not available.
        advisor: Calls the language model; None if none is configured.
    """

    def __init__(
        self, log: EpisodeLog, store: SummaryStore, agent: str, *, embed: Embed, advisor: Advisor | None
    ) -> None:
        self._log, self._store, self._agent = log, store, agent
        self._embed, self._advisor = embed, advisor
        self._notes: dict[str, None] = {}
        #: Day on which the levels above ranges were last compared, as long as no range changed.
        self._compared: date | None = None

    def run(self, *, now: int, most: int | None = None) -> SummaryReport:
        """Makes the summaries that are due, lowest level first.

        Args:
            now: Wall clock, microseconds UTC; a day, week or month is summarised once it is over.
            most: Maximum number of summaries; None for all.
        """
        self._notes.clear()
        self._read(until_done=most is None)
        if not self._store.exists():
            return SummaryReport()
        made = 0
        for make in self._pending(date_of(now), now):
            if made == most:
                break
            made += make()
        self._embed_texts()
        return SummaryReport(made, tuple(self._notes))

    def _read(self, *, until_done: bool) -> None:
        """Lets the messages that arrived since the last pass wait for a summary: one page of them, or all."""
        if self._log.watermark(MADE) and not self._store.exists():
            self._log.set_watermark(READ, 0)
        while page := self._log.since(self._log.watermark(READ), PAGE):
            self._store.wait(
                WaitingMessage(one.id, one.thread or "", one.mode or "", one.at, number)
                for number, one in page
                if is_speech(one)
            )
            if self._store.exists() and not self._log.watermark(MADE):
                self._log.set_watermark(MADE, 1)
            # Last: after a crash the page is read again, and what is there is left out.
            self._log.set_watermark(READ, page[-1][0])
            if not until_done:
                break

    def _pending(self, today: date, now: int) -> Iterator[Callable[[], bool]]:
        """Yields a callable for each summary to make; it returns whether the summary was made."""
        changed = False
        for due in self._store.due():
            changed = True
            yield lambda due=due: self._again(due, now)  # type: ignore[misc]
        for messages in self._store.waiting(KEPT + FEWEST):
            for part in ranges(messages):
                changed = True
                yield lambda part=part: self._of_messages(  # type: ignore[misc]
                    _id("messages", part[0].thread, part[0].mode, part[0].id), [each.id for each in part], now
                )
        if changed:
            self._compared = None
        if self._compared == today:
            return
        for level in LEVELS[1:]:
            for key, inputs in self._differing(level, today):
                yield lambda level=level, key=key, inputs=inputs: self._of_summaries(  # type: ignore[misc]
                    _id(level, *key), level, key, inputs, now
                )
        self._compared = today

    def _again(self, due: Summary, now: int) -> bool:
        """Makes a summary again from the inputs that are left."""
        if due.level == "messages":
            return self._of_messages(due.id, due.inputs, now)
        inputs = [each for each in self._store.get(due.inputs) if each is not None]
        # An input that could not be made again yet leaves this one due.
        whole = len(inputs) == len(due.inputs)
        return whole and self._of_summaries(
            due.id, due.level, (due.thread, due.mode, due.period), inputs, now
        )

    def _differing(self, level: Level, today: date) -> list[tuple[Key, list[Summary]]]:
        """Lists the periods of a level that are over and whose summary is missing or lacks inputs."""
        wanted: dict[Key, list[Summary]] = {}
        lower = LEVELS[: LEVELS.index(level)]
        below = sorted(
            (each for name in (lower[-2:] if level == "month" else lower[-1:]) for each in self._all(name)),
            key=lambda each: (each.first_at, each.id),
        )
        for each in below:
            for period, is_over in _periods(level, each, today):
                if is_over:
                    wanted.setdefault((each.thread, each.mode, period), []).append(each)
        known = {(each.thread, each.mode, each.period): set(each.inputs) for each in self._all(level)}
        return [
            (key, inputs)
            for key, inputs in sorted(wanted.items(), key=lambda item: item[0][2])
            if known.get(key) != {each.id for each in inputs}
        ]

    def _all(self, level: Level) -> list[Summary]:
        return self._store.list(level=level, limit=-1)

    def _of_messages(self, id_: str, messages: Sequence[str], now: int) -> bool:
        found = self._log.get(messages)
        episodes = [each for each in found if each is not None]
        if len(episodes) < len(messages):
            self._store.drop(set(messages) - {each.id for each in episodes})
            return False
        first, last = episodes[0], episodes[-1]
        text, made_by = self._text([Source.of(each, self._agent) for each in episodes])
        return self._store.put(
            Summary(
                id_, "messages", first.thread, first.mode, date_of(last.at).isoformat(), text, made_by, first.id,
                last.id,
                len(episodes), min(each.tick for each in episodes), max(each.tick for each in episodes), first.at,
                last.at, now, tuple(messages),
            )
        )  # fmt: skip

    def _of_summaries(self, id_: str, level: Level, key: Key, inputs: Sequence[Summary], now: int) -> bool:
        first, last = inputs[0], max(inputs, key=lambda each: each.last_at)
        said = [Source(each.text, "", each.tick, each.at, is_summary=True) for each in inputs if each.text]
        made_by: Maker
        text, made_by = self._text(said) if len(said) > 1 else (said[0].text if said else "", "copy")
        thread, mode, period = key
        return self._store.put(
            Summary(
                id_, level, thread, mode, period, text, made_by, first.first, last.last,
                sum(each.messages for each in inputs), min(each.first_tick for each in inputs),
                max(each.last_tick for each in inputs), first.first_at, last.last_at, now,
                tuple(each.id for each in inputs),
            )
        )  # fmt: skip

    def _text(self, sources: Sequence[Source]) -> tuple[str, Maker]:
        if self._advisor is not None:
            text, note = digest.by_model(sources, self._advisor)
            if text:
                return text, "model"
            self._notes.setdefault(note)
        return digest.by_sentences(sources), "sentences"

    def _embed_texts(self) -> None:
        """Gives vectors of the current model to the summaries that have none."""
        lacking = self._store.without_vectors(self._log.fingerprint)
        for start in range(0, len(lacking), EMBEDDED):
            part = lacking[start : start + EMBEDDED]
            vectors, model = self._embed([each.text for each in part])
            if vectors is None or model is None:
                return
            self._store.put_vectors(part, vectors, model)


def ranges(messages: Sequence[WaitingMessage]) -> list[Sequence[WaitingMessage]]:
    """Cuts the waiting messages of a thread into ranges, without its last ones.

    A range has at least `FEWEST` and at most `MOST` messages, and ends with a day (UTC) where that leaves it enough.
    """
    old = messages[:-KEPT]
    found, start = [], 0
    for end in range(1, len(old) + 1):
        size = end - start
        ends_day = end == len(old) or date_of(old[end].at) != date_of(old[end - 1].at)
        if size == MOST or (size >= FEWEST and ends_day):
            found.append(old[start:end])
            start = end
    return found


def similar(
    text: str,
    among: Sequence[Summary],
    held: Mapping[str, tuple[str, Vectors]],
    embed: Embed,
    *,
    limit: int,
) -> list[Summary]:
    """Returns the summaries most similar to a text, by vectors, or by words where there are none.

    Args:
        text: Text.
        among: Summaries to choose from.
        held: Name of the model and vector, of shape (dims,), of summaries by id.
        embed: Embeds the text; returns None while the model is not available.
        limit: Maximum number of summaries.
    """
    vectors, model = embed([text])
    scores: Mapping[str, float] = {}
    if vectors is not None and model is not None:
        scores = {
            each.id: float(held[each.id][1] @ vectors[0])
            for each in among
            if each.id in held and held[each.id][0] == model.key
        }
    if not scores:
        words = digest.stems_of(text)
        shared = {each.id: len(words & digest.stems_of(each.text)) for each in among}
        scores = {id_: float(count) for id_, count in shared.items() if count}
    found = sorted(
        (each for each in among if each.id in scores), key=lambda each: (-scores[each.id], each.id)
    )
    return found[:limit]


def without_overlap(summaries: Iterable[Summary], limit: int) -> list[Summary]:
    """Returns the first summaries of which none covers messages of another.

    Args:
        summaries: Summaries, best first.
        limit: Maximum number of summaries.
    """
    chosen: list[Summary] = []
    for each in summaries:
        if len(chosen) < limit and not any(
            (each.thread, each.mode) == (other.thread, other.mode)
            and each.first_at <= other.last_at
            and other.first_at <= each.last_at
            for other in chosen
        ):
            chosen.append(each)
    return chosen


def _periods(level: Level, below: Summary, today: date) -> list[tuple[str, bool]]:
    """Returns the period of a level that a lower summary belongs to, if any, and whether it is over."""
    if level == "day":
        last = date.fromisoformat(below.period)
        return [(below.period, last < today)]
    if level == "week":
        week = date.fromisoformat(below.period).isocalendar()[:2]
        return [(f"{week[0]:04}-W{week[1]:02}", week < today.isocalendar()[:2])]
    monday, sunday = _week_of(below)
    first = date.fromisoformat(below.period) if below.level == "day" else monday
    is_whole = monday.month == sunday.month
    if (below.level == "week") != is_whole:
        return []
    return [(f"{first.year:04}-{first.month:02}", (first.year, first.month) < (today.year, today.month))]


def _week_of(below: Summary) -> tuple[date, date]:
    """Returns the first and last day of the week of a day, or of a week."""
    if below.level == "week":
        year, week = below.period.split("-W")
        monday = date.fromisocalendar(int(year), int(week), 1)
    else:
        told = date.fromisoformat(below.period)
        monday = date.fromordinal(max(1, told.toordinal() - told.weekday()))
    return monday, date.fromordinal(min(date.max.toordinal(), monday.toordinal() + 6))


def _id(*parts: str | None) -> str:
    """Returns the id of a summary: the same range, thread and mode have the same id."""
    return blake3.blake3("\0".join(part or "" for part in parts).encode()).hexdigest(16)
