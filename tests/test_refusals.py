"""Busy, full, read-only and damaged are four errors with four pieces of advice, in every SQLite file of a folder."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import bardo
from bardo import _database, errors
from bardo._database import Database, statements
from bardo.assemble.prompt_feedback import PromptFeedback
from bardo.language.ledger import Call, Ledger
from helpers.models import letters

#: A user that may not write where root may; root ignores permissions.
NOBODY = 65_534
CALL = Call(1, 1, "judge", "m", 10, 10, 0, False, 1.0, None, "ok")


def opened(folder: Path) -> bardo.Grimoire:
    model = letters()
    return bardo.open(folder, agent="trader", embedder=model, seed=1)


class Disk:
    """A small file system of its own.

    Args:
        root: Where it is mounted.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def fill(self) -> None:
        """Leaves no byte free."""
        with (self.root / "ballast").open("ab", buffering=0) as ballast:
            for size in (1 << 20, 4_096, 1):
                try:
                    while True:
                        ballast.write(b"x" * size)
                except OSError:
                    pass

    def empty(self) -> None:
        """Gives the room back."""
        (self.root / "ballast").unlink()

    def remount(self, mode: str) -> None:
        """Makes the file system read-only (`ro`) or writable (`rw`)."""
        subprocess.run(["mount", "-o", f"remount,{mode}", self.root], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    root = tmp_path / "disk"
    root.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(root)]
    if (
        not sys.platform.startswith("linux")
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("a file system of one's own takes Linux and root")
    try:
        yield Disk(root)
    finally:
        subprocess.run(["umount", root], check=True)


def test_a_full_disk_is_a_typed_error_of_every_verb_and_nothing_is_lost(disk: Disk) -> None:
    folder = disk.root / "agent"
    grimoire = opened(folder)
    gate = bardo.gate(folder, words_only=True)
    ledger = Ledger(folder)
    kept = [grimoire.remember("Liquidations followed")]
    fact = grimoire.learn("Lag follows updates", confidence=0.5)
    gate.reject("short ETH")
    grimoire.context("What follows updates?")
    disk.fill()
    assert grimoire.stats()["feedback"]["prompts"] == 1
    for verb in (
        lambda: grimoire.learn("Gas is cheap at night " * 200, confidence=0.5),
        lambda: [gate.reject(f"sell token{number} " * 100) for number in range(50)],
        lambda: [ledger.enter(CALL) for _ in range(2_000)],
    ):
        with pytest.raises(errors.StoreFullError, match="room"):
            verb()
    with pytest.raises(errors.StoreFullError, match=r"feedback\.db.*room"):
        grimoire.close()
    gate.close()
    ledger.close()
    disk.empty()
    with opened(folder) as again, bardo.gate(folder, words_only=True) as gate:
        assert [episode.id for episode in again.episodes.list()] == [each.id for each in kept]
        assert again.facts.get(fact.id).text == fact.text
        assert again.stats()["feedback"]["prompts"] == 0
        assert not gate.before("short ETH").allowed
        gate.reject("sell bonds")


def test_a_disk_that_fills_up_while_prompts_wait_keeps_them_for_later(disk: Disk) -> None:
    folder = disk.root / "agent"
    with opened(folder) as grimoire:
        grimoire.remember("Liquidations followed")
        prompt = grimoire.context("What followed?")
        disk.fill()
        with pytest.raises(errors.StoreFullError, match=r"feedback\.db"):
            grimoire.prompts.acted(prompt)
        disk.empty()
        grimoire.prompts.acted(prompt)


def test_a_read_only_file_system_is_visited_and_gated(disk: Disk) -> None:
    folder = disk.root / "agent"
    make(folder)
    disk.remount("ro")
    try:
        look_at(folder)
        refuse(folder)
        with pytest.raises(errors.StoreReadOnlyError, match="writable"):
            opened(folder)
    finally:
        disk.remount("rw")


def make(folder: Path) -> None:
    """Makes a memory with every SQLite file."""
    with opened(folder) as grimoire, bardo.gate(folder, words_only=True) as gate:
        grimoire.learn("Lag follows updates", confidence=0.5)
        gate.reject("short ETH")
        grimoire.context("What follows updates?")
    ledger = Ledger(folder)
    ledger.enter(CALL)
    ledger.close()


def look_at(folder: Path) -> None:
    """Reads everything that can be read."""
    model = letters()
    with bardo.visit(folder, agent="trader", embedder=model) as visitor:
        assert [memory.text for memory in visitor.recall("lag follows")] == ["Lag follows updates"]
        assert visitor.stats()["facts"]["facts"] == 1
    for words_only in (True, False):
        with bardo.gate(folder, embedder=model, words_only=words_only) as gate:
            verdict = gate.before("short ETH")
            assert not verdict.allowed
            assert not verdict.notes or not words_only
    assert PromptFeedback(folder, learn=True, evidence=1).stats()["prompts"] == 1
    assert Ledger(folder).tokens_of_day(1) == 20


def refuse(folder: Path) -> None:
    """Sees that nothing can be written, and that an answer which would keep something says so."""
    model = letters()
    with bardo.gate(folder, embedder=model) as gate:
        assert "made again" in gate.before("short ETH").notes[0]
        for verb in (lambda: gate.reject("sell bonds"), lambda: gate.after("sell bonds", passed=True)):
            with pytest.raises(errors.StoreReadOnlyError, match="writable"):
                verb()
    with pytest.raises(errors.StoreReadOnlyError, match=r"ledger\.db.*writable"):
        Ledger(folder).enter(CALL)


LOOK = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
import test_refusals
# Loads every module, which another user may not be able to read.
test_refusals.look_at(Path(sys.argv[2]))
if os.geteuid() == 0:
    os.setuid(int(sys.argv[4]))
test_refusals.look_at(Path(sys.argv[1]))
test_refusals.refuse(Path(sys.argv[1]))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users may look into; those of pytest are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.name == "nt", reason="permissions are others there")
@pytest.mark.parametrize("owned", [False, True])
def test_a_folder_that_may_only_be_read_is_visited_and_gated(place: Path, owned: bool) -> None:
    folder = place / "agent"
    make(folder)
    shutil.copytree(folder, place / "copy")
    owner = opened(folder) if owned else None
    writing = bardo.gate(folder, words_only=True) if owned else None
    if writing:
        writing.rule("Look twice")
    before = sorted(folder.rglob("*"))
    for path in [folder, *before]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        command = [sys.executable, "-c", LOOK, folder, place / "copy", Path(__file__).parent, NOBODY]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        shown = subprocess.run(
            list(map(str, command)), env=environment, capture_output=True, text=True, check=False
        )
        assert shown.returncode == 0, shown.stderr
    finally:
        for path in [folder, *before]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert sorted(folder.rglob("*")) == before
    if owner and writing:
        writing.close()
        owner.close()


