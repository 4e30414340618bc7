"""Integrity check of every file of a memory against checksums, signatures, and the log."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bardo import _database
from bardo._atomic import unavailable
from bardo._core import EpisodeLog, FactStore, check_facts
from bardo._printed import printed
from bardo._validation import checked
from bardo.bequeath import death_journal, lineage
from bardo.bequeath.content import left_behind
from bardo.bequeath.content.tallies import TALLIES_FILE
from bardo.bequeath.heir.inherit import PROVENANCE_FILE
from bardo.bequeath.heir.innate import CONFIRMATIONS_FILE
from bardo.bequeath.heir.replay import REPLAY_FILE
from bardo.bequeath.testament import testament
from bardo.capture import archive, inbox
from bardo.conduct.storage import store as conduct
from bardo.config import Config
from bardo.converse import summary_store
from bardo.errors import BardoError, StoreLockedError, StoreReadOnlyError
from bardo.folder import FEEDBACK_FILE, Folder, holder
from bardo.grimoire.stores import require_facts, require_log
from bardo.index.archive.lance_index import LanceIndex
from bardo.language import ledger
from bardo.ports import Clock, SystemClock

#: Suffix of the copy of a file that is kept before its repair.
KEPT = ".damaged"
#: Number of episodes per read.
_PAGE = 1_024
#: Files beside the inherited testaments that are none.
_OWN_FILES = frozenset(
    {PROVENANCE_FILE, CONFIRMATIONS_FILE, TALLIES_FILE, REPLAY_FILE, death_journal.OWN_WORDS.name}
)


@dataclass(frozen=True, slots=True)
class Damage:
    """One finding of damage.

    Args:
        file: Path in the folder.
        table: Table of a SQLite file; empty for damage of the file as a whole.
        row: Key of the row; empty for damage of the table or the file as a whole.
        what: Description of the damage.
        repair: Repair that was made; empty if none.
    """

    file: str
    table: str
    row: str
    what: str
    repair: str = ""

    __str__ = printed


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Report of a check of a memory.

    Args:
        path: Folder of the memory.
        files: Checked files, each with the kind of check.
        damaged: Findings of damage.
        notes: Notes on parts that could not be checked, and remedies for damage that was not repaired.
    """

    path: str
    files: tuple[str, ...]
    damaged: tuple[Damage, ...]
    notes: tuple[str, ...]

    __str__ = printed

    @property
    def sound(self) -> bool:
        """Whether there is no damage, or all of it was repaired."""
        return all(each.repair for each in self.damaged)


@checked
def check(path: str | Path, *, repair: bool = False, clock: Clock | None = None) -> CheckReport:
    """Checks every file of a memory, also of one that cannot be opened because of damage.

    Args:
        path: Folder of the memory.
        repair: Whether to repair `facts.db` where possible: single flipped bits, indexes and words. A copy of the file
            is kept first, as `facts.db.damaged`; no other file is changed.
        clock: Wall clock; the system clock if not given.

    Raises:
        NotFoundError: There is no memory in the folder.
        StoreError: The folder cannot be read.
    """
    folder = Folder.at(path)
    folder.check(create=False)
    work = _Check(folder)
    now = (clock or SystemClock()).now()
    try:
        agent = Config.load(folder.root).agent or folder.root.name
    except BardoError as error:
        work.tell(folder.settings, str(error))
        agent = folder.root.name
    log = None
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            require_log(folder)
            log = EpisodeLog(
                str(folder.episodes), agent=agent, seed=0, now=now, create=False, holder=holder()
            )
        work.notes += [str(warning.message) for warning in said]
    except StoreLockedError as error:
        work.notes.append(f"the log, its journal and the archive were not checked: {error}")
    except BardoError as error:
        work.tell(folder.episodes, str(error))
    try:
        return work.run(log, agent=agent, repair=repair)
    finally:
        if log is not None:
            log.close()


def check_open(folder: Folder, log: EpisodeLog, *, repair: bool) -> CheckReport:
    """`check` for a memory that this process has open."""
    return _Check(folder).run(log, agent=log.agent, repair=repair)


