"""Credit for following: what an obeyed rule predicts confirms it, and a rule that stops predicting leaves force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.model import Episode, Fact
from bardo.ports import ManualClock

NOON = 1_772_712_000_000_000


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def trade(draws: random.Random, tick: int, action: str, *, holds: bool = True) -> Episode:
    """A trade that gains .8 if it is long at a momentum above .65."""
    momentum = draws.random()
    gain = draws.gauss(0.0, 1.0) + 0.8 * (holds and action == "long" and momentum > 0.65)
    payload = {
        "momentum": momentum,
        "volume": draws.random(),
        "action": action,
        "pnl": gain,
        "block": 19_000_000 + tick,
    }
    return Episode(
        f"trade {tick}", tick=tick, kind="trade", subjects=("ETH",), payload=payload, verified=True
    )


def live(
    g: bardo.Grimoire, draws: random.Random, count: int, *, obeys: bool = False, holds: bool = True
) -> int:
    """Lives some trades with passes; returns the trades until no rule is in force, or 0."""
    begun = g.now_tick
    batch = []
    for number in range(1, count + 1):
        action = "long" if obeys else draws.choice(("long", "short", "hold"))
        batch.append(trade(draws, begun + number, action, holds=holds))
        if len(batch) == 50:
            g.remember(batch)
            g.tick(begun + number)
            batch.clear()
            if obeys and not stated(g):
                return number
    g.sleep()
    return 0


def stated(g: bardo.Grimoire) -> list[Fact]:
    """Rules in force that say what is planted."""
    found = g.facts.list(kind="heuristic")
    return [
        fact
        for fact in found
        if fact.payload["effect"] > 0
        and ("momentum >=" in fact.text or "momentum is high" in fact.text)
        and "action is long" in fact.text
    ]


def opened(folder: Path) -> bardo.Grimoire:
    settings = {"curator": {"texts": False, "shadow": False}}
    return bardo.open(folder, embedder=flat, clock=ManualClock(NOON), seed=1, config=settings)


@pytest.fixture(scope="module")
def founder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bardo.Grimoire]:
    """A trader that has found the interaction by trading at random."""
    with opened(tmp_path_factory.mktemp("founder") / "trader") as g:
        live(g, random.Random(1), 2_000)
        yield g


def test_an_interaction_is_found_with_its_bounds(founder: bardo.Grimoire) -> None:
    rules = stated(founder)
    assert rules, [fact.text for fact in founder.facts.list(kind="heuristic", status=None)]
    bound = float(rules[0].payload["condition"].split(">= ")[1])
    assert 0.55 < bound < 0.75
    assert rules[0].subjects == ("ETH",)
    assert 0.4 < rules[0].payload["effect"] < 1.2


def test_a_block_number_gets_no_mean_and_no_rule(founder: bardo.Grimoire) -> None:
    texts = [fact.text for fact in founder.facts.list(status=None)]
    assert any(text.startswith("ETH.momentum") for text in texts)
    assert not any("block" in text for text in texts)


def test_an_heir_that_obeys_keeps_the_rule_as_its_own(founder: bardo.Grimoire, tmp_path: Path) -> None:
    founder.bequeath(tmp_path / "one.testament", cause="end")
    settings = {"curator": {"texts": False, "shadow": False}}
    options = {"embedder": flat, "clock": ManualClock(NOON), "seed": 1, "config": settings}
    with bardo.inherit(tmp_path / "one.testament", tmp_path / "heir", **options) as heir:
        assert stated(heir)[0].generation == 1
        assert live(heir, random.Random(2), 1_500, obeys=True) == 0
        own = [rule for rule in stated(heir) if rule.source == "self" and not rule.generation]
        assert own, [(rule.text, rule.source, rule.generation) for rule in stated(heir)]
        assert max(heir.facts.confidence(rule) for rule in own) > 0.5
        broke = live(heir, random.Random(3), 1_500, obeys=True, holds=False)
        assert 0 < broke <= 600


def test_a_dead_rule_is_given_up_beside_rules_that_lower_the_outcome_of_other_decisions(
    tmp_path: Path,
) -> None:
    """Decisions that follow other rules are no measure of a rule: they make an outcome of 0 look high."""
    draws = random.Random(8)
    with opened(tmp_path / "operator") as g:
        cases = 0
        for number in range(1, 1_501):
            cpu, backlog, lag = draws.random(), draws.random(), draws.random()
            action = draws.choice(("scale", "restart", "wait", "failover"))
            follows = action == "scale" and cpu >= 0.7
            reward = draws.gauss(0.0, 0.3) + 0.8 * (follows and number <= 750)
            reward -= 0.9 * (action == "restart" and backlog >= 0.5)
            reward -= 1.1 * (action == "failover" and lag >= 0.5)
            payload = {"cpu": cpu, "backlog": backlog, "lag": lag, "action": action, "reward": reward}
            g.remember(f"decision {number}", tick=number, kind="decision", payload=payload, verified=True)
            cases += follows and number > 750
            if number % 14 == 0:
                g.sleep()
                scale = [fact for fact in g.facts.list(kind="heuristic") if "is scale" in fact.text]
                if number <= 750:
                    found = scale
                elif not scale:
                    break
        assert found
        assert cases <= 25, scale
