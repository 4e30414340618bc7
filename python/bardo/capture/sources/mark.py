"""State of the reader of a source, stored with its watermark in the log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from blake3 import blake3

from bardo.capture.sources.record import Reader, Record

_VERSION = 1
#: Length of the checksum of a single record in bytes.
_RECORD_BYTES = 8
#: Bits that mark the id of an episode as a UUID of version 7.
_VERSION_7, _VARIANT = 0x70, 0x80


@dataclass(frozen=True, slots=True)
class SourceState:
    """Part of a source that was read.

    Args:
        position: Position up to which it was read.
        check: BLAKE3 checksum of the records up to there.
        records: Number of these records.
        key: Name under which the source was first read; part of the ids of its episodes.
        generation: Number of times that another file took its place.
        began: Time at which the first record of this generation was read, microseconds UTC; part of the ids.
    """

    position: int = 0
    check: str = ""
    records: int = 0
    key: str = ""
    generation: int = 0
    began: int = 0

    @classmethod
    def load(cls, mark: tuple[int, str] | None) -> Self | None:
        """Reads the state from a watermark of the log; None if the source was never read."""
        if mark is None:
            return None
        position, state = mark
        fields = json.loads(state)
        del fields["version"]
        return cls(position=position, **fields)

    def mark(self) -> tuple[int, str]:
        """Returns the watermark for the log."""
        fields = asdict(self)
        return fields.pop("position"), json.dumps({"version": _VERSION, **fields}, separators=(",", ":"))

    def next_generation(self, now: int) -> Self:
        """Returns the state before the first record of another file in the place of this one."""
        return replace(self, position=0, check="", records=0, generation=self.generation + 1, began=now)

    def id_of(self, record: Record, occurrence: int, place: int) -> str:
        """Returns the id of an episode: the same whenever the same record is read again.

        Args:
            record: Record of the episode.
            occurrence: Number of equal records up to this one.
            place: Number of the episode in the record.
        """
        parts = (self.key, str(self.generation), str(occurrence), str(place))
        digest = bytearray(blake3("\0".join(parts).encode() + b"\0" + record.raw).digest(16))
        digest[:6] = max(self.began // 1_000, 0).to_bytes(6, "big")
        digest[6] = _VERSION_7 | (digest[6] & 0x0F)
        digest[8] = _VARIANT | (digest[8] & 0x3F)
        text = digest.hex()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Walk:
    """Walk over the records of a file from its beginning, with the checksum and the counts up to each.

    Args:
        reader: Reader of the file.
        path: Path of the file.
        whole: Whether the last record counts as complete without its end.

    Attributes:
        check: Checksum of the records so far.
        records: Number of these records.
        waiting: Whether the last record is not complete yet.
    """

    def __init__(self, reader: Reader, path: Path, *, whole: bool = False) -> None:
        self._records = reader(path)
        self._whole = whole
        self._hash = blake3()
        self._seen: Counter[bytes] = Counter()
        self.records = 0
        self.waiting = False

    @property
    def check(self) -> str:
        """Returns the checksum of the records so far."""
        return self._hash.hexdigest(16)

    def __iter__(self) -> Iterator[tuple[Record, int]]:
        """Yields each complete record, and the number of equal records up to it."""
        for record in self._records:
            if not record.is_complete and not self._whole:
                self.waiting = True
                return
            self._hash.update(len(record.raw).to_bytes(8, "little") + record.raw)
            self.records += 1
            key = blake3(record.raw).digest(_RECORD_BYTES)
            self._seen[key] += 1
            yield record, self._seen[key]

    def skip(self, state: SourceState) -> bool:
        """Walks over the part that was read; returns whether the file still begins with it."""
        if not state.position:
            return True
        for record, _ in self:
            if record.end >= state.position:
                return record.end == state.position and self.check == state.check
        return False
