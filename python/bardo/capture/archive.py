"""Daily archive: one human-readable JSON file per day with all its episodes, from which a memory can be rebuilt.

A file is never changed once it is written, except by a deletion. Later arrivals for a closed day (from an inbox, or an
import) go into a supplement beside it: `2026-01-31.json`, `2026-01-31.1.json`, ... Episodes dated outside the years 1
to 9999, which older versions accepted, go into `undated.json` at once.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bardo._atomic import (
    make_folder,
    parse_json,
    read_json,
    sync_folder,
    unavailable,
    write_atomically,
    write_json,
)
from bardo._core import EpisodeLog
from bardo.capture.records import from_record, to_record
from bardo.clock import date_of
from bardo.errors import InvalidInputError, StoreDamagedError
from bardo.model import Episode
from bardo.ports import Progress, no_progress

FOLDER = "archive"
FORMAT = "bardo archive"
VERSION = 1
#: Name of the watermark of the last archived arrival.
WATERMARK = "archive"
#: Key in place of a day for episodes without a valid date.
UNDATED = "undated"
#: File of the ids of episodes dated after their arrival, and their days.
AHEAD = "ahead.json"
PAGE = 1_024


def day_of(at: int) -> str:
    """Returns the UTC day of a time in microseconds since the epoch, as `2026-01-31`.

    Raises:
        InvalidInputError: The time lies outside the years 1 to 9999.
    """
    try:
        return date_of(at).isoformat()
    except OverflowError as error:
        raise InvalidInputError(
            f"at is {at}, outside the years 1 to 9999. Pass microseconds of the epoch"
        ) from error


def _discard_note(note: str) -> None:
    """Discards the note."""


def write_days(
    log: EpisodeLog, folder: Path | str, until: int, *, tell: Callable[[str], object] = _discard_note
) -> list[Path]:
    """Archives the past days.

    Annotations (verified, importance) are archived with their current values.

    Args:
        log: Episode log.
        folder: Folder of the archive; made if absent.
        until: Wall clock, microseconds UTC; days before this one's are past.
        tell: Callback with a sentence for each episode without a valid date.

    Returns:
        Written files; none if no day was due.

    Raises:
        StoreUnavailableError: The operating system refused. Files written before the failure stay, and the next call
            continues from there.
    """
    folder, open_day = Path(folder), day_of(until)
    done = log.watermark(WATERMARK)
    ahead = _read_ahead(folder)
    due: defaultdict[str, list[str]] = defaultdict(list)
    for id_, day in ahead.items():
        if day < open_day:
            due[day].append(id_)
    still_ahead = {id_: day for id_, day in ahead.items() if day >= open_day}
    upto, waiting = done, False
    seq = done
    while page := log.since(seq, PAGE):
        for seq, episode in page:
            day = _filed_under(episode.at)
            if day == UNDATED:
                due[day].append(episode.id)
                tell(
                    f"the time of episode {episode.id} is {episode.at}, outside the years 1 to 9999: it is archived in "
                    f"{UNDATED}.json"
                )
            elif day < open_day:
                due[day].append(episode.id)
            elif day == open_day:
                waiting = True
            elif not waiting:
                still_ahead[episode.id] = day
            upto = upto if waiting else seq
    there = _files_by_day(folder) if due else {}
    written = [
        path
        for day in sorted(due)
        if (path := _write_day(log, folder, day, due[day], there.get(day, []))) is not None
    ]
    if still_ahead != ahead:
        make_folder(folder)
        write_json(folder / AHEAD, still_ahead)
    if upto != done:
        log.set_watermark(WATERMARK, upto)
    return written


def read_days(folder: Path | str) -> Iterator[Episode]:
    """Yields every archived episode, by day, in order of tick within a file.

    Raises:
        StoreDamagedError: A file was not written by `write_days`.
    """
    for path in _files(Path(folder)):
        for record in _load(path)["episodes"]:
            yield from_record(record)


def _filed_under(at: int) -> str:
    try:
        return day_of(at)
    except InvalidInputError:
        return UNDATED


def _files(folder: Path) -> list[Path]:
    """Lists the files of the archive by day, supplements last, and undated episodes after all days."""
    return sorted((*folder.glob("????-??-??*.json"), *folder.glob(f"{UNDATED}*.json")), key=_order)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of the archive with the log.

    Args:
        episodes: Number of episodes in the archive.
        missing: Number of those missing in the log.
        different: Number of those whose verbatim part differs.
    """

    episodes: int
    missing: int
    different: int


