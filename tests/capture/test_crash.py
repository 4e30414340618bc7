"""Law 1 on real processes: 200 kills at random moments lose no acknowledged episode."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from bardo._core import EpisodeLog

CHILD = Path(__file__).with_name("crashing_child.py")
KILLS = 200
#: A new store is begun after this many kills: reopening after a crash reads the whole file.
KILLS_PER_STORE = 50
LONGEST_LIFE_SECONDS = 0.06


def live_and_die(path: Path, run: int, seconds: float) -> dict[str, int]:
    """Runs a child for some time, kills it, and returns the length of the text of each acknowledged episode."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(path), str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    with child.stdout, child.stderr:
        first = child.stdout.readline()
        assert first == b"ready\n", child.stderr.read().decode()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        acknowledged = child.stdout.read().decode()
        assert child.wait() == -signal.SIGKILL, child.stderr.read().decode()
    lines = (line.split() for line in acknowledged.splitlines())
    return {id_: int(length) for id_, length in lines}


def check(path: Path, acknowledged: dict[str, int], run: int) -> int:
    """Opens the store that a killed process left, and looks for every acknowledged episode."""
    log = EpisodeLog(str(path), agent="crash", seed=0, now=0, create=False)
    ids = list(acknowledged)
    found = log.get(ids)
    lost = [id_ for id_, episode in zip(ids, found, strict=True) if episode is None]
    assert not lost, f"run {run}: {len(lost)} of {len(ids)} acknowledged episodes are lost: {lost[:3]}"
    for id_, episode in zip(ids, found, strict=True):
        assert episode is not None
        assert len(episode.text) == acknowledged[id_]
    total = len(log)
    assert len(log.by_subject("сбой", limit=10**6)) == total
    assert len(log.since(0, 10**6)) == total
    log.close()
    return total


def test_two_hundred_kills_lose_no_acknowledged_episode(tmp_path: Path) -> None:
    chance = random.Random(20_260_131)
    acknowledged: dict[str, int] = {}
    sum_acknowledged = 0
    for run in range(1, KILLS + 1):
        path = tmp_path / f"episodes-{(run - 1) // KILLS_PER_STORE}.redb"
        if not path.exists():
            acknowledged = {}
        new = live_and_die(path, run, chance.uniform(0, LONGEST_LIFE_SECONDS))
        sum_acknowledged += len(new)
        acknowledged |= new
        total = check(path, acknowledged, run)
        # At most one batch of each thread was durable but not yet acknowledged when the process died.
        assert total >= len(acknowledged)
    assert sum_acknowledged > KILLS, "the children hardly got to work"
