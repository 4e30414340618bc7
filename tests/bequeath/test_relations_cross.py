"""Relations that a caller told cross a death."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bardo


def test_told_relations_that_hold_reach_heirs_of_heirs(tmp_path: Path, minilm: Any) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.entities.relate("ledger", "owned_by", "Priya")
        ann.entities.relate("billing", "depends on", "ledger", confidence=0.9)
        ann.entities.relate("search", "runs_on", "cluster-2", valid_from=1, valid_to=2)
        ann.bequeath(tmp_path / "ann.testament")
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        testament = tmp_path / f"{parent}.testament"
        with bardo.inherit(testament, tmp_path / name, embedder=minilm) as heir:
            texts = sorted(fact.text for fact in heir.facts.list())
            assert texts == ["billing depends on ledger", "ledger owned by Priya"]
            found = {(one.subject, one.predicate, one.object) for one in heir.entities.relations()}
            assert found == {("ledger", "owned_by", "Priya"), ("billing", "depends on", "ledger")}
            heir.bequeath(tmp_path / f"{name}.testament")


def test_a_relation_that_a_record_states_is_not_stated_twice(tmp_path: Path, minilm: Any) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        fact = ann.learn("Priya owns the ledger", subject="ledger", attribute="owned_by", value="Priya")
        ann.entities.relate("Ledger", "owned_by", "Priya")
        ann.entities.relate("ledger", "kept by", "Priya", source=fact)
        left = ann.bequeath(tmp_path / "ann.testament")
    assert [one.text for one in left.facts] == ["Priya owns the ledger"]


def test_outcomes_without_words_and_thanks_stay_behind(tmp_path: Path, minilm: Any) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.learn("Restarting the worker clears stuck webhooks", kind="heuristic")
        ann.outcome(ann.recall("stuck webhooks", limit=1, layers=["fact"]), value=-0.9)
        ann.remember("Sounds good, see you tomorrow!", role="user", kind="turn")
        ann.remember("The Lisbon office closes at 17:00 on Fridays", role="user", kind="turn")
        left = ann.bequeath(tmp_path / "ann.testament")
        reasons = {one.reason for one in ann.death.left_behind()}
    assert [one.text for one in left.episodes] == ["The Lisbon office closes at 17:00 on Fridays"]
    assert {"episode_value_alone", "episode_small_talk"} <= reasons