def test_a_log_without_its_index_is_not_passed_over_in_a_folder_that_may_only_be_read(disk: Disk) -> None:
    folder = disk.root / "agent"
    with opened(folder), bardo.gate(folder, words_only=True) as gate:
        gate.reject("short ETH")
        left = (folder / "conduct.db-wal").read_bytes()
    (folder / "conduct.db-wal").write_bytes(left)
    disk.remount("ro")
    try:
        with (
            bardo.gate(folder, words_only=True) as gate,
            pytest.raises(errors.StoreReadOnlyError, match="wal"),
        ):
            gate.before("short ETH")
    finally:
        disk.remount("rw")


def stores(folder: Path) -> dict[str, Callable[[], object]]:
    """A write to each SQLite file that Python opens."""
    return {
        "conduct.db": lambda: bardo.gate(folder, words_only=True).reject("sell bonds"),
        "feedback.db": PromptFeedback(folder, learn=True, evidence=1).unlearn,
        "ledger.db": lambda: Ledger(folder).enter(CALL),
    }


@pytest.mark.parametrize("name", ["conduct.db", "ledger.db"])
def test_a_busy_file_says_that_it_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(_database, "PATIENCE", 0.05)
    folder = tmp_path / "agent"
    opened(folder).close()
    stores(folder)[name]()
    with closing(sqlite3.connect(folder / name, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(errors.StoreBusyError, match=f"{name} is busy.*Try again"):
            stores(folder)[name]()
        other.execute("ROLLBACK")
    stores(folder)[name]()


def test_the_four_refusals_of_sqlite_are_four_errors(tmp_path: Path) -> None:
    given = Database(tmp_path / "a.db", steps=(statements("CREATE TABLE kept (word TEXT)"),), loss="nothing")
    advice = {
        sqlite3.SQLITE_BUSY: (errors.StoreBusyError, "Try again"),
        sqlite3.SQLITE_FULL: (errors.StoreFullError, "Make room"),
        sqlite3.SQLITE_READONLY: (errors.StoreReadOnlyError, "writable"),
        sqlite3.SQLITE_CORRUPT: (errors.StoreDamagedError, "Restore it from a copy"),
    }
    for code, (kind, words) in advice.items():
        error = sqlite3.OperationalError("as SQLite says")
        error.sqlite_errorcode = code
        told = given.refusal(error, "write to")
        assert type(told) is kind
        assert words in str(told)
        assert sum(other in str(told) for _, other in advice.values()) == 1, told
