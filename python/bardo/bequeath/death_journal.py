"""Journal of a death, `death.json`: the phase that it has reached, durable before the first step of the phase."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from bardo._atomic import (
    damaged,
    make_folder,
    read_json,
    sync_folder,
    unavailable,
    write_atomically,
    write_json,
)
from bardo._printed import printed
from bardo.bequeath.lineage import Tombstone
from bardo.folder import DEATH_FILE
from bardo.life.clocks import DeathPhase

#: Reflection in the testator's own words until the testament is signed. `forget` searches that folder, so that a text
#: with forgotten content is deleted and the reflection composed instead.
OWN_WORDS = Path("testaments", "death.reflection.md")

#: Remedy for an empty cause of death.
CAUSE = 'Say in a word or a sentence why the life ends, such as "economic"'


@dataclass(frozen=True, slots=True)
class DeathRecord:
    """State of a death that has begun and is not complete.

    Args:
        phase: Phase that it has reached.
        cause: Cause of death.
        tick: Tick at which it began.
        at: Time at which it began, microseconds UTC.
        deadline: Tick from which open tasks no longer hold the death up; None for no deadline.
        path: Path of the testament; empty until it is chosen.
        posthumous: Whether the agent was killed, so that its last record, not the clock, tells the tick of death.
        tombstone: Tombstone to write, once the testament is signed.
    """

    phase: DeathPhase
    cause: str = "unspecified"
    tick: int = 0
    at: int = 0
    deadline: int | None = None
    path: str = ""
    posthumous: bool = False
    tombstone: Tombstone | None = None

    __str__ = printed

    @property
    def is_closed(self) -> bool:
        """Whether the memory takes no more writes of the agent: from the last consolidation on."""
        return self.phase in {"reflect", "legacy"}

    def is_overdue(self, tick: int) -> bool:
        """Whether the deadline has passed.

        Args:
            tick: Current tick.
        """
        return self.deadline is not None and tick >= self.deadline

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return dataclasses.asdict(self)


def load(folder: Path) -> DeathRecord | None:
    """Reads the journal; returns None if no death has begun.

    Args:
        folder: Folder of the grimoire.

    Raises:
        StoreDamagedError: The file is not a journal.
    """
    fields = read_json(folder / DEATH_FILE)
    if fields is None:
        return None
    try:
        stone = fields.get("tombstone")
        tombstone = None if stone is None else Tombstone(**stone)
        # Earlier versions wrote the journal in the last phase alone, without its name.
        record = DeathRecord(**{"phase": "legacy", **fields, "tombstone": tombstone})
        if record.phase not in get_args(DeathPhase) or (record.phase == "legacy") != (tombstone is not None):
            raise ValueError(f"there is no death in the phase {record.phase!r} like that")
    except (TypeError, ValueError) as error:
        raise damaged(folder / DEATH_FILE, error) from error
    return record


def save(folder: Path, record: DeathRecord) -> None:
    """Writes the journal atomically and durably.

    Raises:
        StoreUnavailableError: The folder cannot be written.
    """
    write_json(folder / DEATH_FILE, record.to_dict())


def own_words(folder: Path, reflection: str | None) -> str | None:
    """Stores a reflection in the testator's own words; returns it, or the stored one of an interrupted death.

    Args:
        folder: Folder of the grimoire.
        reflection: Markdown text; None for none.

    Raises:
        StoreUnavailableError: The folder cannot be written or read.
    """
    path = folder / OWN_WORDS
    if reflection is not None:
        make_folder(path.parent)
        write_atomically(path, reflection.encode())
        return reflection
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unavailable("read", path, error) from error


def forget_own_words(folder: Path) -> None:
    """Deletes the reflection in the testator's own words, with temporary files of a crash."""
    for path in (folder / OWN_WORDS).parent.glob(f"*{OWN_WORDS.name}*"):
        path.unlink(missing_ok=True)


def delete(folder: Path) -> None:
    """Deletes the journal durably, with temporary files of a crash: the agent lives, or its death is complete."""
    forget_own_words(folder)
    for draft in folder.glob(f".{DEATH_FILE}.*"):
        draft.unlink(missing_ok=True)
    (folder / DEATH_FILE).unlink(missing_ok=True)
    sync_folder(folder)
