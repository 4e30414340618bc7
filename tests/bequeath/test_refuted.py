"""Beliefs that outcomes refute: out of force, a tombstone for heirs, and not learned again as new."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.bequeath.family import family
from bardo.bequeath.family.beliefs import survival
from bardo.errors import BardoWarning
from bardo.grimoire.lineage import beliefs_of

BELIEF = "Vinegar scares off the martens"
LOOPS = {"clock": {"unit": "loops"}, "curator": {"texts": False}}


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def opened(folder: Path) -> bardo.Grimoire:
    return bardo.open(folder, embedder=flat, seed=1, config=LOOPS)


def inherited(testament: Path, folder: Path) -> bardo.Grimoire:
    return bardo.inherit(testament, folder, embedder=flat, seed=2, config=LOOPS)


def act(memory: bardo.Grimoire, values: list[float], *, start: int = 60) -> list[str]:
    """Acts on a belief and records outcomes, 60 ticks apart; returns the ids that they refuted."""
    refuted: list[str] = []
    for number, value in enumerate(values):
        memory.tick(start + 60 * number)
        used = memory.recall(BELIEF, limit=1, layers=["fact"])
        refuted += memory.outcome(used, value=value).refuted
    return refuted


def test_a_belief_that_outcomes_refuted_crosses_as_a_tombstone_and_stays_refuted(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        belief = ann.learn(BELIEF, kind="heuristic", confidence=0.8, tick=1)
        assert act(ann, [-0.9] * 16) == [belief.id]
        assert ann.facts.list() == []
        left = ann.bequeath(tmp_path / "ann.testament")
    assert [(fact.text, fact.status, fact.is_refuted) for fact in left.facts if fact.kind == "heuristic"] == [
        (BELIEF, "contradicted", True)
    ]
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with inherited(tmp_path / f"{parent}.testament", tmp_path / name) as heir:
            assert heir.facts.list() == []
            assert [fact.is_refuted for fact in heir.facts.list(status="superseded")] == [True]
            heir.bequeath(tmp_path / f"{name}.testament")
    with inherited(tmp_path / "cat.testament", tmp_path / "dan") as heir:
        with pytest.warns(BardoWarning, match="were refuted before"):
            told = heir.learn(BELIEF, kind="heuristic", confidence=0.8, tick=5)
        assert (told.id, told.status) == (belief.id, "contradicted")
        assert heir.facts.confidence(told) == pytest.approx(0.3)
        assert [one.standing for one in heir.recall(BELIEF, limit=1, layers=["fact"])] == ["refuted"]
        act(heir, [0.9] * 6)
        assert [fact.id for fact in heir.facts.list()] == [belief.id]


def test_a_rule_that_an_heir_refuted_is_archived_as_such_counted_and_handed_on(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        rule = ann.learn(BELIEF, kind="heuristic", confidence=0.85)
        ann.bequeath(tmp_path / "ann.testament")
    with inherited(tmp_path / "ann.testament", tmp_path / "ben") as heir:
        assert act(heir, [-0.9] * 9) == [rule.id]
        assert family.lineage_of(tmp_path / "ben").life.refuted == 1
        heir.tick(60 * 400)
        heir.sleep()
        ended = heir.facts.get(rule.id)
        assert (ended.status, ended.ended_by) == ("archived", "refutation")
        ((holding,),) = [belief.lives for belief in survival([beliefs_of(heir.lineage)])]
        assert (holding.state, holding.bad) == ("refuted", 9)
        left = heir.bequeath(tmp_path / "ben.testament")
    assert [fact.text for fact in left.facts if fact.is_refuted] == [BELIEF]
    assert "refuted 1" in family.find([tmp_path]).render()


@pytest.mark.parametrize("values", [[-0.9] * 3, [-0.1] * 30, [0.9, -0.9, 0.9, -0.9] * 4])
def test_few_small_or_mixed_outcomes_refute_nothing(tmp_path: Path, values: list[float]) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.learn(BELIEF, kind="heuristic", confidence=0.4, tick=1)
        assert act(ann, values) == []


def test_outcomes_refute_no_warning(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.learn(BELIEF, kind="anti_knowledge", confidence=0.5, tick=1)
        assert act(ann, [-0.9] * 16) == []
        assert ann.bequeath(tmp_path / "ann.testament").facts[0].status == "active"
