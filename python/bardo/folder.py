"""Layout and creation of an agent's folder."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bardo._atomic import unavailable, write_atomically
from bardo.config import FILE_NAME
from bardo.errors import GrimoireClosedError, InvalidInputError, NotFoundError, StoreUnavailableError

#: Files that exist only in some states: during a migration, after a check of the model.
MIGRATION_FILE, DRIFT_FILE = "migration.json", "drift.json"
DEATH_FILE, TOMBSTONE_FILE = "death.json", "tombstone.json"
#: Folder of the copies of inherited testaments.
TESTAMENTS_FOLDER = "testaments"
#: Table of the records that did not cross at the agent's death: kinds, ids and reasons, no text.
LEFT_BEHIND_FILE = "left_behind.parquet"
#: Databases of prompts: the records of prompts with their outcomes, and the hashes of the passages in them. Their names
#: are those of the first version, so that every memory keeps its files.
FEEDBACK_FILE, PASSAGES_FILE = "feedback.db", "prompts.db"


@dataclass(frozen=True, slots=True)
class Folder:
    """Paths of one grimoire (DESIGN, "One agent on disk").

    Args:
        root: Path of the folder.
    """

    root: Path

    @property
    def episodes(self) -> Path:
        """Log of all verbatim episodes, with vectors and watermarks: the ground truth."""
        return self.root / "episodes.redb"

    @property
    def journal(self) -> Path:
        """Write-ahead journal of episodes that are not durable in the log yet; deleted when the log is closed."""
        return self.root / "episodes.redb.wal"

    @property
    def facts(self) -> Path:
        """Database of facts, links and baselines."""
        return self.root / "facts.db"

    @property
    def snapshot(self) -> Path:
        """Last snapshot of the hot set; derived."""
        return self.root / "hot.snapshot"

    @property
    def lance(self) -> Path:
        """LanceDB table of episodes; derived."""
        return self.root / "index.lance"

    @property
    def inbox(self) -> Path:
        """Episodes dropped by processes that do not own the log."""
        return self.root / "inbox"

    @property
    def archive(self) -> Path:
        """JSON archive of the episodes of each past day, for people."""
        return self.root / "archive"

    @property
    def testaments(self) -> Path:
        """Copies of the inherited testaments."""
        return self.root / "testaments"

    @property
    def dossier(self) -> Path:
        """Summary page of the facts; derived from them."""
        return self.root / "DOSSIER.md"

    @property
    def playbook(self) -> Path:
        """Page of the heuristics in use, with notes that people added."""
        return self.root / "PLAYBOOK.md"

    @property
    def playbook_history(self) -> Path:
        """Versions of the playbook, the current one included."""
        return self.root / "playbook" / "history"

    @property
    def identity(self) -> Path:
        """Keys and files of the agent's identity."""
        return self.root / "identity"

    @property
    def migration(self) -> Path:
        """State of a running migration to another model, if any."""
        return self.root / MIGRATION_FILE

    @property
    def life(self) -> Path:
        """Checkpoint of the life history; derived from the log."""
        return self.root / "life.json"

    @property
    def checkpoint(self) -> Path:
        """Checkpoint of the session; ids and numbers, no text."""
        return self.root / "checkpoint.json"

    @property
    def tombstone(self) -> Path:
        """Record of the agent's death, if it has died."""
        return self.root / TOMBSTONE_FILE

    @property
    def left_behind(self) -> Path:
        """Table of the records that did not cross at the agent's death."""
        return self.root / LEFT_BEHIND_FILE

    @property
    def death(self) -> Path:
        """Journal of an unfinished death, if any."""
        return self.root / DEATH_FILE

    @property
    def settings(self) -> Path:
        """User-editable settings."""
        return self.root / FILE_NAME

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """Resolves a path that a caller gives.

        Raises:
            InvalidInputError: No folder can have that name.
        """
        if not str(path).strip():
            raise InvalidInputError("the path is empty. Name the folder of the memory, such as './agent'")
        try:
            root = Path(path).expanduser().absolute()
        except (RuntimeError, OSError) as error:
            raise InvalidInputError(
                f"{str(path)!r} names no folder: {error}. Write the whole path"
            ) from error
        if "\0" in str(root):
            raise InvalidInputError(
                f"{str(path)!r} names no folder: it holds a zero byte. Choose another path"
            )
        return cls(root)

    def exists(self) -> bool:
        """Whether the log exists."""
        return self.episodes.exists()

    def has_grimoire(self) -> bool:
        """Whether a grimoire is here, or the rest of one that lost its log; opening the latter reports the damage."""
        return any(part.exists() for part in (self.episodes, self.facts, self.lance))

    def check(self, *, create: bool) -> None:
        """Checks that there is a grimoire here, or one can be made; changes nothing.

        Raises:
            NotFoundError: There is no grimoire here and `create` is false.
            StoreUnavailableError: The path is a file, or the operating system refuses access.
        """
        try:
            is_file = self.root.exists() and not self.root.is_dir()
            missing = not create and not self.has_grimoire()
        except OSError as error:
            raise StoreUnavailableError(
                f"cannot look at {self.root}: {error.strerror or error}. Choose another path, or change its permissions"
            ) from error
        if is_file:
            raise StoreUnavailableError(
                f"cannot open {self.root}: it is a file. A grimoire is a folder; choose another path"
            )
        if missing:
            raise NotFoundError(
                f"there is no grimoire in {self.root}. Make one with `bardo init {self.root}`"
            )

    def prepare(self, *, agent: str) -> None:
        """Makes the folder if it does not exist.

        Raises:
            InvalidInputError: The agent's name is not Unicode, as with a folder whose name is not UTF-8.
            StoreUnavailableError: The folder cannot be written.
        """
        try:
            agent.encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"the agent's name {agent!r} is not valid Unicode. Choose another name, or rename the folder "
                "from which it is taken"
            ) from error
        try:
            for folder in (self.root, self.inbox, self.identity):
                folder.mkdir(parents=True, exist_ok=True)
            if not self.settings.exists() and not self.has_grimoire():
                text = f"agent = {json.dumps(agent, ensure_ascii=False)}\n"
                write_atomically(self.settings, text.encode())
        except OSError as error:
            raise unavailable("write to", self.root, error) from error


