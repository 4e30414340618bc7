"""Warnings with conditions: what an outcome says about them, and which questions seat them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode, Fact
from bardo.ports import ManualClock

NOON = 1_772_712_000_000_000
#: Features of the decision that the warning is about, apart from the action.
BEAR = {"regime": "bear", "subjects": ["ETH"]}


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def trade(tick: int, symbol: str, pnl: float, **payload: object) -> Episode:
    return Episode(
        f"trade {tick} of {symbol}",
        tick=tick,
        kind="trade",
        subjects=(symbol,),
        payload={**payload, "pnl": pnl},
        verified=True,
    )


def elder(folder: Path) -> bardo.Grimoire:
    """A life with 200 trades in two symbols, and a disaster of each: long in ETH in a bear market, short in SOL."""
    settings = {"curator": {"texts": False}, "clock": {"unit": "loops"}}
    g = bardo.open(folder, embedder=flat, clock=ManualClock(NOON), seed=1, config=settings)
    draws = random.Random(1)
    g.remember(
        trade(
            tick,
            draws.choice(("ETH", "SOL")),
            draws.gauss(0.2, 1.0),
            regime=draws.choice(("bull", "bear")),
            action=draws.choice(("long", "short")),
        )
        for tick in range(1, 201)
    )
    g.remember(trade(201, "ETH", -40.0, regime="bear", action="long"))
    g.remember(trade(202, "SOL", -60.0, regime="bull", action="short"))
    g.sleep()
    return g


def warning_of(g: bardo.Grimoire, symbol: str) -> Fact:
    (found,) = [fact for fact in g.facts.list(kind="warning") if fact.subjects == (symbol,)]
    return found


@pytest.fixture(params=["own", "inherited"])
def warned(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with elder(tmp_path / "elder") as g:
        if request.param == "own":
            yield g
            return
        g.bequeath(tmp_path / "elder.testament")
    with bardo.inherit(
        tmp_path / "elder.testament", tmp_path / "heir", embedder=flat, clock=ManualClock(NOON), seed=2
    ) as heir:
        yield heir


def decide(g: bardo.Grimoire, value: float, times: int, **decision: object) -> bardo.OutcomeReport:
    """Acts on prompts with the warning in them, far enough apart to count each time."""
    actions = decision.pop("actions")
    for _ in range(times):
        g.tick(g.now_tick + 60)
        prompt = g.context("Trade ETH now?", situation={**BEAR, "actions": actions})
        assert warning_of(g, "ETH").id in prompt.to_dict()["memories"]
        report = g.outcome(prompt, value=value, **decision)
    return report


def confidence(g: bardo.Grimoire) -> float:
    return g.facts.confidence(warning_of(g, "ETH"))


def test_winning_with_what_a_warning_warns_against_lowers_it(warned: bardo.Grimoire) -> None:
    before, source = confidence(warned), warning_of(warned, "ETH").source
    report = decide(warned, 0.6, 4, actions=["long"])
    assert confidence(warned) < before
    assert warning_of(warned, "ETH").source == source, "what is refuted is not earned"
    assert report.weakened >= 1


def test_wins_lower_a_warning_no_further_than_to_the_floor(warned: bardo.Grimoire) -> None:
    decide(warned, 1.0, 1, actions=["long"])
    for _ in range(20):
        prompt = warned.context("Trade ETH now?", situation={**BEAR, "actions": ["long"]})
        warned.outcome(prompt, value=1.0)
    # They do not disprove that it went wrong once; only time lowers it further.
    assert confidence(warned) == pytest.approx(0.3, abs=0.01)


def test_losing_with_what_a_warning_warns_against_confirms_it(warned: bardo.Grimoire) -> None:
    before = confidence(warned)
    decide(warned, -0.6, 4, actions=["long"])
    after = warning_of(warned, "ETH")
    assert confidence(warned) > before
    assert (after.source, after.generation) == ("self", 0)


@pytest.mark.parametrize(
    "decision", [{"actions": ["long", "short"]}, {"actions": ["long", "short"], "action": "short"}]
)
def test_an_outcome_of_another_or_an_unknown_action_says_nothing(
    warned: bardo.Grimoire, decision: dict[str, object]
) -> None:
    before = warning_of(warned, "ETH")
    report = decide(warned, 0.6, 4, **decision)
    after = warning_of(warned, "ETH")
    assert (after.confidence, after.support, after.source) == (
        before.confidence,
        before.support,
        before.source,
    )
    assert after.id in report.unjudged
    assert any("the outcome says nothing about" in note for note in report.notes)


def test_the_action_that_was_taken_tells_which_warning_an_outcome_judges(warned: bardo.Grimoire) -> None:
    before = confidence(warned)
    report = decide(warned, 0.6, 1, actions=["long", "short"], action="Long")
    assert warning_of(warned, "ETH").id in report.ids
    assert confidence(warned) < before
    assert warned.episodes.list(last=1)[0].payload["action"] == "long"


def test_an_action_that_was_not_possible_is_refused(warned: bardo.Grimoire) -> None:
    prompt = warned.context("Trade ETH now?", situation={**BEAR, "actions": ["long", "short"]})
    with pytest.raises(InvalidInputError, match=r"action is 'hold'\. Give one of"):
        warned.outcome(prompt, value=0.5, action="hold")


def test_a_question_about_one_symbol_seats_no_warning_of_another(warned: bardo.Grimoire) -> None:
    def seated(question: str) -> set[str]:
        return {memory.id for memory in warned.recall(question) if memory.why.is_seated}

    ether, sol = warning_of(warned, "ETH").id, warning_of(warned, "SOL").id
    assert ether in seated("Should I go long in ETH in a bear market?")
    assert sol in seated("Should I go short in SOL in a bull market?")
    assert {ether, sol}.isdisjoint(seated("Should I go long in SOL in a bear market?"))
    assert {ether, sol}.isdisjoint(seated("Should I go short in ETH in a bull market?"))
    assert {ether, sol} <= seated("Should I go long or short now, in any market?")
