"""Refusals of the operating system: each is a typed error, nothing is lost, and the log continues afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo import errors
from bardo._core import EpisodeLog
from bardo.index import indexer
from bardo.model import Episode

#: A user that may not write where root may; root ignores permissions.
NOBODY = 65_534

FULL_DISK = """
import resource, signal, sys
from bardo import errors
from bardo._core import EpisodeLog
from bardo.model import Episode

path = sys.argv[1]
log = EpisodeLog(path, agent="a", seed=1, now=1)
kept = {}
def record(number, size):
    text = f"событие {number} " + "x" * size
    kept[log.record([Episode(text, tick=1)], now=1)[0].id] = text
for number in range(10):
    record(number, 100)

# A write beyond this length fails, as on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = log.stats()["bytes_on_disk"] + 200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
refused = 0
for number in range(10, 400):
    try:
        record(number, 20_000)
    except errors.StoreUnavailableError as error:
        assert "room" in str(error), error
        refused += 1
        found = log.get(list(kept))
        assert [episode.text for episode in found] == list(kept.values()), "an earlier episode is lost"
        if refused == 5:
            break
assert refused == 5, "the disk never filled up"

resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for number in range(400, 420):
    record(number, 20_000)
log.close()
log = EpisodeLog(path, agent="a", seed=1, now=1)
assert [episode.text for episode in log.get(list(kept))] == list(kept.values())
print(len(kept), "kept")
"""

NO_PERMISSION = """
import os, sys
import bardo
from bardo import errors
from bardo._core import EpisodeLog
from bardo.index import indexer as upkeep
from bardo.model import Episode
if os.geteuid() == 0:
    os.setuid(int(sys.argv[2]))
try:
    EpisodeLog(sys.argv[1], agent="a", seed=1, now=1)
except errors.StoreUnavailableError as error:
    print(error)
"""


def run(program: str, *arguments: object) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_full_disk_loses_nothing_and_the_log_goes_on_when_there_is_room(tmp_path: Path) -> None:
    assert "kept" in run(FULL_DISK, tmp_path / "episodes.redb")


def test_a_read_only_folder_is_unavailable_and_says_so(tmp_path: Path) -> None:
    # Folders above may be private to this user: let the other one pass through.
    folder = tmp_path / "closed"
    folder.mkdir()
    EpisodeLog(folder / "old.redb", agent="a", seed=1, now=1).close()
    (folder / "old.redb").chmod(0o444)
    folder.chmod(0o555)
    opened = [parent for parent in tmp_path.parents if not parent.stat().st_mode & 0o001]
    modes = [(parent, parent.stat().st_mode) for parent in [tmp_path, *opened]]
    for parent, mode in modes:
        parent.chmod(mode | 0o001)
    try:
        for name in ("new.redb", "old.redb"):
            shown = run(NO_PERMISSION, folder / name, NOBODY)
            assert "Permission denied" in shown
            assert "writable" in shown
    finally:
        for parent, mode in modes:
            parent.chmod(mode)
        folder.chmod(0o755)
    assert sorted(path.name for path in folder.iterdir()) == ["old.redb"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_is_not_a_log() -> None:
    with pytest.raises(errors.StoreError):
        EpisodeLog("/dev/full", agent="a", seed=1, now=1)


def test_a_folder_or_a_file_in_the_way_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "file" / "episodes.redb", tmp_path / "absent" / "episodes.redb"):
        with pytest.raises(errors.StoreUnavailableError):
            EpisodeLog(path, agent="a", seed=1, now=1)
    assert (tmp_path / "file").read_text() == "x"


def test_sleep_rewrites_a_log_only_when_it_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_TIDY_BYTES", 0)
    chance = np.random.default_rng(1)

    def embed(texts: list[str]) -> np.ndarray:
        rows = chance.normal(size=(len(texts), 384))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    with bardo.open(tmp_path / "agent", embedder=embed, durable=False, seed=1) as grimoire:
        stored = [grimoire.remember(f"event {n}", subjects=[f"s{n % 7}"]) for n in range(600)]
        grimoire.sleep()
        tidied = grimoire._session.log.watermark("log.tidied")
        assert 0 < tidied < 600 * 1_400
        grimoire.sleep()
        assert grimoire._session.log.watermark("log.tidied") == tidied
        assert [episode.id for episode in grimoire.episodes.list()] == [episode.id for episode in stored]
        assert grimoire.remember("one more").id in {memory.id for memory in grimoire.recall("one more")}


def test_a_log_that_grew_is_cut_back_when_it_closes(tmp_path: Path) -> None:
    path = tmp_path / "episodes.redb"
    log = EpisodeLog(str(path), agent="a", seed=1, now=1, durable=False)
    for start in range(0, 10_000, 500):
        log.record([Episode(f"event {n} " + "word " * 80, tick=1) for n in range(start, start + 500)], now=1)
    open_bytes = log.stats()["bytes_on_disk"]
    log.close()
    assert path.stat().st_size < 0.9 * open_bytes
    again = EpisodeLog(str(path), agent="a", seed=1, now=1)
    assert len(again) == 10_000
    again.close()
