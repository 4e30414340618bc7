"""One decision is one case: a remembered decision and the outcome of its prompt make one sample, rule and warning."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo.bequeath.family.autopsy import AuditedDecision
from bardo.model import Episode

CONFIG = {"curator": {"texts": False, "shadow": False, "summaries": False}, "clock": {"unit": "loops"}}


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def opened(folder: Path) -> bardo.Grimoire:
    return bardo.open(folder, embedder=flat, seed=1, config=CONFIG)


def recorded(g: bardo.Grimoire) -> list[str | None]:
    """Episodes that the outcomes of a memory name as the records of their decisions."""
    outcomes = [episode for episode in g.episodes.list(limit=999) if episode.kind == "outcome"]
    return [episode.payload.get("recorded_as") for episode in outcomes]


def decide(
    g: bardo.Grimoire, tick: int, situation: Mapping[str, Any], payload: Mapping[str, Any], value: float
) -> tuple[Episode, bardo.OutcomeReport]:
    """Asks for a decision, remembers it, and reports its outcome."""
    prompt = g.context("What to do?", situation=situation)
    subjects = situation.get("subjects", ())
    episode = g.remember(
        "Closed it", tick=tick, subjects=subjects, payload=payload, verified=True, kind="trade"
    )
    return episode, g.outcome(prompt, value=value)


@pytest.mark.parametrize(
    ("situation", "payload", "value"),
    [
        ({"subjects": ["BRENT"]}, {"action": "long", "pnl": 0.4}, 0.4),
        ({"subjects": ["BRENT"], "actions": ["long", "short"]}, {"side": "short", "pnl": -90.0}, -1.0),
        ({"regime": "storm"}, {"regime": "storm", "decision": "reroute", "score": 3}, 0.3),
        ({"queue": 17}, {"queue": 17, "action": "scale", "reward": 0.02}, 0.9),
    ],
    ids=["equal", "cut-to-the-scale", "dispatch", "operations"],
)
def test_the_outcome_of_a_prompt_names_the_episode_that_records_its_decision(
    tmp_path: Path, situation: dict[str, Any], payload: dict[str, Any], value: float
) -> None:
    with opened(tmp_path / "a") as g:
        g.remember("Begun", tick=1)
        episode, _ = decide(g, 2, situation, payload, value)
        assert recorded(g) == [episode.id]


@pytest.mark.parametrize(
    ("situation", "payload"),
    [
        ({"subjects": ["BRENT"]}, {"action": "long", "price": 71.2}),
        ({"regime": "calm"}, {"regime": "storm", "action": "long", "pnl": 0.4}),
        ({"actions": ["wait", "hold"], "depth": 3}, {"depth": 3, "action": "long", "pnl": 0.4}),
        ({"depth": 3}, {"height": 4, "action": "long", "pnl": 0.7}),
    ],
    ids=["no-outcome", "another-situation", "an-impossible-action", "nothing-in-common"],
)
def test_an_episode_of_something_else_records_no_decision_of_a_prompt(
    tmp_path: Path, situation: dict[str, Any], payload: dict[str, Any]
) -> None:
    with opened(tmp_path / "a") as g:
        g.remember("Begun", tick=1)
        decide(g, 2, situation, payload, 0.4)
        assert recorded(g) == [None]


def test_an_episode_that_was_there_before_the_prompt_records_none_of_its_decision(tmp_path: Path) -> None:
    situation = {"subjects": ["BRENT"]}
    with opened(tmp_path / "a") as g:
        fields = {"tick": 2, "subjects": ["BRENT"], "verified": True, "kind": "trade"}
        g.remember("Closed it", payload={"action": "long", "pnl": 0.4}, **fields)
        g.outcome(g.context("What to do?", situation=situation), value=0.4)
        assert recorded(g) == [None]


def test_of_several_episodes_the_one_that_names_the_prompt_or_has_its_value_is_the_record(
    tmp_path: Path,
) -> None:
    situation = {"subjects": ["WTI"]}
    with opened(tmp_path / "a") as g:
        g.remember("Begun", tick=1)
        first = g.context("First?", situation=situation)
        second = g.context("Second?", situation=situation)
        third = g.context("Third?", situation=situation)
        fields = {"tick": 2, "subjects": ["WTI"], "verified": True, "kind": "trade"}
        one = g.remember("One", payload={"action": "long", "pnl": 0.5}, **fields)
        two = g.remember("Two", payload={"action": "long", "pnl": 0.7, "prompt": second.id}, **fields)
        three = g.remember("Three", payload={"action": "short", "pnl": 0.1}, **fields)
        g.outcome(second, value=0.5)
        g.outcome(third, value=0.3)
        g.outcome(first, value=0.5)
        g.outcome(third, value=0.3)
        assert sorted(map(str, recorded(g))) == sorted([two.id, "None", one.id, three.id])


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bardo.Grimoire]:
    """A desk that remembers each trade, and reports each outcome: longs gain, and one trade is a disaster."""
    draws = random.Random(4)
    with opened(tmp_path_factory.mktemp("desk") / "a") as g:
        g.remember("Begun", tick=1)
        for tick in range(2, 152):
            action = draws.choice(["long", "short", "flat"])
            pnl = round(draws.gauss(0.1, 0.2) + (action == "long") * 0.6, 3)
            pnl = -4.0 if tick == 120 else pnl
            situation = {"subjects": ["BRENT"], "funding": round(draws.random(), 3)}
            payload = {"action": action, "pnl": pnl, "funding": situation["funding"]}
            decide(g, tick, situation, payload, max(-1.0, min(1.0, pnl)))
            g.tick(tick)
        g.sleep()
        yield g


def test_a_difference_makes_one_rule_under_the_name_of_the_program(desk: bardo.Grimoire) -> None:
    rules = [fact.payload["outcome"] for fact in desk.facts.list(kind="heuristic")]
    assert {outcome.partition(" ")[0] for outcome in rules} == {"pnl"}


def test_a_disaster_makes_one_warning(desk: bardo.Grimoire) -> None:
    failures = [fact.text for fact in desk.facts.list(kind="warning") if "Severe failure" in fact.text]
    assert len(failures) == 1, failures
    assert "pnl" in failures[0]


def test_the_numbers_of_a_decision_are_observed_once(desk: bardo.Grimoire) -> None:
    seen = {fact.payload["metric"]: fact.payload["n"] for fact in desk.facts.list(kind="baseline")}
    assert seen == {"funding": 150, "pnl": 150}


def test_an_audit_lists_a_decision_once_with_all_that_is_told_of_it(desk: bardo.Grimoire) -> None:
    listed: tuple[AuditedDecision, ...] = desk.lineage.autopsy(last=5).decisions
    assert [decision.tick for decision in listed] == [151, 150, 149, 148, 147]
    assert all(decision.text == "Closed it" for decision in listed)
    assert all({"action", "funding"} <= decision.features.keys() for decision in listed)


def test_outcomes_that_are_told_before_the_decision_is_remembered_are_joined_by_tick_and_value(
    tmp_path: Path,
) -> None:
    draws = random.Random(7)
    with opened(tmp_path / "a") as g:
        g.remember("Begun", tick=1)
        for tick in range(2, 152):
            action = draws.choice(["north", "south"])
            score = round(draws.gauss(0.0, 0.2) + (action == "north") * 0.5, 3)
            prompt = g.context("Where to?", situation={"actions": ["north", "south"]})
            g.tick(tick)
            g.outcome(prompt, value=max(-1.0, min(1.0, score)), action=action)
            g.remember("Sent it", tick=tick, payload={"action": action, "score": score}, verified=True)
        g.sleep()
        rules = [fact.payload["outcome"] for fact in g.facts.list(kind="heuristic")]
        assert rules
        assert {outcome.partition(" ")[0] for outcome in rules} == {"score"}
