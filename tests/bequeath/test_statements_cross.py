"""Statements cross with a testament: their slots and persistence arrive, and secrets in their values do not."""

from __future__ import annotations

from pathlib import Path

import bardo


def test_an_heir_receives_the_slot_and_persistence_of_a_statement(tmp_path: Path):
    with bardo.open(tmp_path / "parent", seed=1) as parent:
        parent.learn(
            "Nadia is allergic to walnuts",
            subject="Nadia",
            attribute="allergy",
            value="walnuts",
            confidence=0.95,
        )
        parent.learn(
            subject="api",
            attribute="token",
            value="ghp_0123456789abcdefghijABCDEFGHIJ012345",
            confidence=0.95,
        )
        parent.bequeath(tmp_path / "left.testament", cause="economic")
    with bardo.inherit(tmp_path / "left.testament", tmp_path / "heir", seed=2) as heir:
        facts = {fact.text: fact for fact in heir.facts.list()}
        allergy = next(fact for text, fact in facts.items() if "walnuts" in text)
        assert allergy.statement is not None
        assert (allergy.statement.attribute, allergy.statement.value) == ("allergy", "walnuts")
        assert allergy.persistence == "permanent"
        assert not any(
            "ghp_" in fact.text or (fact.statement and "ghp_" in fact.statement.value)
            for fact in facts.values()
        )
        # Own knowledge of the heir ends hearsay.
        heir.learn(
            "Nadia is not allergic to walnuts",
            subject="Nadia",
            attribute="allergy",
            value="walnuts",
            denied=True,
        )
        assert heir.facts.get(allergy.id).status == "superseded"
