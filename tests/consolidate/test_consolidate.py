import dataclasses
import math
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bardo import errors
from bardo._core import Curator, EpisodeLog, FactStore
from bardo.model import Episode, Fact, Fingerprint

TOY = Fingerprint(model="toy", version="1", preprocessing="none", dims=2)
NOW = 1_700_000_000_000_000


@pytest.fixture
def log(tmp_path: Path):
    log = EpisodeLog(str(tmp_path / "episodes.redb"), agent="tester", seed=1, now=NOW)
    yield log
    log.close()


@pytest.fixture
def facts(tmp_path: Path):
    facts = FactStore(tmp_path / "facts.db", agent="tester", seed=1, now=NOW)
    yield facts
    facts.close()


def trades(first: int, last: int, mean: float = 0.0, spread: float = 0.01) -> list[Episode]:
    noise = random.Random(first)
    return [
        Episode(
            f"close of day {tick}",
            tick=tick,
            subjects=("sp500",),
            payload={
                "return": noise.gauss(mean, spread),
                "nested": {"volume": tick * 37 % 101},
                "bad": math.nan,
            },
        )
        for tick in range(first, last)
    ]


def live(log: EpisodeLog, episodes: list[Episode]) -> list[str]:
    ids = [one.id for one in log.record(episodes, now=NOW)]
    log.verify([(one, 0.5) for one in ids])
    return ids


def inherited(mean: float, variance: float = 1e-4, n: int = 500) -> Fact:
    return Fact(
        f"sp500.return: mean {mean}",
        kind="baseline",
        category="baselines/sp500",
        subjects=("sp500",),
        confidence=0.34,
        source="testament",
        origin="parent",
        generation=1,
        payload={
            "type": "baseline",
            "metric": "return",
            "n": n,
            "mean": mean,
            "variance": variance,
            "min": mean - 0.1,
            "max": mean + 0.1,
        },
    )


def test_only_verified_episodes_become_baselines(log: EpisodeLog, facts: FactStore):
    log.record(trades(0, 50), now=NOW)
    assert Curator(facts).consolidate(log, tick=50, now=NOW).episodes == 0
    live(log, trades(50, 90))
    report = Curator(facts).consolidate(log, tick=90, now=NOW)
    assert (report.episodes, report.baselines, report.facts_new, report.pending) == (40, 2, 2, 0)
    stated = {fact.payload["metric"]: fact for fact in facts.list(kind="baseline")}
    assert set(stated) == {"return", "nested.volume"}
    volume = stated["nested.volume"]
    assert volume.payload["mean"] == pytest.approx(np.mean([tick * 37 % 101 for tick in range(50, 90)]))
    assert volume.payload["variance"] == pytest.approx(
        np.var([tick * 37 % 101 for tick in range(50, 90)], ddof=1)
    )
    assert volume.observed == (50, 89)
    assert volume.text.startswith("sp500.nested.volume: mean 49.03, sd 28.91 over 40 observations")
    assert volume.confidence == pytest.approx(40 / 50)
    assert len(volume.evidence) == 32


def test_an_heir_confirms_and_refutes_what_it_was_told(log: EpisodeLog, facts: FactStore):
    right, wrong = (one.id for one in facts.upsert([inherited(0.0), inherited(0.5)], tick=0, now=NOW))
    live(log, trades(0, 60))
    report = Curator(facts, expiry_ticks=100).consolidate(log, tick=60, now=NOW)
    assert (report.confirmed, report.refuted) == ([right], [wrong])
    assert (report.facts_confirmed, report.facts_refuted) == (1, 1)
    past, refuted = facts.get([right, wrong])
    assert (past.source, past.generation, past.origin) == ("testament", 1, "parent")
    assert past.status == "superseded"
    [own] = (fact for fact in facts.list(kind="baseline") if fact.id == past.superseded_by)
    assert (own.source, own.supersedes) == ("self", right)
    assert (refuted.source, refuted.status, refuted.expires_tick) == ("testament", "contradicted", 129)
    assert refuted.confidence <= 0.3
    assert {"contradicts"} == {link[2] for link in facts.links([wrong])}
    assert Curator(facts).consolidate(log, tick=161, now=NOW).entries_pruned == 1
    assert facts.get([wrong])[0].status == "archived"


