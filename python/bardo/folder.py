"""One agent's folder: which file is where, and how it comes into being."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bardo._atomic import unavailable, write_atomically
from bardo.config import FILE_NAME
from bardo.errors import GrimoireClosedError, InvalidInputError, NotFoundError, StoreUnavailableError

#: Files that say what is not so in most folders: a migration is under way, the model was checked, the agent is dead.
MIGRATION_FILE, DRIFT_FILE = "migration.json", "drift.json"
DEATH_FILE, TOMBSTONE_FILE = "death.json", "tombstone.json"
#: Longest name of an agent, in bytes of UTF-8.
AGENT_BYTES = 256


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of one grimoire (DESIGN, "One agent on disk").

    Args:
        root: The folder itself.
    """

    root: Path

    @property
    def episodes(self) -> Path:
        """Every episode verbatim, with vectors and watermarks: the ground truth."""
        return self.root / "episodes.redb"

    @property
    def journal(self) -> Path:
        """Episodes that the log does not have durably yet; gone once it is closed."""
        return self.root / "episodes.redb.wal"

    @property
    def facts(self) -> Path:
        """Facts, links, baselines."""
        return self.root / "facts.db"

    @property
    def snapshot(self) -> Path:
        """The hot set as it was last saved; derived."""
        return self.root / "hot.snapshot"

    @property
    def lance(self) -> Path:
        """The LanceDB table of episodes; derived."""
        return self.root / "index.lance"

    @property
    def inbox(self) -> Path:
        """Episodes dropped by processes that do not own the log."""
        return self.root / "inbox"

    @property
    def archive(self) -> Path:
        """The episodes of each day that is over, as JSON for people."""
        return self.root / "archive"

    @property
    def testaments(self) -> Path:
        """Copies of the testaments that were inherited."""
        return self.root / "testaments"

    @property
    def dossier(self) -> Path:
        """Page of all knowledge; derived from the facts."""
        return self.root / "DOSSIER.md"

    @property
    def playbook(self) -> Path:
        """The heuristics that are acted by, and what people wrote beside them."""
        return self.root / "PLAYBOOK.md"

    @property
    def playbook_history(self) -> Path:
        """Versions of the playbook, the one in force included."""
        return self.root / "playbook" / "history"

    @property
    def identity(self) -> Path:
        """Keys and files of who the agent is."""
        return self.root / "identity"

    @property
    def migration(self) -> Path:
        """State of a migration to another model that is under way, if any."""
        return self.root / MIGRATION_FILE

    @property
    def tombstone(self) -> Path:
        """How the agent died, if it did."""
        return self.root / TOMBSTONE_FILE

    @property
    def death(self) -> Path:
        """Journal of a death that is under way, if one is."""
        return self.root / DEATH_FILE

    @property
    def settings(self) -> Path:
        """The settings a person may edit."""
        return self.root / FILE_NAME

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """The folder that a caller names.

        Raises:
            InvalidInputError: No folder can have that name.
        """
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
        """Whether the log is here."""
        return self.episodes.exists()

    def has_grimoire(self) -> bool:
        """Whether a grimoire is here, or the remains of one that lost its log: opening that reports the damage."""
        return any(part.exists() for part in (self.episodes, self.facts, self.lance))

    def check(self, *, create: bool) -> None:
        """Sees whether there is a grimoire here, or one can be made; changes nothing.

        Raises:
            NotFoundError: There is no grimoire here and `create` is false.
            StoreUnavailableError: The path is a file, or none that the operating system can look at.
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
        """Makes the folder if it is not there.

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
    """The error for work in a fork of the process that opened a folder."""
    return GrimoireClosedError(
        f"{path} was opened by process {opener} and this is its fork {os.getpid()}. "
        "Open it after the fork, or start workers with the spawn method"
    )


def dead_error(agent: str) -> GrimoireClosedError:
    """The error for writing into the memory of an agent that has died."""
    return GrimoireClosedError(
        f"{agent} has died and its memory is read-only. "
        "Boot an heir from its testament with bardo.inherit(testament, folder)"
    )


def dying_error(agent: str) -> GrimoireClosedError:
    """The error for writing into the memory of an agent whose testament is signed and not yet at its place."""
    return GrimoireClosedError(
        f"{agent} is dying: its testament is signed and waits for a place where it can be written. "
        "Call bequeath with such a path; the same testament is written there"
    )


def holder(now: int) -> str:
    """Describes this process as JSON for the lease of the log: process id, host, and since when (microseconds UTC)."""
    if hasattr(os, "uname"):
        host = os.uname().nodename
    else:
        import platform

        host = platform.node()
    return json.dumps({"pid": os.getpid(), "host": host, "since": now})
