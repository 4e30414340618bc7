"""An outcome speaks for a measured rule if it is what the rule foretells."""

from __future__ import annotations

import pytest

import bardo
from bardo.model import Fact

LOOPS = {"clock": {"unit": "loops"}}


def rule(direction: str, mean: float) -> Fact:
    effect = 0.9 if direction == "higher" else -0.9
    return Fact(
        f"When load >= 0.7, reward is {direction} by 0.9: {mean} on average in 145 cases, 0 in the other 495",
        kind="heuristic",
        category="heuristics",
        confidence=0.6,
        subjects=("ledger",),
        payload={
            "type": "heuristic", "condition": "load >= 0.7", "action": "", "outcome": f"reward is {direction}",
            "n": 640, "effect": effect, "interval": [0.9 * effect, 1.1 * effect],
        },
    )  # fmt: skip


@pytest.mark.parametrize(
    ("direction", "mean", "value", "moves"),
    [
        ("lower", -1.2, -0.8, 1),
        ("lower", -1.2, 0.8, -1),
        ("lower", 0.3, -0.8, 1),
        ("lower", 0.3, 0.8, 0),
        ("higher", 1.2, 0.8, 1),
        ("higher", 1.2, -0.8, -1),
        ("higher", -0.2, 0.8, 1),
        ("higher", -0.2, -0.8, 0),
    ],
)
def test_an_outcome_moves_a_rule_by_what_it_foretells(tmp_path, direction, mean, value, moves):
    with bardo.open(tmp_path / "ops", config=LOOPS) as g:
        stated = g.learn(rule(direction, mean), tick=1)
        before = g.facts.confidence(stated)
        prompt = g.context("Wait?", situation={"load": 0.9, "subjects": ["ledger"], "actions": ["wait"]})
        assert stated.id in {memory.id for memory in prompt.memories}
        report = g.outcome(prompt, value=value, action="wait")
        after = g.facts.confidence(g.facts.get(stated.id))
    assert (after > before) - (after < before) == moves
    assert (stated.id in report.unjudged) == (moves == 0)
