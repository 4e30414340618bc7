"""Records episodes in the log and indexes their words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bardo._core import EpisodeLog, HotSet
from bardo.capture import inbox
from bardo.capture.episode_batch import EpisodeBatch
from bardo.capture.intake import Clean, Drafts
from bardo.clock import MAX_TICK, Ticks
from bardo.errors import BardoWarning, DecreasingTickError, ForgottenWarning, InvalidInputError
from bardo.model import INHERITED_KIND, Episode
from bardo.ports import Clock

#: Name of a source, its watermark before (None if it was never read), and its new one: position and state.
SourceMove = tuple[str, tuple[int, str] | None, tuple[int, str]]
#: Maximum number of times that ticks are derived from the clock for one record, while other threads record later ones.
ATTEMPTS = 16
#: Number of episodes per page when iterating over the log.
PAGE = 1_024


@dataclass(frozen=True, slots=True)
class RecordReport:
    """Result of recording episodes.

    Args:
        stored: Stored episodes, in order.
        known: Positions in the input of episodes that were stored before.
        forgotten: Positions of episodes refused because the same content was forgotten.
        refused: Positions of episodes that broke a limit.
    """

    stored: Sequence[Episode]
    known: list[int]
    forgotten: list[int]
    refused: Sequence[int] = ()

    @property
    def fresh(self) -> int:
        """Number of new episodes."""
        return len(self.stored) - len(self.known)

    def at(self, place: int) -> Episode | None:
        """Returns the stored episode at a position of the input; None if it was not stored."""
        missing = {*self.forgotten, *self.refused}
        return None if place in missing else self.stored[place - sum(gone < place for gone in missing)]


class Recorder:
    """Writes to the log and the hot set together.

    Args:
        log: Episode log, the ground truth.
        hot: In-memory index.
        ticks: Logical time.
        clock: Wall clock.
    """

    def __init__(self, log: EpisodeLog, hot: HotSet, ticks: Ticks, clock: Clock) -> None:
        self._log = log
        self._hot = hot
        self._ticks = ticks
        self._clock = clock

    def record(
        self,
        drafts: Sequence[str | Episode],
        *,
        tick: int | None,
        own_ticks: bool,
        template: Episode | None = None,
        late: bool = False,
        transcript: bool = False,
        source: SourceMove | None = None,
    ) -> RecordReport:
        """Records episodes, all or none, except content that was forgotten on purpose.

        Args:
            drafts: Episodes, or texts. Those without a time get the current one.
            tick: Tick of episodes without one; derived from their time if not given.
            own_ticks: Whether the caller passed the ticks itself.
            template: Other fields of the texts.
            late: Whether ticks may lie before the last one, as for episodes of another writer.
            transcript: Whether they are messages without times, the first of which may be stored already.
            source: Move of the watermark of their source, in the same transaction; there may be no drafts then.
        """
        if not drafts and source is None:
            return RecordReport([], [], [])
        for attempt in range(ATTEMPTS):
            now = self._clock.now()
            of_texts = self._ticks.of((template.at if template else 0) or now) if tick is None else tick
            if set(map(type, drafts)) == {str}:
                ticks = [max(0, of_texts)] * len(drafts)
            else:
                ticks = self._ticks_of(drafts, of_texts, tick, now, late=late)
            try:
                stored, known, forgotten = self._hot.record(
                    drafts,
                    ticks=ticks,
                    now=now,
                    own_ticks=tick is not None,
                    counted=self._ticks.loops,
                    template=template,
                    out_of_order=late,
                    transcript=transcript,
                    source=source,
                )
                break
            except DecreasingTickError:
                # Another thread may have recorded in the next second since the clock was read.
                has_ticks = any(isinstance(draft, Episode) and draft.tick for draft in drafts)
                if tick is not None or has_ticks or attempt == ATTEMPTS - 1:
                    raise
        if len(stored):
            self._ticks.seen(stored.last_tick, own=own_ticks)
        return RecordReport(EpisodeBatch(stored, len(stored) - len(known)), known, forgotten)

    def _ticks_of(
        self, drafts: Sequence[str | Episode], of_texts: int, tick: int | None, now: int, *, late: bool
    ) -> list[int]:
        ticks: list[int] = []
        last = 0
        for draft in drafts:
            if isinstance(draft, str):
                own_tick = of_texts if tick is not None else max(last, of_texts)
            elif draft.tick:
                own_tick = self._ticks.own(draft.tick, late=late)
            else:
                # The times of a batch may decrease, but its ticks must not.
                own_tick = max(last, self._ticks.of(draft.at or now)) if tick is None else tick
            last = max(last, own_tick)
            ticks.append(own_tick)
        return ticks

    def drain(self, folder: Path, clean: Clean, cleaned: Callable[[Episode], Episode]) -> int:
        """Records the episodes of the inbox; those that cannot be recorded are set aside with a warning.

        Args:
            folder: Folder of the grimoire.
            clean: Cleaner that removes copies of prompts, which other processes have not done.
            cleaned: Callable that applies `clean` to each text of an episode.

        Returns:
            Number of new episodes.
        """
        taken = 0
        for batch in inbox.drain(folder):
            if batch.problem is not None:
                _warn(f"{batch.path} was set aside: {batch.problem}")
                continue
            handed = _cleaned(batch.episodes, clean, cleaned, chat=batch.transcript)
            done, refused = self._take(handed.drafts, transcript=batch.transcript)
            taken += done.fresh
            if empty := handed.new_empty_messages(done, clean):
                _warn(
                    f"{len(empty)} episodes of {batch.path.name} held nothing but recalled memories and were not "
                    "captured again"
                )
            if done.forgotten:
                known = len(done.forgotten)
                message = f"{known} episodes of {batch.path.name} were forgotten before and not taken again"
                warnings.warn(message, ForgottenWarning, stacklevel=3)
            unfit: list[tuple[str | Episode, str]] = [*batch.unfit, *refused]
            if unfit:
                aside = inbox.set_aside(batch.path, unfit)
                whys = "; ".join(dict.fromkeys(why for _, why in unfit))
                _warn(
                    f"{len(unfit)} of {len(batch.episodes) + len(batch.unfit)} episodes of {batch.path.name} were set "
                    f"aside in {aside}: {whys}"
                )
        return taken

    def _take(
        self, episodes: Sequence[Episode], *, transcript: bool = False
    ) -> tuple[RecordReport, list[tuple[Episode, str]]]:
        """Records episodes of another process; also returns the refused ones with the reasons."""
        try:
            return self.record(episodes, tick=None, own_ticks=False, late=True, transcript=transcript), []
        except InvalidInputError as error:
            if len(episodes) == 1:
                return RecordReport([], [], [], [0]), [(episodes[0], f"{episodes[0].id}: {error}")]
        stored: list[Episode] = []
        places: dict[str, list[int]] = {"known": [], "forgotten": [], "refused": []}
        refused: list[tuple[Episode, str]] = []
        for place, episode in enumerate(episodes):
            done, why = self._take([episode])
            stored += done.stored
            for name, held in (("known", done.known), ("forgotten", done.forgotten), ("refused", why)):
                places[name] += [place] * len(held)
            refused += why
        return RecordReport(stored, **places), refused

    def verify(self, what: str | Episode | Iterable[str | Episode], importance: float | None) -> int:
        """Marks the agent's own episodes as verified; returns the number of newly verified ones."""
        items = [what] if isinstance(what, (str, Episode)) else list(what)
        ids = [item.id if isinstance(item, Episode) else item for item in items]
        hearsay = [
            episode.id
            for episode in self._log.get(ids)
            if episode is not None and episode.kind == INHERITED_KIND
        ]
        if hearsay:
            raise InvalidInputError(
                f"episode {hearsay[0]} was inherited: this agent did not see it happen. "
                "Verify an episode of this life that bears it out"
            )
        fresh = self._log.verify([(episode_id, importance) for episode_id in ids])
        self._hot.update_episodes([episode for episode in self._log.get(ids) if episode is not None])
        return fresh

    def browse(
        self,
        *,
        from_tick: int,
        to_tick: int | None,
        subject: str | None,
        thread: str | None,
        last: int | None,
    ) -> Iterator[Episode]:
        """Yields episodes that meet every condition, in order of tick, read page by page."""
        end = MAX_TICK if to_tick is None else to_tick
        log = self._log
        if last is not None:
            found: Iterable[Episode] = log.latest(last)
        elif subject is not None:
            found = pages(lambda after: log.by_subject(subject, after=after, limit=PAGE))
        elif thread is not None:
            found = pages(lambda after: log.by_thread(thread, after=after, limit=PAGE))
        else:
            found = pages(lambda after: log.range(from_tick, end, after=after, limit=PAGE))
        for episode in found:
            if (
                from_tick <= episode.tick <= end
                and (subject is None or subject in episode.subjects)
                and (thread is None or thread == episode.thread)
            ):
                yield episode


