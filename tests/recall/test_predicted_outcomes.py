"""Rules are predictions: outcomes judge them by what they predict, and each reads both ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo.model import Fact

LOOPS = {"clock": {"unit": "loops"}}


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def rule(
    condition: str, mean: float, cases: int, others_mean: float, others: int, *, of: str = "reward"
) -> Fact:
    """A rule with its figures, as the Curator states it."""
    effect = mean - others_mean
    direction = "higher" if effect > 0 else "lower"
    payload = {
        "type": "heuristic", "condition": condition, "action": "", "outcome": f"{of} is {direction}",
        "n": cases + others, "effect": effect, "interval": [effect - 0.2, effect + 0.2],
    }  # fmt: skip
    text = (
        f"When {condition}, {of} is {direction} by {abs(effect):g} (95 % interval 0.1 to 3): {mean:g} on average in "
        f"{cases} cases, {others_mean:g} in the other {others}"
    )
    return Fact(
        text, kind="heuristic", category="heuristics", confidence=0.7, subjects=("ledger",), payload=payload
    )


def decide(g: bardo.Grimoire, value: float, **features: float) -> bardo.OutcomeReport:
    situation = {**features, "subjects": ["ledger"], "actions": ["wait"]}
    return g.outcome(g.context("Wait on ledger?", situation=situation), value=value)


def opened(folder: Path, fact: Fact, elsewhere: dict[str, float], *, others: int = 40) -> tuple[Any, str]:
    """A memory with a rule, and outcomes from -0.5 to 0.5 of decisions in which it did not hold."""
    g = bardo.open(folder, embedder=flat, seed=1, config=LOOPS)
    id_ = g.learn(fact, tick=1).id
    for number in range(others):
        decide(g, (number % 11 - 5) / 10, **elsewhere)
    return g, id_


LOWER = rule("cache <= 0.37 and load >= 0.66", -1.9, 70, -0.1, 500)
HIGHER = rule("cache <= 0.37 and load >= 0.66", -0.16, 200, -2.0, 300)
IN, OUT = {"cache": 0.1, "load": 0.9}, {"cache": 0.9, "load": 0.9}


@pytest.mark.parametrize(
    ("fact", "value", "rises"),
    [(LOWER, -0.8, True), (LOWER, 0.8, False), (HIGHER, 0.8, True), (HIGHER, -0.8, False)],
    ids=["low-as-foretold", "high-against-lower", "high-as-foretold", "low-against-higher"],
)
def test_an_outcome_is_judged_by_the_outcomes_of_other_decisions(
    tmp_path: Path, fact: Fact, value: float, rises: bool
) -> None:
    g, id_ = opened(tmp_path / "a", fact, OUT)
    with g:
        before = g.facts.confidence(id_)
        report = decide(g, value, **IN)
        assert id_ in report.ids
        assert (g.facts.confidence(id_) > before) is rises


def test_a_rule_that_is_better_than_bad_is_borne_out_by_outcomes_that_are_less_bad(tmp_path: Path) -> None:
    g, id_ = opened(tmp_path / "a", HIGHER, OUT, others=0)
    with g:
        for number in range(30):
            decide(g, -0.9 + number / 100, **OUT)
        before = g.facts.confidence(id_)
        decide(g, -0.1, **IN)
        assert g.facts.confidence(id_) > before


def test_a_rule_of_another_scale_is_not_judged_before_there_are_outcomes_to_compare_with(
    tmp_path: Path,
) -> None:
    g, id_ = opened(tmp_path / "a", LOWER, OUT, others=29)
    with g:
        report = decide(g, -0.8, **IN)
        assert id_ in report.unjudged
        assert any("30 outcomes of other decisions" in note for note in report.notes)
        decide(g, 0.1, **OUT)
        assert id_ in decide(g, -0.8, **IN).ids


def test_a_rule_about_the_outcome_itself_is_judged_by_its_own_means(tmp_path: Path) -> None:
    g, id_ = opened(
        tmp_path / "a", rule("load >= 0.7 and cache <= 0.4", -0.7, 60, -0.2, 300, of="value"), OUT, others=0
    )
    with g:
        start = g.facts.confidence(id_)
        decide(g, -0.3, **IN)
        lower = g.facts.confidence(id_)
        decide(g, -0.6, **IN)
        assert g.facts.confidence(id_) > lower < start


def test_a_rule_without_figures_is_judged_by_the_sign_of_the_outcome(tmp_path: Path) -> None:
    payload = {"type": "heuristic", "condition": "load >= 0.7", "action": "", "outcome": "pnl is lower"} | {
        "n": 0, "effect": -1.0, "interval": [0.0, 0.0],
    }  # fmt: skip
    told = Fact("When load >= 0.7, pnl is lower", kind="heuristic", confidence=0.6, payload=payload)
    g, id_ = opened(tmp_path / "a", told, OUT, others=0)
    with g:
        before = g.facts.confidence(id_)
        decide(g, -0.8, **IN)
        assert g.facts.confidence(id_) > before


def test_a_lower_outcome_where_the_conditions_are_unknown_says_nothing(tmp_path: Path) -> None:
    g, id_ = opened(tmp_path / "a", LOWER, OUT)
    with g:
        used = g.recall(LOWER.text, layers=["fact"])
        assert id_ in {memory.id for memory in used}
        assert id_ in g.outcome(used, value=-0.8).unjudged


def stated(g: bardo.Grimoire, **features: float) -> list[str]:
    """Rules of a prompt."""
    situation = {**features, "subjects": ["ledger"], "actions": ["wait"]}
    blocks = g.context("Wait on ledger?", situation=situation).blocks
    return [memory.text for block in blocks if block.name == "learned_rules" for memory in block.memories]


@pytest.mark.parametrize(
    ("figures", "reads"),
    [
        ((-0.04, 239, -1.95, 145), True),
        ((-0.16, 183, -2.05, 265), True),
        ((1.9, 60, 0.0, 340), False),
        ((-1.9, 300, 0.0, 60), True),
        ((-1.9, 145, 0.0, 239), False),
    ],
    ids=["rarer-danger", "danger-at-near-equal-size", "normal-case", "rarer-gain", "gain-at-near-equal-size"],
)
def test_a_rule_of_one_condition_is_stated_where_its_other_cases_depart_from_the_normal(
    tmp_path: Path, figures: tuple[float, int, float, int], *, reads: bool
) -> None:
    mean, cases, others_mean, others = figures
    with bardo.open(tmp_path / "a", embedder=flat, seed=1, config=LOOPS) as g:
        g.learn(rule("load <= 0.68", *figures), tick=1)
        (told,) = stated(g, load=0.1)
        assert told.startswith("ledger: when load is at most 0.68, reward is")
        other = "lower" if mean > others_mean else "higher"
        size = f"{abs(mean - others_mean):.3g}"
        expected = (
            f"ledger: when load is above 0.68, reward is {other} by {size} (in {others} of {cases + others} "
        )
        assert [text.startswith(expected) for text in stated(g, load=0.95)] == [True] * reads


def test_outcomes_of_the_other_cases_judge_the_rule(tmp_path: Path) -> None:
    g, id_ = opened(tmp_path / "a", rule("load <= 0.68", -0.04, 239, -1.95, 145), {"load": 0.1})
    with g:
        before = g.facts.confidence(id_)
        assert id_ in decide(g, -0.8, load=0.95).ids
        risen = g.facts.confidence(id_)
        decide(g, 0.8, load=0.95)
        assert before < risen > g.facts.confidence(id_)


def test_a_choice_that_is_not_possible_has_no_other_reading(tmp_path: Path) -> None:
    fact = rule("action is drain", -0.04, 239, -1.95, 145)
    with bardo.open(tmp_path / "a", embedder=flat, seed=1, config=LOOPS) as g:
        g.learn(fact, tick=1)
        assert stated(g, load=0.95) == []