def compare(log: EpisodeLog, folder: Path | str, progress: Progress = no_progress) -> Comparison:
    """Compares every archived episode with the log, except annotations, which may have changed since.

    Args:
        log: Episode log, the ground truth.
        folder: Folder of the archive.
        progress: Callback after each page.

    Raises:
        StoreDamagedError: A file was not written by `write_days`.
    """
    episodes = missing = different = 0
    archived = read_days(folder)
    while page := list(islice(archived, PAGE)):
        for held, stored in zip(page, log.get([episode.id for episode in page]), strict=True):
            episodes += 1
            missing += stored is None
            different += stored is not None and _without_annotations(held) != _without_annotations(stored)
        progress("days", episodes, episodes + (PAGE if len(page) == PAGE else 0))
    return Comparison(episodes, missing, different)


def _without_annotations(episode: Episode) -> Episode:
    return replace(episode, verified=False, importance=None, replay_count=0)


def forget(folder: Path | str, ids: Collection[str]) -> list[Path]:
    """Deletes episodes from the archive; a file without other episodes is deleted.

    Returns:
        Rewritten and deleted files.

    Raises:
        StoreDamagedError: A file was not written by `write_days`.
        StoreUnavailableError: The operating system refused.
    """
    changed = []
    gone = set(ids)
    for path in _files(Path(folder)):
        content = _load(path)
        kept = [record for record in content["episodes"] if record["id"] not in gone]
        if len(kept) == len(content["episodes"]):
            continue
        if kept:
            write_atomically(path, _text({**content, "episodes": kept}))
        else:
            path.unlink()
            sync_folder(path.parent)
        changed.append(path)
    return changed


def _text(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _read_ahead(folder: Path) -> dict[str, str]:
    """Reads the episodes of future days before the watermark, with their days: one must not hold back the watermark."""
    return read_json(folder / AHEAD) or {}


def _files_by_day(folder: Path) -> dict[str, list[Path]]:
    """Groups the files by day, supplements last."""
    files: dict[str, list[Path]] = {}
    for path in _files(folder):
        files.setdefault(_order(path)[0], []).append(path)
    return files


def _write_day(log: EpisodeLog, folder: Path, day: str, ids: list[str], existing: list[Path]) -> Path | None:
    known = {record["id"] for path in existing for record in _load(path)["episodes"]}
    # After a failure, part of the day may be archived beyond the watermark.
    missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
    if not missing:
        return None
    episodes = [episode for episode in log.get(missing) if episode is not None]
    if not episodes:
        return None
    episodes.sort(key=lambda episode: (episode.tick, episode.event_index, episode.id))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "agent": log.agent,
        "day": day,
        "episodes": [to_record(episode) for episode in episodes],
    }
    path = folder / (f"{day}.{len(existing)}.json" if existing else f"{day}.json")
    make_folder(path.parent)
    write_atomically(path, _text(content))
    return path


def _order(path: Path) -> tuple[str, int]:
    day, _, number = path.name.removesuffix(".json").partition(".")
    return day, int(number) if number.isdecimal() else 0


def _load(path: Path) -> dict[str, Any]:
    try:
        content: Any = parse_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unavailable("read", path, error) from error
    except ValueError as error:
        raise StoreDamagedError(f"{path} is damaged: {error}. Restore it from a copy") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise StoreDamagedError(
            f"{path} is not an archive of version {VERSION}. Move it away, or upgrade bardo"
        )
    return content
