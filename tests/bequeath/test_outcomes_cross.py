"""Outcomes of acting on a fact cross a death: its heirs know how often it failed, and are less sure of it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo.bequeath.content import tallies
from bardo.bequeath.content.tallies import Tally
from bardo.bequeath.testament import testament
from bardo.model import Fact

BELIEF, OTHER = "Restarting the collector clears the backlog", "Ferries leave at eleven"
LOOPS = {"clock": {"unit": "loops"}, "curator": {"texts": False}}


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def act(memory: bardo.Grimoire, values: list[float], *, start: int) -> None:
    """Acts on the belief and records outcomes, 60 ticks apart."""
    for number, value in enumerate(values):
        memory.tick(start + 60 * number)
        used = memory.recall(BELIEF, limit=1, layers=["fact"])
        assert [one.text for one in used] == [BELIEF]
        memory.outcome(used, value=value)


def life(root: Path, name: str, parent: str = "", values: list[float] = (), confidence: float = 0.9) -> None:
    """Lives a life in which the belief is learned or inherited, acted on, and handed over."""
    options = {"embedder": flat, "seed": 1, "config": LOOPS}
    opened = (
        bardo.inherit(root / f"{parent}.testament", root / name, **options)
        if parent
        else bardo.open(root / name, **options)
    )
    with opened as memory:
        if not parent:
            memory.learn(BELIEF, confidence=confidence, tick=1)
            memory.learn(OTHER, confidence=0.45, tick=1, category="ferries")
        act(memory, values, start=60)
        memory.bequeath(root / f"{name}.testament")


def belief_of(memory: bardo.Grimoire) -> Fact:
    return next(fact for fact in memory.facts.list() if fact.text == BELIEF)


def test_bad_outcomes_cross_in_the_entry_the_markdown_and_the_reflection(tmp_path: Path) -> None:
    life(tmp_path, "ann", values=[-1, -1, -1, 1], confidence=0.7)
    left = testament.read(tmp_path / "ann.testament")
    assert [tallies.of(fact) for fact in left.facts if fact.text == BELIEF] == [Tally(1, 3)]
    assert f"- {BELIEF} (3 of 4 outcomes were bad)" in left.markdown.splitlines()
    (suspected,) = [line for line in left.reflection.splitlines() if BELIEF in line]
    assert suspected.endswith("sure, 1 episode, 3 of 4 outcomes were bad)")
    assert f"- {OTHER}" in left.markdown.splitlines()


def test_an_heir_is_less_sure_of_what_failed_and_knows_the_outcomes(tmp_path: Path) -> None:
    life(tmp_path, "ann", values=[-1] * 4)
    life(tmp_path, "ben", "ann", values=[-1])
    with bardo.inherit(tmp_path / "ben.testament", tmp_path / "cat", embedder=flat, config=LOOPS) as cat:
        why = cat.facts.why(belief_of(cat))
        assert (why.good, why.bad) == (0, 5)
        assert f"- {BELIEF} (5 of 5 outcomes were bad)" in testament.read(tmp_path / "ben.testament").markdown
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "eve", embedder=flat, config=LOOPS) as eve:
        plain = next(fact for fact in eve.facts.list() if fact.text == OTHER)
        assert eve.facts.confidence(plain) == pytest.approx(0.34)
        # The mean of a beta distribution of 8 outcomes at .34, and 4 bad ones.
        assert eve.facts.confidence(belief_of(eve)) == pytest.approx(0.34 * 8 / 12)


def test_generations_without_outcomes_apply_the_discount_once(tmp_path: Path) -> None:
    life(tmp_path, "ann", values=[-1] * 4)
    life(tmp_path, "ben", "ann")
    with bardo.inherit(tmp_path / "ben.testament", tmp_path / "cat", embedder=flat, config=LOOPS) as cat:
        assert cat.facts.confidence(belief_of(cat)) == pytest.approx(0.4 * 0.85**2 * 8 / 12, abs=1e-3)


def test_good_outcomes_of_an_ancestor_earn_nothing(tmp_path: Path) -> None:
    life(tmp_path, "ann", values=[1] * 6)
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=flat, config=LOOPS) as ben:
        assert ben.facts.confidence(belief_of(ben)) == pytest.approx(0.34)
        act(ben, [1], start=60)
        assert (belief_of(ben).source, ben.facts.why(belief_of(ben)).good) == ("testament", 7)


@pytest.mark.parametrize(
    "told", [["5"], ["-1", "2"], ["1", "2", "3"], ["x", "2"], ["9" * 12, "1"], "12", [1, 2], None, ["²", "1"]]
)
def test_invalid_outcomes_of_a_testament_are_none(told: object) -> None:
    assert tallies.of(Fact("a", metadata={tallies.OUTCOMES: told})) == Tally()  # type: ignore[dict-item]


@given(st.integers(0, 500), st.integers(0, 500), st.floats(0, 1))
def test_outcomes_never_raise_a_confidence_and_more_bad_ones_lower_it(
    good: int, bad: int, confidence: float
) -> None:
    fact = tallies.with_tally(Fact("a"), Tally(good, bad))
    assert tallies.of(fact) == Tally(good, bad)
    now = tallies.expected(fact, confidence)
    assert 0.0 <= now <= confidence
    assert tallies.expected(tallies.with_tally(fact, Tally(good, bad + 1)), confidence) <= now
    warning = dataclasses.replace(fact, kind="warning")
    assert tallies.expected(warning, confidence) == confidence
