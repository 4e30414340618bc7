"""Several rules at once: each that holds stays in force, and what says nothing beyond another leaves and names it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import bardo
from bardo.model import Fact
from bardo.ports import ManualClock

START = 1_780_000_000_000_000
#: Decisions between two passes of the Curator.
PASS = 50


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


@contextmanager
def opened(folder: Path) -> Iterator[bardo.Grimoire]:
    with bardo.open(folder, agent="a", embedder=flat, clock=ManualClock(START), seed=1, durable=False) as g:
        yield g


def live(
    g: bardo.Grimoire,
    count: int,
    seed: int,
    gain: Callable[[int, dict[str, Any]], float],
    after: Callable[[int], None] | None = None,
) -> None:
    """Lives decisions with random actions and a pass each 50."""
    draws = random.Random(seed)
    for tick in range(1, count + 1):
        seen = {
            "momentum": round(draws.gauss(0, 1), 3),
            "volatility": round(draws.random(), 3),
            "queue": draws.randint(0, 400),
            "symbol": draws.choice(("ETH", "BTC", "SOL")),
            "action": draws.choice(("long", "short")),
        }
        pnl = gain(tick, seen) + draws.gauss(0, 0.8)
        g.remember(f"trade {tick}", tick=tick, kind="trade", payload={**seen, "pnl": pnl}, verified=True)
        if tick % PASS == 0:
            g.tick(tick)
            if after:
                after(tick)


def rules(g: bardo.Grimoire) -> list[Fact]:
    return g.facts.list(kind="heuristic")


def features(fact: Fact) -> set[str]:
    """Names of the features of a rule."""
    words = f"{fact.payload['condition']} and {fact.payload['action']}".split(" and ")
    return {part.split()[0] for part in words if part.strip()}


def two_that_hold(tick: int, seen: dict[str, Any]) -> float:
    """Volatility costs .7 on every trade; long trades with momentum gain .8."""
    gains = bool(seen["action"] == "long" and seen["momentum"] >= 0.5)
    costs = bool(seen["volatility"] >= 0.75)
    return 0.8 * gains - 0.7 * costs


def test_two_rules_that_hold_stay_in_force_once_they_are_found(tmp_path: Path) -> None:
    lost: list[tuple[int, str]] = []
    had: set[str] = set()
    with opened(tmp_path / "a") as g:

        def check(tick: int) -> None:
            on = [features(fact) for fact in rules(g)]
            found = {
                name
                for name, there in (
                    ("volatility", {"volatility"} in on),
                    ("momentum", any(each >= {"momentum", "action"} for each in on)),
                )
                if there
            }
            lost.extend((tick, name) for name in had - found)
            had.update(found)
            alone = [fact.payload["outcome"] for fact in rules(g) if features(fact) == {"volatility"}]
            assert len(alone) < 2, "a rule and its complement say the same"

        live(g, 3_000, 7, two_that_hold, check)
        assert had == {"volatility", "momentum"}
        assert lost == []


def test_a_redundant_rule_names_the_one_that_replaced_it(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        # "momentum <= .5, pnl is lower" is found first: it is about the rest of the rule on long trades.
        live(g, 2_000, 6, two_that_hold)
        gone = [fact for fact in g.facts.list(status=None, kind="heuristic") if fact.ended_by == "redundancy"]
        assert gone
        for fact in gone:
            assert fact.superseded_by is not None
            assert fact.superseded_by in {state.fact.id for state in g.facts.why(fact).history}


def test_a_rule_that_stopped_holding_does_not_come_back(tmp_path: Path) -> None:
    back: list[tuple[int, str]] = []
    with opened(tmp_path / "a") as g:

        def pays(fact: Fact) -> bool:
            return {"symbol", "action"} <= features(fact) and fact.payload["effect"] > 0

        def check(tick: int) -> None:
            if tick == 1_500:
                assert any(pays(fact) for fact in rules(g))
            if tick >= 1_900:
                back.extend((tick, fact.text) for fact in rules(g) if pays(fact))

        def gain(tick: int, seen: dict[str, Any]) -> float:
            return 0.9 * bool(tick < 1_500 and seen["symbol"] == "SOL" and seen["action"] == "long")

        live(g, 3_500, 6, gain, check)
        assert back == []


def test_an_outcome_record_makes_no_link_with_the_decision_it_is_about(tmp_path: Path) -> None:
    draws = random.Random(2)
    with opened(tmp_path / "a") as g:
        for tick in range(1, 1_201):
            prompt = (
                g.context("ETH: long or short?", situation={"subjects": ["ETH"]}) if tick % 4 == 0 else None
            )
            g.remember(
                f"ETH trade {tick}",
                tick=tick,
                kind="trade",
                subjects=["ETH"],
                payload={"pnl": draws.gauss(0, 1)},
                verified=True,
            )
            if prompt:
                g.outcome(prompt, value=draws.uniform(-1, 1))
            if tick % PASS == 0:
                g.tick(tick)
        told = [fact.text for kind in ("causal_link", "pattern") for fact in g.facts.list(kind=kind)]
        assert [text for text in told if "outcome" in text] == []
