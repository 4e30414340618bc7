"""Findings of the Curator beyond baselines: rules, links, rhythms and bursts that hold, end to end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo import errors
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from helpers.models import letter_vectors

START = 1_700_000_000_000_000


def opened(folder: Path, **settings: object) -> bardo.Grimoire:
    return bardo.open(folder, embedder=letter_vectors, clock=ManualClock(START), seed=1, config=settings)


@pytest.fixture
def trader(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with opened(tmp_path / "agent") as grimoire:
        yield grimoire


def trades(count: int, *, gain: str = "pnl", venue: str = "the north exchange") -> list[Episode]:
    """Trades that gain where momentum is high, and lose at one venue."""
    draws = np.random.default_rng(3)
    episodes = []
    for tick in range(1, count + 1):
        momentum = float(draws.normal())
        at = venue if draws.random() < 0.3 else "elsewhere"
        outcome = float(draws.normal() + 0.8 * (momentum > 0.5) - 1.0 * (at == venue))
        episodes.append(
            Episode(
                f"trade {tick}",
                tick=tick,
                kind="trade",
                subjects=("eth",),
                payload={"momentum": momentum, "venue": at, gain: outcome},
                verified=True,
            )
        )
    return episodes


def rules(grimoire: bardo.Grimoire) -> list[Fact]:
    return [fact for fact in grimoire.facts.list() if fact.kind == "heuristic"]


def test_a_rule_that_holds_becomes_a_heuristic_with_its_size_and_evidence(trader) -> None:
    trader.remember(trades(2_048))
    report = trader.sleep()
    found = rules(trader)
    # A rule that a later one explains, or betters, is withdrawn again.
    assert report.heuristics_proposed >= len(found) > 0
    assert report.hypotheses_tested > 0
    assert {"momentum", "venue"} <= {rule.payload["condition"].split()[0] for rule in found}
    for rule in found:
        low, high = rule.payload["interval"]
        assert low < rule.payload["effect"] < high
        assert low * high > 0
        assert rule.support >= 8
        assert rule.evidence
        assert rule.confidence > 0.8
    assert trader.recall("When is the pnl higher?", limit=5)[0].record.kind == "heuristic"


def test_the_names_of_outcome_numbers_can_be_set(tmp_path: Path) -> None:
    episodes = trades(2_048, gain="harvest")
    with opened(tmp_path / "unaware") as unaware:
        unaware.remember(episodes)
        unaware.sleep()
        assert not rules(unaware)
    with opened(tmp_path / "aware", curator={"outcomes": ["harvest"]}) as aware:
        aware.remember(episodes)
        aware.sleep()
        assert rules(aware)


@pytest.mark.parametrize("outcomes", ["pnl", [1], 3])
def test_outcomes_that_are_no_list_of_names_are_refused(tmp_path: Path, outcomes: object) -> None:
    with pytest.raises(errors.ConfigError, match="outcomes"):
        opened(tmp_path / "agent", curator={"outcomes": outcomes})


def test_consolidating_often_or_once_finds_the_same(tmp_path: Path) -> None:
    said = []
    for name, batch in (("often", 32), ("once", 4_096)):
        with opened(tmp_path / name, curator={"batch": batch}) as grimoire:
            grimoire.remember(trades(2_048))
            grimoire.sleep()
            said.append({(rule.text, rule.confidence) for rule in rules(grimoire)})
    assert said[0] == said[1]
    assert said[0]


def test_forgetting_what_a_rule_names_leaves_nothing_of_it(trader, tmp_path: Path) -> None:
    stored = trader.remember(trades(2_048, venue="the secret exchange of Zug"))
    trader.sleep()
    assert any("Zug" in rule.text for rule in rules(trader))
    secret = [episode.id for episode in stored if "Zug" in episode.payload["venue"]]
    trader.forget(secret, reason="they asked for it")
    assert not any("Zug" in rule.text for rule in rules(trader))
    holders = [path.name for path in tmp_path.rglob("*") if path.is_file() and b"of Zug" in path.read_bytes()]
    assert not holders


def test_hostile_payloads_neither_stop_a_pass_nor_become_rules(trader) -> None:
    draws = np.random.default_rng(5)
    extremes = [1e308, -1e308, 5e-324, 0.0, float("nan"), float("inf")]
    for start in range(0, 1_024, 256):
        trader.remember(
            [
                Episode(
                    f"event {n}",
                    tick=n + 1,
                    kind=f"kind {n}",
                    subjects=(f"subject {n}", "\u0000; DROP TABLE hypotheses"),
                    payload={
                        "pnl": float(draws.choice(extremes)),
                        "x": float(draws.choice(extremes)),
                        **{f"n{k}": k for k in range(200)},
                    },
                    verified=True,
                )
                for n in range(start, start + 256)
            ]
        )
        trader.sleep()
    assert not [fact for fact in trader.facts.list() if fact.kind != "baseline"]


#: Four sorts of day, each told in other words, of which the third is bad for trading.
DAYS = (
    ("Calm water under a clear sky, hour {}", "The sea lies flat and the sky is clear, hour {}"),
    ("A parade fills the old town, hour {}", "The old town is full of people at the parade, hour {}"),
    ("The price oracle is late again, hour {}", "Again the oracle is late with its price, hour {}"),
    ("Rain falls on the mountain road, hour {}", "The road over the mountain is wet with rain, hour {}"),
)


def test_a_situation_is_known_by_what_is_said_and_gone_with_the_episode_it_quotes(tmp_path: Path) -> None:
    draws = np.random.default_rng(5)
    episodes = []
    for hour in range(1, 1_025):
        sort = int(draws.integers(len(DAYS)))
        pnl = float(draws.normal() - 1.2 * (sort == 2))
        said = DAYS[sort][int(draws.integers(2))].format(hour)
        episodes.append(Episode(said, tick=hour, kind="trade", payload={"pnl": pnl}, verified=True))
    settings = {"decay": {"eviction_threshold": 0}}
    with bardo.open(tmp_path / "a", clock=ManualClock(START), seed=1, config=settings) as trader:
        stored = trader.remember(episodes)
        trader.sleep()
        found = rules(trader)
        assert all(rule.payload["condition"].startswith('it is like "') for rule in found)
        # That the other days are better says the same.
        (rule,) = (rule for rule in found if rule.payload["outcome"] == "pnl is lower")
        assert "oracle" in rule.payload["condition"]
        quoted = rule.payload["condition"].split('"')[1]
        trader.forget([one.id for one in stored if one.text == quoted], reason="they asked for it")
        assert rule.id not in {fact.id for fact in rules(trader)}
        assert quoted.encode() not in (tmp_path / "a" / "facts.db").read_bytes()
