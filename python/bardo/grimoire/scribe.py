"""Reads sources that other programs write, such as transcripts, and records what is new in them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bardo._atomic import unavailable
from bardo._core import finish_episodes
from bardo._printed import printed
from bardo._validation import require_text
from bardo.capture import intake
from bardo.capture.fields import EpisodeFields
from bardo.capture.sources.formats import READERS, files_of, format_of
from bardo.capture.sources.mark import SourceState, Walk
from bardo.capture.sources.record import Reader, Record, Skipped, UnreadableRecordError
from bardo.errors import BardoError, InvalidInputError, NotFoundError
from bardo.grimoire.session import Session
from bardo.grimoire.writer import Writer
from bardo.model import Episode

#: Number of episodes per commit.
BATCH = 256
#: Minimum number of known records at the beginning of a changed file that show it to be the same one.
SURE = 3
#: Maximum number of unreadable records, and of types of skipped ones, that a note names.
NAMED = 5
#: Endings of files that are no renamed source: packed files, and copies that an editor leaves.
_ASIDE = frozenset({".gz", ".zst", ".bz2", ".xz", ".bak", ".orig", ".old", ".swp", ".tmp"})
#: Roles of messages that no human wrote.
_NOT_HUMAN = frozenset({"agent", "tool", "system"})
#: Time without a change after which the last record of a text file counts as complete, in microseconds.
SETTLED = 10 * 60 * 1_000_000


@dataclass(slots=True)
class SourceReport:
    """Report of one file of a source.

    Args:
        name: Name of the file's watermark: its path, if no other was given.
        format: `jsonl`, `notes`, `csv` or `parquet`.
        records: Number of records that were read now.
        recorded: Number of new episodes.
        known: Number of episodes that were recorded before, in a file that was changed before its end.
        forgotten: Number of episodes that were forgotten on purpose and not recorded again.
        skipped: Number of records without text, such as a tool's progress in a transcript.
        waiting: Number of records in the making: 0 or 1.
        position: Position up to which the file is read now: bytes, or rows of a Parquet file.
        notes: Notes on a replaced or changed file, skipped and unreadable records, and shortened texts.
        skipped_kinds: Number of skipped parts of records, by type.
    """

    name: str
    format: str
    records: int = 0
    recorded: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: int = 0
    waiting: int = 0
    position: int = 0
    notes: list[str] = field(default_factory=list)
    skipped_kinds: dict[str, int] = field(default_factory=dict)

    __str__ = printed


@dataclass(frozen=True, slots=True)
class ScribeReport:
    """Report of reading a source.

    Args:
        sources: Report of each file that was read, by name.
    """

    sources: tuple[SourceReport, ...]

    __str__ = printed

    @property
    def recorded(self) -> int:
        """Number of new episodes."""
        return sum(each.recorded for each in self.sources)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of all files."""
        return tuple(f"{each.name}: {note}" for each in self.sources for note in each.notes)


#: Called with the report of each pass that recorded or noticed anything.
Listener = Callable[[ScribeReport], object]


