"""Notes of a pass on the decisions that a finer rule needs."""

from __future__ import annotations

import pytest

from bardo.consolidate.curator import CuratorCycleComplete, _finer_rules


@pytest.mark.parametrize(("verified", "needed"), [(250, "768"), (800, "2,304")])
def test_rules_of_few_decisions_come_with_the_number_that_a_finer_one_needs(
    verified: int, needed: str
) -> None:
    (note,) = _finer_rules(CuratorCycleComplete(1, heuristics_proposed=1), verified)
    assert f"{verified} verified episodes" in note
    assert f"about {needed} decisions" in note


@pytest.mark.parametrize(("proposed", "verified"), [(0, 250), (1, 2_304)])
def test_without_new_rules_or_with_enough_decisions_there_is_no_note(proposed: int, verified: int) -> None:
    assert _finer_rules(CuratorCycleComplete(1, heuristics_proposed=proposed), verified) == ()
