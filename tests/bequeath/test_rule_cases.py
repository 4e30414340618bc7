"""An inherited rule lives by the decisions that follow it: days alone do not fade it, and its own cases bear it out."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.model import Fact
from bardo.ports import ManualClock

START = 1_772_323_200_000_000  # 1 March 2026
DAY = 86_400
SETTINGS = {"texts": False, "shadow": False, "summaries": False}

Born = Callable[..., bardo.Grimoire]


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def rule(action: str, outcome: str) -> Fact:
    """A rule as the Curator states it."""
    payload = {
        "type": "heuristic", "condition": "", "action": f"action is {action}", "outcome": f"{outcome} is higher",
        "n": 320, "effect": 0.41, "interval": [0.3, 0.52],
    }  # fmt: skip
    text = (
        f"When action is {action}, {outcome} is higher by 0.41 (95 % interval 0.3 to 0.52): 0.44 on average in 105 "
        "cases, 0.03 in the other 215"
    )
    return Fact(text, kind="heuristic", category="heuristics", confidence=0.85, support=105, payload=payload)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def born(tmp_path: Path, clock: ManualClock) -> Born:
    """Makes an heir of an agent that knew some facts, 50 days after it learned them."""

    def make(*facts: Fact, **settings: object) -> bardo.Grimoire:
        config = {"curator": SETTINGS, "clock": {"unit": "seconds"}} | settings
        options = {"embedder": flat, "clock": clock, "seed": 1, "config": config}
        with bardo.open(tmp_path / "kestrel", **options) as parent:
            for fact in facts:
                parent.learn(fact)
            clock.advance(50 * DAY)
            parent.bequeath(tmp_path / "kestrel.testament", cause="end")
        return bardo.inherit(tmp_path / "kestrel.testament", tmp_path / "merlin", **options)

    return make


def decide(
    g: bardo.Grimoire, clock: ManualClock, action: str, gain: float, *, name: str = "pnl"
) -> bardo.OutcomeReport:
    """Asks, remembers the decision, and reports its outcome without its action; half a day passes."""
    prompt = g.context("What now?", situation={"subjects": ["BRENT"], "actions": ["long", "short", "flat"]})
    payload = {"action": action, name: gain}
    g.remember("Closed it", subjects=["BRENT"], kind="trade", payload=payload, verified=True)
    report = g.outcome(prompt, value=max(-1.0, min(1.0, gain)))
    clock.advance(DAY / 2)
    g.tick(clock.now() // 1_000_000)
    return report


def only(g: bardo.Grimoire) -> Fact:
    (found,) = g.facts.list(kind="heuristic", status=None)
    return found


def test_days_without_its_situation_do_not_fade_a_rule(born: Born, clock: ManualClock) -> None:
    with born(rule("long", "pnl")) as heir:
        before = heir.facts.confidence(only(heir))
        for _ in range(30):
            clock.advance(2 * DAY)
            heir.remember("Nothing to trade", subjects=["BRENT"], verified=True)
            heir.tick(clock.now() // 1_000_000)
        heir.sleep()
        found = only(heir)
        assert found.status == "active"
        assert heir.facts.confidence(found) > 0.9 * before


def test_words_that_no_decision_can_test_fade_by_days(born: Born, clock: ManualClock) -> None:
    payload = {
        "type": "heuristic", "condition": "the market is nervous", "action": "", "outcome": "spreads are wide",
        "n": 40, "effect": 1.0, "interval": [0.5, 1.5],
    }  # fmt: skip
    told = Fact(
        "A nervous market has wide spreads", kind="heuristic", confidence=0.85, support=40, payload=payload
    )
    with born(told) as heir:
        before = heir.facts.confidence(only(heir))
        clock.advance(28 * DAY)
        assert heir.facts.confidence(only(heir)) < 0.3 * before


@pytest.mark.parametrize(("action", "name"), [("long", "pnl"), ("flat", "score"), ("short", "reward")])
def test_three_cases_as_predicted_make_a_rule_the_heirs_own(
    born: Born, clock: ManualClock, action: str, name: str
) -> None:
    other = "short" if action == "long" else "long"
    with born(rule(action, name)) as heir:
        id_, before = only(heir).id, heir.facts.confidence(only(heir))
        earned = []
        for number in range(24):
            follows = number % 8 == 7
            report = decide(heir, clock, action if follows else other, 0.45 if follows else 0.02, name=name)
            assert not follows or id_ in report.ids
            assert follows or id_ in report.unjudged
            earned += report.earned
        found = only(heir)
        assert earned == [id_]
        assert (found.source, found.generation, found.origin) == ("self", 0, "kestrel")
        assert heir.facts.confidence(found) > before


def test_decisions_that_do_not_bear_it_out_fade_a_rule(born: Born, clock: ManualClock) -> None:
    draws = random.Random(3)
    with born(rule("long", "pnl")) as heir:
        before = heir.facts.confidence(only(heir))
        for _ in range(160):
            action = draws.choice(["long", "short"])
            clock.advance(DAY / 2)
            payload = {"action": action, "pnl": draws.gauss(0.0, 0.3)}
            heir.remember("Closed it", subjects=["BRENT"], kind="trade", payload=payload, verified=True)
            heir.tick(clock.now() // 1_000_000)
        heir.sleep()
        assert heir.facts.confidence(only(heir)) < 0.8 * before


def test_a_rule_in_the_cold_tier_comes_back_with_the_heirs_own_evidence(
    born: Born, clock: ManualClock
) -> None:
    draws = random.Random(5)
    with born(rule("long", "pnl"), decay={"eviction_threshold": 0.36}) as heir:
        id_ = only(heir).id
        heir.sleep()
        assert (only(heir).status, only(heir).ended_by) == ("archived", "decay")
        for _ in range(260):
            action = draws.choice(["long", "short"])
            clock.advance(DAY / 2)
            payload = {"action": action, "pnl": draws.gauss(0.0, 0.3) + 0.6 * (action == "long")}
            heir.remember("Closed it", subjects=["BRENT"], kind="trade", payload=payload, verified=True)
            heir.tick(clock.now() // 1_000_000)
        heir.sleep()
        (found,) = [fact for fact in heir.facts.list(kind="heuristic") if "long" in fact.text]
        assert found.id == id_
        assert (found.status, found.source, found.origin) == ("active", "self", "kestrel")
        assert found.ended_by is None
        assert found.support > 50
        assert heir.facts.confidence(found) > 0.6


def test_what_was_observed_earns_nothing_by_the_outcome_of_a_decision(born: Born, clock: ManualClock) -> None:
    with born() as heir:
        for number in range(6):
            heir.remember(
                "Funding was read", subjects=["BRENT"], payload={"funding": 0.1 + number / 50}, verified=True
            )
            clock.advance(DAY)
        heir.sleep()
        (mean,) = heir.facts.list(kind="baseline")
        before = heir.facts.get(mean.id)
        used = heir.recall("What is BRENT.funding?", layers=("fact",))
        assert mean.id in {memory.id for memory in used}
        report = heir.outcome(used, value=1.0)
        assert mean.id in report.unjudged
        assert heir.facts.get(mean.id).confidence == before.confidence


def test_prompts_and_pages_date_what_was_inherited_by_the_ancestor(born: Born, clock: ManualClock) -> None:
    told = Fact(
        "The Brent pit closes at noon", kind="insight", confidence=0.9, support=9, subjects=("BRENT",)
    )
    with born(rule("long", "pnl"), told) as heir:
        clock.advance(10 * DAY)
        prompt = heir.context(
            "When does the Brent pit close?", situation={"subjects": ["BRENT"]}, dossier=False
        )
        page = str(heir.pages.dossier())
        shown = [each for block in prompt.blocks for each in block.memories if each.inherited]
        assert shown
        assert "known since 1 March 2026" in prompt.text
        assert 'date="2026-03-01' in prompt.text
        assert all(each.at in (START, 0) for each in shown)
        birthday = "20 April 2026"
        assert birthday not in prompt.text
        assert "2026-04-20" not in prompt.text
        assert birthday not in page
