"""Killed at any of its steps, consolidation counts no episode twice and leaves nothing half-written."""

from __future__ import annotations

import collections
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode

CHILD = Path(__file__).with_name("killed_child.py")
KILLS = 100
EPISODES = 2_000
NOW = 1_700_000_000_000_000


def live_and_die(log: Path, facts: Path, run: int, begun: int, seconds: float) -> str:
    """Runs a child, kills it some time after it began a number of steps, and returns the step that it was in."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), str(log), str(facts), str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert child.stdout is not None
    assert child.stderr is not None
    with child.stdout, child.stderr:
        first = child.stdout.readline()
        assert first == b"learn\n", child.stderr.read().decode()
        for _ in range(begun):
            first += child.stdout.readline()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        steps = (first + child.stdout.read()).decode().split()
        assert child.wait() == -signal.SIGKILL, child.stderr.read().decode()
    return steps[-1]


def check(path: Path, counted: int) -> int:
    """Opens the store that a killed process left; how many episodes it counts."""
    facts = FactStore(path, agent="tester", seed=1)
    stats = facts.stats()
    watermark: int = stats["watermark"]
    assert watermark >= counted, "a pass that was durable is undone"
    # The statistic is written with the watermark, or not at all.
    stated = facts.list(kind="baseline", status=None)
    assert [fact.support for fact in stated] in ([watermark], []), (stated, watermark)
    for fact in facts.list(status=None, limit=100_000):
        if fact.superseded_by is not None:
            (newer,) = facts.get([fact.superseded_by])
            assert newer is not None, "what took its place is not there"
            assert fact.status == "superseded"
    for _, _, _, _, _, changes in facts.acts(1_024):
        for _, before, after in changes:
            assert before is None or json.loads(before).keys() == json.loads(after).keys()
    facts.close()
    return watermark


def test_a_hundred_kills_at_any_step_count_no_episode_twice(tmp_path: Path) -> None:
    log_path, facts_path = tmp_path / "episodes.redb", tmp_path / "facts.db"
    log = EpisodeLog(str(log_path), agent="tester", seed=1, now=NOW)
    numbers = [n / 2 for n in range(EPISODES)]
    lived = log.record(
        [
            Episode(f"e{n}", tick=n, subjects=("s",), payload={"x": number})
            for n, number in enumerate(numbers)
        ],
        now=NOW,
    )
    log.verify([(one.id, 0.5) for one in lived])
    log.close()
    chance = random.Random(13)
    steps: collections.Counter[str] = collections.Counter()
    counted = 0
    for run in range(KILLS):
        steps[live_and_die(log_path, facts_path, run, chance.randrange(12), chance.uniform(0, 0.01))] += 1
        counted = check(facts_path, counted)
    assert set(steps) >= {"learn", "consolidate", "dream", "lint"}, steps
    log = EpisodeLog(str(log_path), agent="tester", seed=1, now=NOW)
    facts = FactStore(facts_path, agent="tester", seed=1)
    while Curator(facts).consolidate(log, tick=4_000, now=NOW).pending:
        pass
    (fact,) = facts.list(kind="baseline")
    assert (fact.support, fact.payload["n"], fact.payload["mean"]) == (EPISODES, EPISODES, (EPISODES - 1) / 4)
    assert abs(fact.payload["variance"] / np.var(numbers, ddof=1) - 1) < 1e-9
    log.close()
    facts.close()
