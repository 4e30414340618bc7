"""The journal beside the log, seen from Python: one that is lost after a crash is refused, and going on is reported."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import BardoWarning, JournalLostError, StoreDamagedError, StoreForeignError
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

JOURNAL = "episodes.redb.wal"
#: Remembers so many texts and is killed before it can close.
CHILD = """
import os, signal, sys
import bardo
memory = bardo.open(sys.argv[1], config={"embedding": {"batch": 0}})
for number in range(int(sys.argv[2])):
    memory.remember(f"The tide rose for the {number}th time")
os.kill(os.getpid(), signal.SIGKILL)
"""
runner = CliRunner()


def killed(folder: Path, count: int = 6) -> Path:
    """A memory whose owner was killed after it had remembered so many texts."""
    bardo.open(folder).close()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(count)], env=environment, check=False
    )
    assert child.returncode == -signal.SIGKILL
    return folder


def delete(journal: Path) -> None:
    journal.unlink()


def empty(journal: Path) -> None:
    journal.write_bytes(b"")


def cut(journal: Path) -> None:
    os.truncate(journal, 8_200)


@pytest.mark.parametrize(
    ("damage", "words", "left"), [(delete, "is missing", 2), (empty, "is empty", 2), (cut, "cut short", 3)]
)
def test_a_lost_journal_is_refused_until_its_loss_is_accepted(
    tmp_path: Path, damage: Callable[[Path], None], words: str, left: int
):
    folder = killed(tmp_path / "sailor")
    damage(folder / JOURNAL)
    with pytest.raises(JournalLostError, match=f"(?s){words}.*bardo recover"):
        bardo.open(folder)
    with pytest.warns(BardoWarning, match="may be lost"):
        memory = bardo.open(folder, accept_loss=True)
    with memory:
        assert len(list(memory.episodes.list())) == left
        assert memory.lost is not None
        assert words in memory.lost[0]
        memory.remember("The tide fell")
    with bardo.open(folder) as memory:
        assert memory.lost is None
        assert len(list(memory.episodes.list())) == left + 1


def test_a_whole_journal_loses_nothing_and_nothing_is_reported(tmp_path: Path):
    folder = killed(tmp_path / "sailor")
    with bardo.open(folder, accept_loss=True) as memory:
        assert memory.lost is None
        assert len(list(memory.episodes.list())) == 6
    assert not (folder / JOURNAL).exists()


def test_the_journal_of_another_agent_is_refused(tmp_path: Path):
    first, second = killed(tmp_path / "sailor"), killed(tmp_path / "pilot")
    shutil.copy(first / JOURNAL, second / JOURNAL)
    with pytest.raises(StoreForeignError, match="another episode log"):
        bardo.open(second)


def test_a_backup_beside_a_newer_journal_is_refused(tmp_path: Path):
    folder = tmp_path / "sailor"
    with bardo.open(folder) as memory:
        memory.remember("The anchor holds")
    backup = (folder / "episodes.redb").read_bytes()
    killed(folder)
    (folder / "episodes.redb").write_bytes(backup)
    with pytest.raises(StoreDamagedError, match="not of the same time"):
        bardo.open(folder)


def test_recover_asks_first_and_tells_what_was_lost(tmp_path: Path):
    folder = killed(tmp_path / "sailor")
    os.truncate(folder / JOURNAL, 8_200)
    assert runner.invoke(app, ["stats", "--at", str(folder)]).exit_code == exits.STORE
    declined = runner.invoke(app, ["recover", "--at", str(folder)], input="n\n")
    assert declined.exit_code == exits.FAILED
    told = json.loads(runner.invoke(app, ["recover", "--yes", "--json", "--at", str(folder)]).stdout)
    assert told["lost"]
    assert "cut short" in told["what"]
    assert told["taken"] == 1
    assert told["episodes"] == 3
    assert Path(told["kept"]).stat().st_size == 8_200
    again = runner.invoke(app, ["recover", "--at", str(folder)])
    assert "nothing to recover" in again.stdout