class Scribe:
    """Reader of sources; `Grimoire.scribe`.

    Args:
        session: Open memory.
        writer: Recorder of the episodes.
    """

    def __init__(self, session: Session, writer: Writer) -> None:
        self._session, self._writer = session, writer
        # Two threads that read one source would refuse each other's watermark.
        self._lock = threading.Lock()

    def read(
        self,
        source: str | Path,
        fields: EpisodeFields,
        *,
        file_format: str | None,
        name: str | None,
        whole: bool,
    ) -> ScribeReport:
        """Reads a source once; see `Grimoire.scribe`."""
        return self._pass(_path(source), fields, file_format, name, whole=whole, seen={})

    def watch(
        self,
        source: str | Path,
        fields: EpisodeFields,
        *,
        file_format: str | None,
        name: str | None,
        stop: threading.Event,
        interval: float,
        listener: Listener | None,
    ) -> ScribeReport:
        """Reads a source again and again until the event is set; see `Grimoire.scribe`."""
        if not interval > 0:
            raise InvalidInputError(f"interval is {interval}. Pass seconds above 0")
        path = _path(source)
        seen: dict[Path, tuple[int, ...]] = {}
        sums: dict[str, SourceReport] = {}
        while not stop.is_set():
            try:
                report = self._pass(path, fields, file_format, name, whole=False, seen=seen)
            except NotFoundError:
                # Its writer may be about to make it, or to put another file in its place.
                report = ScribeReport(())
            for each in report.sources:
                _add(sums.setdefault(each.name, SourceReport(each.name, each.format)), each)
            if listener is not None and (report.recorded or report.notes):
                listener(report)
            stop.wait(interval)
        for total in sums.values():
            total.notes += filter(None, [_skip_note(total)])
        return ScribeReport(tuple(sums.values()))

    def _pass(
        self,
        source: Path,
        fields: EpisodeFields,
        file_format: str | None,
        name: str | None,
        *,
        whole: bool,
        seen: dict[Path, tuple[int, ...]],
    ) -> ScribeReport:
        """Reads the files of a source that have changed since `seen`, which is updated."""
        self._session.ready(write=True)
        if "at" in fields:
            fields["at"] = self._session.ticks.instant(fields["at"], "at")
        files = files_of(source, file_format)
        if name is not None and source.is_dir():
            raise InvalidInputError("name is of one file, and the source is a folder. Leave it out")
        reports = []
        with self._lock:
            for path in files:
                try:
                    stat = path.stat()
                except FileNotFoundError:
                    continue
                except OSError as error:
                    raise unavailable("read", path, error) from error
                signs = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
                settled = self._session.clock.now() - stat.st_mtime_ns // 1_000 >= SETTLED
                if seen.get(path) == (*signs, settled):
                    continue
                kind = format_of(path, file_format)
                reading = _Reading(
                    self._session, self._writer, path, READERS[kind], fields,
                    report=SourceReport(name or str(path), kind), whole=whole or settled,
                )  # fmt: skip
                try:
                    reports.append(reading.read())
                except OSError as error:
                    raise unavailable("read", path, error) from error
                seen[path] = (*signs, settled)
        self._writer.embed_if_due()
        return ScribeReport(tuple(reports))


def _add(total: SourceReport, more: SourceReport) -> None:
    for name in ("records", "recorded", "known", "forgotten", "skipped"):
        setattr(total, name, getattr(total, name) + getattr(more, name))
    total.waiting, total.position = more.waiting, more.position
    total.notes += [note for note in more.notes if note != _skip_note(more)]
    total.skipped_kinds = dict(Counter(total.skipped_kinds) + Counter(more.skipped_kinds))


def _skip_note(report: SourceReport) -> str:
    """Describes what was skipped; empty if nothing was."""
    kinds = Counter(report.skipped_kinds).most_common()
    shown = [f"{count} {kind}" for kind, count in kinds[:NAMED]]
    if len(kinds) > NAMED:
        shown.append(f"{sum(count for _, count in kinds[NAMED:])} of other types")
    return f"skipped, since they hold no message: {', '.join(shown)}" if kinds else ""