def forked_error(path: Path, opener: int) -> GrimoireClosedError:
    """Makes the error for work in a fork of the process that opened a folder."""
    return GrimoireClosedError(
        f"{path} was opened by process {opener} and this is its fork {os.getpid()}. "
        "Open it after the fork, or start workers with the spawn method"
    )


def dead_error(agent: str) -> GrimoireClosedError:
    """Makes the error for a write to the memory of a dead agent."""
    return GrimoireClosedError(
        f"{agent} has died and its memory is read-only. "
        "Boot an heir from its testament with bardo.inherit(testament, folder)"
    )


def dying_error(agent: str, *, signed: bool) -> GrimoireClosedError:
    """Makes the error for a write to the memory of an agent whose last consolidation has begun.

    Args:
        agent: Name of the agent.
        signed: Whether its testament is signed but not yet written.
    """
    if not signed:
        return GrimoireClosedError(
            f"{agent} is dying: its last consolidation has begun, and nothing is recorded any more. "
            "Call death.complete() to end it"
        )
    return GrimoireClosedError(
        f"{agent} is dying: its testament is signed and waits for a place where it can be written. "
        "Call bequeath with such a path; the same testament is written there"
    )


def holder() -> str:
    """Describes this process as JSON for the lease of the log: process id, host, and start (microseconds UTC).

    The time is that of the machine, also where the clock of the memory is simulated: it helps to find the process.
    """
    if hasattr(os, "uname"):
        host = os.uname().nodename
    else:
        import platform

        host = platform.node()
    return json.dumps({"pid": os.getpid(), "host": host, "since": time.time_ns() // 1_000})