def _warn(message: str) -> None:
    warnings.warn(message, BardoWarning, stacklevel=4)


def _cleaned(
    episodes: Iterable[Episode], clean: Clean, cleaned: Callable[[Episode], Episode], *, chat: bool
) -> Drafts:
    """Removes copies of prompts from episodes; drops episodes without remaining text."""
    made = []
    for clean.place, episode in enumerate(episodes):
        made.append(cleaned(episode))
    has_text = [bool(episode.text) and not episode.text.isspace() for episode in made]
    return Drafts.of([each if told else None for each, told in zip(made, has_text, strict=True)], chat=chat)


def pages(read: Callable[[str | None], list[Any]]) -> Iterator[Any]:
    """Yields all records of a store page by page, each page after the id of the last record before."""
    after = None
    while page := read(after):
        yield from page
        after = page[-1].id


def arrivals(log: EpisodeLog) -> Iterator[list[Episode]]:
    """Yields all episodes of a log page by page, in the order in which they arrived."""
    number = 0
    while page := log.since(number, PAGE):
        number = page[-1][0]
        yield [episode for _, episode in page]


def name_list(field: str, names: Sequence[str]) -> tuple[str, ...]:
    """Checks a sequence of names; a single string is refused."""
    if isinstance(names, str):
        raise InvalidInputError(f"{field} is one string ({names!r}). Pass a list: {field}=[{names!r}]")
    return tuple(names)
