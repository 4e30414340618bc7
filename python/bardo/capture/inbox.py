"""Handing episodes over to the process that owns the log: files in a folder, each whole or not there.

An owner takes a file, records what is in it, and deletes it. If it dies in between, the next owner takes the file
again, and every id that is in the log already counts once.
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
#: Characters of an id that hold its time.
_TIME_DIGITS = 13
#: Inside the inbox: files that could not be read or recorded, beside a file that says why.
REJECTED = "rejected"
FORMAT = "bardo inbox"
VERSION = 1
#: A file is recorded in one transaction: these keep it small enough to share a commit with other callers.
EPISODES_PER_FILE = 1_024
BYTES_PER_FILE = 16 * 1024 * 1024
#: Larger files were not written by `drop`: one episode may add its own limits (1 MiB payload, JSON escapes) on top.
LARGEST_FILE_BYTES = 4 * BYTES_PER_FILE
#: Characters that stand for a line in a reason.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Batch:
    """The episodes of one file of the inbox.

    Args:
        path: The file.
        episodes: Its episodes; empty if it could not be read.
        problem: Why it was rejected, or None.
        unfit: Lines that break a limit of `Episode`, and why; the others can be recorded.
        transcript: Whether they are messages without times, of which the first ones may be stored already.
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
    """Hands episodes over to the owner of a grimoire; they are safe on the disk when this returns.

    Args:
        folder: The grimoire's folder.
        episodes: One or any number; those without an id are given one, so that they are recorded once however
            often they are taken.
        now: Wall clock, microseconds UTC; the computer's by default.
        seed: Of the ids; random by default.
        transcript: Whether they are messages without times, of which the first ones may be stored already.

    Returns:
        The episodes as they were written.

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
        # A batch that is split over files is no whole transcript.
        header = _header(len(lines), transcript=transcript and len(files) == 1)
        # The name sorts by the time of the id (its first 48 bits, milliseconds), then by the order of the calls on this
        # machine; it is never used twice: another file may begin with the same episode.
        order = f"{first_id[:_TIME_DIGITS]}-{time.monotonic_ns():016x}-{os.urandom(4).hex()}"
        path = folder / INBOX / f"{order}.jsonl"
        make_folder(path.parent)
        write_atomically(path, "\n".join([header, *lines, ""]).encode())
    return finished


def drain(folder: Path | str) -> Iterator[Batch]:
    """The files of the inbox, oldest first. A file is deleted when the next one is asked for, so record a batch before.

    Record with `out_of_order=True`: the episodes may be older than the owner's last tick. What the log refuses (an id
    that is taken by other content) goes to `set_aside`, and so do lines that break a limit. A file that cannot be
    read is moved to `inbox/rejected` and yielded with its problem and no episodes.
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
        # A consumer that rejected the batch has moved it away.
        path.unlink(missing_ok=True)
        sync_folder(path.parent)


def waiting(folder: Path | str) -> list[Path]:
    """The files that wait in the inbox, oldest first."""
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
    """Reads a file of the inbox and leaves it where it is.

    Raises:
        InvalidInputError: It is not what `drop` wrote.
        ValueError: It is no JSON.
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
    """Keeps records of a file, and why they cannot be recorded, in `inbox/rejected`; the file itself stays.

    Args:
        path: The file.
        records: Its lines, or episodes, each with the reason.

    Returns:
        Where they are now.
    """
    lines = [record if isinstance(record, str) else _line(record) for record, _ in records]
    header = json.dumps({"format": FORMAT, "version": VERSION, "episodes": len(lines)})
    aside = path.parent / REJECTED / path.name
    make_folder(aside.parent)
    write_atomically(aside.with_suffix(".reason.txt"), "".join(f"{why}\n" for _, why in records).encode())
    write_atomically(aside, "\n".join([header, *lines, ""]).encode())
    return aside


def forget(folder: Path | str, ids: Collection[str], hashes: Collection[int], wanted: Needles) -> list[Path]:
    """Takes episodes out of the files that wait: those with these ids, and those with the very content.

    A rejected file that holds any of what is looked for is deleted as a whole: it could not be read anyway.

    Args:
        folder: The grimoire.
        ids: Of what was deleted.
        hashes: Of the contents that the log refuses from now on; without tombstones none.
        wanted: What a line or file that cannot be read may not hold.

    Returns:
        The files that were written again or deleted.
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
    """The episodes of a file of the inbox, which stays where it is.

    Raises:
        BardoError, ValueError, TypeError, OSError: It cannot be read.
    """
    return _read(path).episodes


def waiting_episodes(folder: Path | str) -> Iterator[Episode]:
    """The episodes that wait in the inbox, and are taken over by the next owner."""
    for path in waiting(folder):
        with suppress(BardoError, ValueError, TypeError, OSError, RecursionError):
            yield from _read(path).episodes


def _is_of(line: bytes, ids: Collection[str], hashes: Collection[int], wanted: Needles) -> bool:
    try:
        (episode,) = finish_episodes([records.from_record(parse_json(line))], now=0, seed=0)
    except (ValueError, TypeError):
        return _holds(line, wanted)
    # The words alone are no reason: another speaker may have said the same, or the text of a payload. A text
    # that the log would refuse later must not stay here until then (law 11).
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
    # Only "\n" ends a record: text may hold other line separators.
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
    # Types and limits as the log sees them; ids and times are there, so clock and seed do not matter.
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
    """The episodes of a file that can be recorded, and the lines that cannot, with the reason."""
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