class _Check:
    """One check in progress.

    Args:
        folder: Folder of the memory.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._files: list[str] = []
        self._damaged: list[Damage] = []
        self.notes: list[str] = []

    def tell(self, path: Path, what: str, *, table: str = "", row: str = "", repair: str = "") -> None:
        """Adds a finding."""
        self._damaged.append(Damage(str(path.relative_to(self._folder.root)), table, row, what, repair))

    def run(self, log: EpisodeLog | None, *, agent: str, repair: bool) -> CheckReport:
        """Checks every file, and returns the report."""
        folder = self._folder
        if log is not None:
            self._look(folder.episodes, "every episode, and the journal", lambda: self._read(log))
            if folder.archive.exists():
                self._look(folder.archive, "the log", lambda: self._compare(log))
            self._require(folder.facts, lambda: require_facts(folder, log, relearn=False))
        if folder.facts.exists():
            self._look(folder.facts, "a checksum a row", lambda: self._facts(repair=repair))
            self._require(folder.facts, lambda: self._opened(agent))
        for name in (conduct.FILE_NAME, FEEDBACK_FILE, ledger.FILE_NAME, summary_store.FILE_NAME):
            path = folder.root / name
            if path.exists():
                self._look(path, "a checksum a row", lambda path=path: self._rows(path))  # type: ignore[misc]
        if folder.lance.exists() and log is not None:
            self._look(folder.lance, "the texts of the log", lambda: self._lance(log))
        for path in inbox.waiting(folder.root):
            self._look(path, "its header", lambda path=path: inbox.check(path))  # type: ignore[misc]
        if folder.testaments.exists():
            for path in sorted(folder.testaments.iterdir()):
                if path.is_file() and path.name not in _OWN_FILES:
                    self._look(path, "its signature", lambda path=path: testament.read(path))  # type: ignore[misc]
        self._look(folder.identity, "its form", lambda: lineage.Lineage.load(folder.root))
        self._look(folder.tombstone, "its form", lambda: lineage.is_dead(folder.root))
        self._look(folder.left_behind, "its form", lambda: left_behind.load(folder.root))
        self._look(folder.death, "its form", lambda: death_journal.load(folder.root))
        left = {each.file for each in self._damaged if not each.repair}
        if left:
            self.notes.append(
                f"not repaired: {', '.join(sorted(left))}. {self._way_out(left, repair=repair)}"
            )
        return CheckReport(str(folder.root), tuple(self._files), tuple(self._damaged), tuple(self.notes))

    def _way_out(self, left: set[str], *, repair: bool) -> str:
        ways = ["Restore them from a copy"]
        if self._folder.facts.name in left:
            relearn = (
                "with facts.db moved away, `bardo.open(path, relearn=True)` learns from the verified episodes"
            )
            ways.append(
                relearn
                if repair
                else "`bardo maintenance check --repair` mends flipped bits, indexes and words of facts.db"
            )
        if self._folder.lance.name in left:
            ways.append("`bardo maintenance rebuild` makes index.lance again from the log")
        return "; ".join(ways)

    def _look(self, path: Path, held_to: str, look: Callable[[], object]) -> None:
        """Runs one part of the check; an exception becomes a finding, and other parts still run."""
        if not path.exists():
            return
        name = path.relative_to(self._folder.root)
        try:
            look()
        except (StoreReadOnlyError, StoreLockedError) as error:
            self.notes.append(f"{name} was not checked: {error}")
            return
        except (BardoError, ValueError, TypeError, OSError) as error:
            self.tell(path, str(error))
        self._files.append(f"{name}: {held_to}")

    def _require(self, path: Path, look: Callable[[], object]) -> None:
        """Checks that a file is not lost; a failure becomes a finding."""
        try:
            look()
        except (StoreReadOnlyError, StoreLockedError) as error:
            self.notes.append(f"{path.name} was not checked: {error}")
        except BardoError as error:
            if str(error) not in {each.what for each in self._damaged}:
                self.tell(path, str(error))

    def _opened(self, agent: str) -> None:
        """Opens the facts, and compares `conduct.db` with its mark in them."""
        facts = FactStore(str(self._folder.facts), agent=agent, seed=0, create=False)
        try:
            kept = conduct.ConductStore(self._folder.root, facts=facts)
            try:
                self._require(self._folder.root / conduct.FILE_NAME, kept.require)
            finally:
                kept.close()
        finally:
            facts.close()

    def _read(self, log: EpisodeLog) -> None:
        """Reads every episode."""
        seq = 0
        while page := log.since(seq, _PAGE):
            seq = page[-1][0]

    def _compare(self, log: EpisodeLog) -> None:
        found = archive.compare(log, self._folder.archive)
        if found.missing or found.different:
            what = f"{found.missing} episodes are not in the log, and {found.different} are others there"
            self.tell(self._folder.archive, what)

    def _facts(self, *, repair: bool) -> None:
        path = self._folder.facts
        found = check_facts(str(path), repair=False)
        if found and repair:
            try:
                # Recent changes may be in the write-ahead log only.
                for each in (path, path.with_name(path.name + "-wal")):
                    if each.exists():
                        shutil.copy2(each, each.with_name(each.name.replace(path.name, path.name + KEPT)))
            except OSError as error:
                raise unavailable("copy", path, error) from error
            self.notes.append(f"{path.name} as it was is kept as {path.name}{KEPT}")
            found = check_facts(str(path), repair=True)
        for table, row, what, done in found:
            self.tell(path, what, table=table, row=row, repair=done)

    def _rows(self, path: Path) -> None:
        for table, row, what in _database.damage(path):
            self.tell(path, what, table=table, row=row)

    def _lance(self, log: EpisodeLog) -> None:
        """Compares the texts of the table with the log's."""
        index = LanceIndex(self._folder.lance, agent=log.agent, fingerprint=None, reader=True)
        try:
            texts = index.texts()
        finally:
            index.close()
        for page in (list(texts)[start : start + _PAGE] for start in range(0, len(texts), _PAGE)):
            for id_, episode in zip(page, log.get(page), strict=True):
                if episode is not None and episode.text != texts[id_]:
                    self.tell(self._folder.lance, "its text is not the log's", table="episodes", row=id_)
