"""Immune memory and markers recognise a situation by what the caller tells of it."""

from __future__ import annotations

import bardo

LOOPS = {"clock": {"unit": "loops"}}


def test_learned_dangers_are_recognised_by_their_subjects(tmp_path):
    with bardo.open(tmp_path / "farm", config=LOOPS) as g:
        bloat = g.learn(
            "Clover bloat kills sheep within the hour", kind="anti_knowledge", subjects=["clover"]
        )
        tide = g.learn("Spring tides flood the lower meadow", kind="warning", subjects=["Meadow"])
        assert [one.id for one in g.life.dangers({"subjects": ["Clover"], "actions": ["feed"]})] == [bloat.id]
        assert [one.id for one in g.life.dangers({"subjects": ["meadow"]})] == [tide.id]
        assert g.life.dangers({"subjects": ["hay"]}) == []
        assert g.life.dangers({"weather": "wet"}) == []


def test_a_marker_is_found_without_the_action(tmp_path):
    situation = {"subjects": ["hay"], "weather": "wet"}
    with bardo.open(tmp_path / "hay", config=LOOPS) as g:
        for action in ("buy", "buy", "sell"):
            prompt = g.context("Hay?", situation={**situation, "actions": ["buy", "sell"]})
            g.outcome(prompt, value=-0.5 if action == "buy" else 0.5, action=action)
        found = g.life.marker(situation)
        assert (found.outcomes, found.bad) == (3, 2)
        assert g.life.decision(situation) is not None
        assert g.life.marker({**situation, "actions": ["sell"]}).outcomes == 1