def test_a_restated_insight_is_reinforced_and_hearsay_is_earned(log: EpisodeLog, facts: FactStore):
    told = Fact("Oracles lag in storms", source="testament", generation=2, confidence=0.3)
    [stored] = facts.upsert(
        [told], tick=0, now=NOW, vectors=np.asarray([[1, 0]], np.float32), fingerprint=TOY
    )
    [said] = live(log, [Episode("In storms, oracles lag", tick=5)])
    row = np.asarray([[1, 0.02]], np.float32)
    log.put_vectors([said], row, np.zeros((0, 2), np.float32), [0], TOY)
    report = Curator(facts).consolidate(log, tick=10, now=NOW)
    assert (report.compared, report.confirmed) == (1, [stored.id])
    [earned] = facts.get([stored.id])
    assert (earned.source, earned.generation, earned.evidence, earned.observed) == (
        "self",
        0,
        (said,),
        (5, 5),
    )
    assert earned.confidence == pytest.approx(0.3 * math.exp(-5 / 500) * 0.9 + 0.1, abs=1e-6)


def test_another_agents_log_is_refused(tmp_path: Path, log: EpisodeLog):
    other = FactStore(tmp_path / "other.db", agent="somebody", seed=1)
    with pytest.raises(errors.InvalidInputError, match="somebody"):
        Curator(other).consolidate(log, tick=1, now=NOW)


def test_the_same_seed_and_clock_give_the_same_store(tmp_path: Path):
    texts = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        log = EpisodeLog(str(tmp_path / name / "episodes.redb"), agent="tester", seed=1, now=NOW)
        facts = FactStore(tmp_path / name / "facts.db", agent="tester", seed=1, now=NOW)
        live(log, trades(0, 100))
        Curator(facts).consolidate(log, tick=100, now=NOW)
        texts.append(facts.list())
        log.close()
        facts.close()
    assert texts[0] == texts[1]
    assert texts[0][0].id


CHILD = """
import sys
from bardo._core import Curator, EpisodeLog, FactStore
log = EpisodeLog(sys.argv[1], agent="tester", seed=1, now=1)
facts = FactStore(sys.argv[2], agent="tester", seed=1)
print("ready", flush=True)
while Curator(facts).consolidate(log, batch=7, tick=3000, now=1).pending:
    pass
print("done", flush=True)
"""


def test_passes_killed_at_any_moment_count_every_episode_once(tmp_path: Path):
    log_path, facts_path = tmp_path / "episodes.redb", tmp_path / "facts.db"
    log = EpisodeLog(str(log_path), agent="tester", seed=1, now=NOW)
    total = 1_500
    live(log, [Episode(f"e{n}", tick=n, subjects=("s",), payload={"x": n * 0.5}) for n in range(total)])
    log.close()
    chance = random.Random(11)
    kills, counted = 0, 0
    for _ in range(60):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(log_path), str(facts_path)],
            stdout=subprocess.PIPE,
            env={"PYTHONPATH": ":".join(sys.path)},
        )
        assert child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0, 0.05))
        child.send_signal(signal.SIGKILL)
        rest = child.communicate()[0]
        kills += rest == b""
        facts = FactStore(facts_path, agent="tester", seed=1)
        stats = facts.stats()
        assert stats["watermark"] >= counted
        counted = stats["watermark"]
        stated = facts.list(kind="baseline")
        assert [fact.support for fact in stated] == ([counted] if counted >= 3 else [])
        facts.close()
        if counted == total:
            break
    assert kills >= 3
    log = EpisodeLog(str(log_path), agent="tester", seed=1, now=NOW)
    facts = FactStore(facts_path, agent="tester", seed=1)
    while Curator(facts).consolidate(log, tick=3000, now=NOW).pending:
        pass
    [fact] = facts.list(kind="baseline")
    assert (fact.support, fact.payload["n"], fact.payload["mean"]) == (total, total, (total - 1) / 4)
    assert fact.payload["variance"] == pytest.approx(np.var(np.arange(total) / 2, ddof=1))
    log.close()
    facts.close()


def test_weakened_and_touched_facts_keep_their_evidence(log: EpisodeLog, facts: FactStore):
    live(log, trades(0, 10))
    Curator(facts).consolidate(log, tick=9, now=NOW)
    before = facts.list(kind="baseline")[0]
    facts.weaken([before.id], tick=9, fraction=0.5)
    after = facts.get([before.id])[0]
    assert after == dataclasses.replace(before, confidence=after.confidence)
    assert after.confidence == pytest.approx(before.confidence / 2)
