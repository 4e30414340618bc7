"""Inbox of a memory: files of episodes, written atomically, for the process that owns the log.

The owner reads a file, records its episodes, and deletes it. If it dies in between, the next owner reads the file
again, and ids that are in the log already are skipped.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo._atomic import make_folder, parse_json, sync_folder, unavailable, write_atomically
from bardo._core import finish_episodes
from bardo.capture import records
from bardo.errors import BardoError, InvalidInputError
from bardo.model import Episode
from bardo.ports import SystemClock

if TYPE_CHECKING:
    from bardo.capture.traces import Needles

INBOX = "inbox"
#: Length of the time at the beginning of an id, in characters.
_TIME_DIGITS = 13
#: Folder in the inbox for files that could not be read or recorded, each with a file of the reason.
REJECTED = "rejected"
FORMAT = "bardo inbox"
VERSION = 1
#: Maximum number of episodes and of bytes in a file, which is recorded in one transaction: small enough to share a
#: commit with other callers.
EPISODES_PER_FILE = 1_024
BYTES_PER_FILE = 16 * 1024 * 1024
#: Maximum size of a file from `drop`, in bytes: one episode may exceed `BYTES_PER_FILE` (1 MiB payload, JSON escapes).
LARGEST_FILE_BYTES = 4 * BYTES_PER_FILE
#: Maximum length of a quoted line in a reason, in characters.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Batch:
    """Episodes of one file of the inbox.

    Args:
        path: Path of the file.
        episodes: Valid episodes; empty if the file could not be read.
        problem: Reason of its rejection, or None.
        unfit: Lines that break a limit of `Episode`, with the reasons.
        transcript: Whether the episodes are messages without times, the first of which may be stored already.
    """

    path: Path
    episodes: tuple[Episode, ...]
    problem: str | None = None
    unfit: tuple[tuple[str, str], ...] = ()
    transcript: bool = False


def drop(
    folder: Path | str,
    episodes: Episode | Iterable[Episode],
    *,
    now: int | None = None,
    seed: int | None = None,
    transcript: bool = False,
) -> list[Episode]:
    """Writes episodes to the inbox of a grimoire for its owner; they are durable when this returns.

    Args:
        folder: Folder of the grimoire.
        episodes: One or several episodes; each without an id gets one, so that it is recorded only once.
        now: Wall clock, microseconds UTC; the system clock by default.
        seed: Seed of the ids; random by default.
        transcript: Whether the episodes are messages without times, the first of which may be stored already.

    Returns:
        Written episodes.

    Raises:
        InvalidInputError: A limit of `Episode` is broken; nothing was written.
        StoreUnavailableError: The operating system refused. The files written before the failure stay.
    """
    folder = Path(folder)
    if not folder.is_dir():
        missing = FileNotFoundError(2, "there is no such folder")
        raise unavailable("drop into", folder, missing)
    finished = finish_episodes(
        [episodes] if isinstance(episodes, Episode) else episodes,
        now=SystemClock().now() if now is None else now,
        seed=int.from_bytes(os.urandom(8)) if seed is None else seed,
    )
    files = list(_files(finished))
    for first_id, lines in files:
        # A batch that is split over several files is not a whole transcript.
        header = _header(len(lines), transcript=transcript and len(files) == 1)
        # Names sort by the time of the id (its first 48 bits, milliseconds), then by the order of calls on this
        # machine. The random part keeps them unique, as two files may begin with the same episode.
        order = f"{first_id[:_TIME_DIGITS]}-{time.monotonic_ns():016x}-{os.urandom(4).hex()}"
        path = folder / INBOX / f"{order}.jsonl"
        make_folder(path.parent)
        write_atomically(path, "\n".join([header, *lines, ""]).encode())
    return finished


def drain(folder: Path | str) -> Iterator[Batch]:
    """Yields the files of the inbox, oldest first. Deletes a file when the next one is requested: record it before.

    Record with `out_of_order=True`: the episodes may be older than the owner's last tick. Pass episodes that the log
    refuses (an id with other content), and lines that break a limit, to `set_aside`. A file that cannot be read is
    moved to `inbox/rejected` and yielded with its problem and no episodes.
    """
    for path in waiting(folder):
        try:
            batch = _read(path)
        except FileNotFoundError:
            continue
        except (BardoError, ValueError, TypeError, OSError, RecursionError) as error:
            yield reject(path, str(error))
            continue
        yield batch
        # The consumer moves a rejected file away.
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def waiting(folder: Path | str) -> list[Path]:
    """Lists the pending files of the inbox, oldest first."""
    inbox = Path(folder) / INBOX
    try:
        with os.scandir(inbox) as entries:
            names = sorted(
                entry.name for entry in entries if entry.name.endswith(".jsonl") and entry.is_file()
            )
    except FileNotFoundError:
        return []
    return [inbox / name for name in names]


def check(path: Path) -> None:
    """Checks a file of the inbox without moving it.

    Raises:
        InvalidInputError: It was not written by `drop`.
        ValueError: It is not JSON.
    """
    _read(path)


def reject(path: Path, reason: str) -> Batch:
    """Moves a file of the inbox to `inbox/rejected`, with the reason in a file beside it."""
    aside = path.parent / REJECTED / path.name
    make_folder(aside.parent)
    write_atomically(aside.with_suffix(".reason.txt"), f"{reason}\n".encode())
    path.replace(aside)
    sync_folder(path.parent)
    return Batch(aside, (), reason)


def set_aside(path: Path, records: Sequence[tuple[str | Episode, str]]) -> Path:
    """Writes rejected records of a file, with reasons, to `inbox/rejected`; the file itself stays.

    Args:
        path: Path of the file.
        records: Lines or episodes of the file, each with the reason.

    Returns:
        Path of the written file.
    """
    lines = [record if isinstance(record, str) else _line(record) for record, _ in records]
    header = json.dumps({"format": FORMAT, "version": VERSION, "episodes": len(lines)})
    aside = path.parent / REJECTED / path.name
    make_folder(aside.parent)
    write_atomically(aside.with_suffix(".reason.txt"), "".join(f"{why}\n" for _, why in records).encode())
    write_atomically(aside, "\n".join([header, *lines, ""]).encode())
    return aside


def forget(folder: Path | str, ids: Collection[str], hashes: Collection[int], wanted: Needles) -> list[Path]:
    """Deletes episodes with these ids or this content from the pending files.

    A rejected file that holds any of the needles is deleted as a whole, as it could not be read anyway.

    Args:
        folder: Folder of the grimoire.
        ids: Ids of deleted records.
        hashes: Hashes of the contents that the log refuses from now on; none without tombstones.
        wanted: Needles to search for in unreadable lines and files.

    Returns:
        Rewritten and deleted files.
    """
    changed = []
    for path in waiting(folder):
        lines = path.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines[1:] if not _is_of(line, ids, hashes, wanted)]
        if len(kept) == len(lines) - 1:
            continue
        if kept:
            header = _header(len(kept), transcript=b'"transcript": true' in lines[0])
            write_atomically(path, b"".join([header.encode(), b"\n", *kept]))
        else:
            _remove(path)
        changed.append(path)
    for path in sorted((Path(folder) / INBOX / REJECTED).glob("*")):
        if path.is_file() and _holds(path.read_bytes(), wanted):
            _remove(path)
            changed.append(path)
    return changed


def look(path: Path) -> tuple[Episode, ...]:
    """Reads the episodes of a file of the inbox without moving it.

    Raises:
        BardoError, ValueError, TypeError, OSError: It cannot be read.
    """
    return _read(path).episodes


def waiting_episodes(folder: Path | str) -> Iterator[Episode]:
    """Yields the pending episodes of the inbox."""
    for path in waiting(folder):
        with suppress(BardoError, ValueError, TypeError, OSError, RecursionError):
            yield from _read(path).episodes


def _is_of(line: bytes, ids: Collection[str], hashes: Collection[int], wanted: Needles) -> bool:
    try:
        (episode,) = finish_episodes([records.from_record(parse_json(line))], now=0, seed=0)
    except (ValueError, TypeError):
        return _holds(line, wanted)
    # Equal text alone is no match: it may be another speaker's, or in a payload. Content that the log would refuse
    # later must not stay here until then (law 11).
    return episode.id in ids or episode.content_hash in hashes


def _holds(content: bytes, wanted: Needles) -> bool:
    return any(needle in content for needle in wanted.raw)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def _line(episode: Episode) -> str:
    return json.dumps(records.to_record(episode), ensure_ascii=False)


def _files(episodes: list[Episode]) -> Iterator[tuple[str, list[str]]]:
    lines: list[str] = []
    first_id, size = "", 0
    for episode in episodes:
        line = _line(episode)
        if lines and (len(lines) == EPISODES_PER_FILE or size + len(line) > BYTES_PER_FILE):
            yield first_id, lines
            lines, size = [], 0
        first_id = first_id if lines else episode.id
        lines.append(line)
        size += len(line)
    if lines:
        yield first_id, lines


def _read(path: Path) -> Batch:
    size = path.stat().st_size
    if size > LARGEST_FILE_BYTES:
        raise InvalidInputError(
            f"the file has {size} bytes, the limit is {LARGEST_FILE_BYTES}. Drop less at once"
        )
    # Only "\n" separates records, since text may hold other line separators.
    header, *lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    described: Any = parse_json(header)
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise InvalidInputError("the file does not begin like one of the inbox. Write it with bardo.drop")
    if described.get("version") != VERSION:
        raise InvalidInputError(
            f"the file has version {described.get('version')}, known is {VERSION}. Upgrade bardo"
        )
    if described.get("episodes") != len(lines):
        raise InvalidInputError(
            f"the file holds {len(lines)} episodes, its header says {described.get('episodes')}. Drop them again"
        )
    # Checks types and limits as the log does. Ids and times are given, so clock and seed do not matter.
    transcript = described.get("transcript") is True
    try:
        episodes = finish_episodes(list(map(_episode, lines)), now=0, seed=0)
        return Batch(path, tuple(episodes), transcript=transcript)
    except (BardoError, ValueError, TypeError, RecursionError):
        episodes, unfit = _read_lines(lines)
        if not episodes:
            raise
        return Batch(path, tuple(episodes), unfit=tuple(unfit), transcript=transcript)


def _read_lines(lines: Iterable[str]) -> tuple[list[Episode], list[tuple[str, str]]]:
    """Splits a file into valid episodes, and invalid lines with the reasons."""
    episodes: list[Episode] = []
    unfit: list[tuple[str, str]] = []
    for line in lines:
        try:
            episodes += finish_episodes([_episode(line)], now=0, seed=0)
        except (BardoError, ValueError, TypeError, RecursionError) as error:
            unfit.append((line, f"{_id_in(line)}: {error}"))
    return episodes, unfit


def _id_in(line: str) -> str:
    try:
        return str(parse_json(line)["id"])[:_SHOWN]
    except (ValueError, TypeError, LookupError, RecursionError):
        return f"{line[:_SHOWN]}..."


def _episode(line: str) -> Episode:
    episode = records.from_record(parse_json(line))
    if not episode.id:
        raise InvalidInputError(
            "an episode has no id, so it could be recorded twice. Write it with bardo.drop"
        )
    return episode


def _header(episodes: int, *, transcript: bool) -> str:
    marked = {"transcript": True} if transcript else {}
    return json.dumps({"format": FORMAT, "version": VERSION, "episodes": episodes, **marked})