class _Reading:
    """Reading of one file.

    Args:
        session: Open memory.
        writer: Recorder of the episodes.
        path: Path of the file.
        reader: Reader of its format.
        fields: Fields of the episodes.
        report: Report, which is filled.
        whole: Whether the last record is complete.
    """

    def __init__(
        self,
        session: Session,
        writer: Writer,
        path: Path,
        reader: Reader,
        fields: EpisodeFields,
        *,
        report: SourceReport,
        whole: bool,
    ) -> None:
        self._session, self._writer = session, writer
        self._path, self._reader, self._fields = path, reader, fields
        self._report, self._whole = report, whole
        self._clean = session.made_prompts.cleaner()
        self._unreadable: list[str] = []
        self._skipped = Counter[str]()
        self._without_time = self._shortened = 0
        # Watermark in the log, from which the next commit moves.
        self._mark = session.log.source(report.name)

    def read(self) -> SourceReport:
        """Records what is new in the file."""
        state = SourceState.load(self._mark) or self._first_state()
        walk = Walk(self._reader, self._path, whole=self._whole)
        if walk.skip(state):
            self._record(walk, state)
        else:
            self._read_changed(state)
        self._note_problems()
        return self._report

    def _first_state(self) -> SourceState:
        """Returns the state of a file that was never read under this name: that of a file that was moved or copied."""
        name = self._report.name
        for other, position, state in self._session.log.sources():
            known = SourceState.load((position, state))
            if known is None or Path(other).suffix != self._path.suffix or not known.records:
                continue
            if known.records < SURE and Path(other).exists():
                continue
            if Walk(self._reader, self._path, whole=True).skip(known):
                self._report.notes.append(
                    f"it begins with the {known.records} records that were read from {other}, which are not recorded "
                    "again"
                )
                return known
        return SourceState(key=name, began=self._session.clock.now())

    def _read_changed(self, state: SourceState) -> None:
        """Reads a file that no longer begins with the part that was read."""
        known, leading, count = self._known_records(state)
        same = self._reader.is_edited or leading >= SURE
        rest = None if same else self._read_rest(state)
        if same or (rest is None and known and 2 * known >= state.records):
            if not self._reader.is_edited:
                self._report.notes.append(
                    f"it was changed before byte {state.position}: of its {count} records {known} are known, and the "
                    "others are recorded"
                )
            state = replace(state, position=0, check="", records=0)
            self._record(Walk(self._reader, self._path, whole=self._whole), state, again=True)
            return
        found = (
            f"the rest of the earlier one was read from {rest}" if rest else "the earlier one was not found"
        )
        self._report.notes.append(
            f"another file is in the place of the one that was read up to {state.position}; {found}"
        )
        state = state.next_generation(self._session.clock.now())
        self._record(Walk(self._reader, self._path, whole=self._whole), state, again=True)

    def _known_records(self, state: SourceState) -> tuple[int, int, int]:
        """Counts the records of a changed file that were recorded, those before the first other, and all."""
        known = leading = count = 0
        leads = True
        walk = iter(Walk(self._reader, self._path, whole=self._whole))
        for batch in _batches(walk, BATCH):
            ids = [state.id_of(record, occurrence, 0) for record, occurrence in batch]
            for episode in self._session.log.get(ids):
                count += 1
                known += episode is not None
                leads = leads and episode is not None
                leading += leads
        return known, leading, count

    def _read_rest(self, state: SourceState) -> Path | None:
        """Reads the rest of a file that was renamed when another took its place; returns its path."""
        for path in sorted(self._path.parent.glob(f"{_escaped(self._path.stem)}*")):
            if path == self._path or not path.is_file() or path.suffix in _ASIDE or path.name.endswith("~"):
                continue
            walk = Walk(self._reader, path, whole=True)
            try:
                if not walk.skip(state):
                    continue
            except (OSError, BardoError):
                continue
            moved = self._record(walk, state)
            if self._session.log.source(str(path)) is None:
                # Under its new name it is a source that was read, too.
                self._writer.record_from_source([], (str(path), None, moved.mark()))
            return path
        return None

    def _record(self, walk: Walk, state: SourceState, *, again: bool = False) -> SourceState:
        """Records the rest of a walk, and moves the watermark with each batch; returns the last state.

        Args:
            walk: Walk at the first record to be recorded.
            state: State before it.
            again: Whether the watermark moves even if there is no record.
        """
        moved = state
        pending: list[Episode] = []
        for record, occurrence in walk:
            made = self._episodes(record)
            self._report.records += 1
            self._report.skipped += not made
            pending += [
                replace(episode, id=state.id_of(record, occurrence, place))
                for place, episode in enumerate(made)
            ]
            moved = replace(state, position=record.end, check=walk.check, records=walk.records)
            if len(pending) >= BATCH:
                self._commit(pending, moved)
                pending = []
        if pending or again or moved != state or self._mark is None:
            self._commit(pending, moved)
        self._report.waiting = int(walk.waiting)
        return moved

    def _commit(self, episodes: list[Episode], state: SourceState) -> None:
        """Records episodes and moves the watermark in one transaction."""
        stored = self._session.log.get([episode.id for episode in episodes])
        fresh = [episode for episode, known in zip(episodes, stored, strict=True) if known is None]
        self._report.known += len(episodes) - len(fresh)
        name, after = self._report.name, state.mark()
        try:
            taken = self._writer.record_from_source(fresh, (name, self._mark, after))
        except InvalidInputError:
            fresh = list(self._valid(fresh))
            taken = self._writer.record_from_source(fresh, (name, self._mark, after))
        self._mark = after
        self._report.recorded += taken.fresh
        self._report.known += len(taken.known)
        self._report.forgotten += len(taken.forgotten)
        self._report.position = state.position

    def _valid(self, episodes: Iterable[Episode]) -> Iterator[Episode]:
        """Yields the episodes within the limits; one with too large a payload loses it."""
        now = self._session.clock.now()
        for episode in episodes:
            problem = None
            for form in (episode, replace(episode, payload=None)):
                try:
                    finish_episodes([form], now=now, seed=0)
                except InvalidInputError as error:
                    problem = problem or error
                    continue
                if problem is not None:
                    self._report.notes.append(f"a payload was left out of {episode.text[:40]!r}: {problem}")
                yield form
                break
            else:
                self._unreadable.append(f"{episode.text[:40]!r}: {problem}")

    def _episodes(self, record: Record) -> list[Episode]:
        """Makes the episodes of a record; reports one that cannot be read."""
        made, skipped = [], Counter[str]()
        try:
            for item in record.parse():
                draft = None if isinstance(item, Skipped) else self._draft(item)
                if draft is not None:
                    made.append(draft)
                else:
                    skipped[item.kind if isinstance(item, Skipped) else "empty text"] += 1
        except (UnreadableRecordError, InvalidInputError) as error:
            self._unreadable.append(f"record {record.number}: {error}")
            return []
        self._skipped += skipped
        return made

    def _draft(self, item: str | Episode | Mapping[str, Any]) -> Episode | None:
        fields: dict[str, Any] = dict(self._fields)
        names_itself = False
        if isinstance(item, Mapping):
            item = dict(item)
            names_itself = any(item.get(key) for key in ("name", "speaker"))
            session = item.pop("session", None) if "role" in item and "text" not in item else None
            if session and "session" not in fields:
                fields["session"] = session
            for key in intake.TIME_KEYS:
                if item.get(key) is not None:
                    self._read_time(item, key)
            for key in ("kind", "role"):
                if key in fields and "text" in item:
                    item.pop(key, None)
        draft = intake.draft_of(item, fields, self._clean, True)
        if draft is None:
            return None
        if isinstance(draft, str):
            draft = Episode(draft, **fields)
        # The speaker of a source is the human side of its messages: an agent and its tools speak for themselves.
        if "speaker" in fields and "role" not in fields and draft.role in _NOT_HUMAN and not names_itself:
            draft = replace(draft, speaker=None)
        self._shortened += len(draft.text.encode("utf-8", "replace")) > intake.MAX_TEXT_BYTES - 4
        return draft

    def _read_time(self, item: dict[str, Any], key: str) -> None:
        """Replaces a time by microseconds, or drops one that cannot be read."""
        value = item[key]
        if (
            isinstance(value, str)
            and value.strip().replace(".", "", 1).isdecimal()
            and len(value.strip()) > len("2026")
        ):
            value = float(value)
        try:
            item[key] = intake.micros_of(value)
        except InvalidInputError:
            del item[key]
            self._without_time += 1

    def _note_problems(self) -> None:
        report = self._report
        if self._unreadable:
            more = f", and {len(self._unreadable) - NAMED} more" * (len(self._unreadable) > NAMED)
            report.notes.append(
                f"{len(self._unreadable)} records could not be read and are left out: "
                f"{'; '.join(self._unreadable[:NAMED])}{more}"
            )
        if self._without_time:
            report.notes.append(
                f"{self._without_time} times could not be read; the time of reading stands instead"
            )
        if self._shortened:
            report.notes.append(f"{self._shortened} texts were cut to {intake.MAX_TEXT_BYTES // 1024} KiB")
        report.skipped_kinds = dict(self._skipped)
        report.notes += filter(None, [_skip_note(report), *self._clean.notes])


def _batches(walk: Iterator[tuple[Record, int]], size: int) -> Iterator[list[tuple[Record, int]]]:
    batch = []
    for each in walk:
        batch.append(each)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _path(source: str | Path) -> Path:
    """Returns the absolute path of a source; an empty text would mean the working folder."""
    require_text(str(source), "source", "Name the file or the folder to read")
    return Path(source).absolute()


def _escaped(name: str) -> str:
    import glob

    return glob.escape(name)
