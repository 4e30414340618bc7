"""A belief that an ancestor ended stays contested at heirs, in any words, until own evidence restores it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.errors import BardoWarning

OLD, NEW = "the relay listens on 7,070", "the relay listens on 7,191"
SLOT = {"subject": "relay", "attribute": "port"}
LOOPS = {"clock": {"unit": "loops"}}
QUESTION = "which port does the relay listen on?"


@pytest.fixture(params=[True, False], ids=["with slots", "by words"])
def testament(request: pytest.FixtureRequest, tmp_path: Path, minilm: Any) -> Path:
    with bardo.open(tmp_path / "ann", embedder=minilm, config=LOOPS) as ann:
        if request.param:
            ann.learn(OLD, **SLOT, value="7070")
            ann.learn(NEW, **SLOT, value="7191")
        else:
            ann.facts.supersede(ann.learn(OLD), NEW)
        ann.bequeath(tmp_path / "ann.testament")
    return tmp_path / "ann.testament"


def heir_of(testament: Path, minilm: Any) -> bardo.Grimoire:
    return bardo.inherit(testament, testament.parent / "ben", embedder=minilm, config=LOOPS)


def learned(heir: bardo.Grimoire, said: str | dict[str, Any], tick: int) -> bardo.Fact:
    return heir.learn(said, tick=tick) if isinstance(said, str) else heir.learn("", tick=tick, **said)


@pytest.mark.parametrize(
    "said",
    [
        OLD,
        "The relay listens on 7070.",
        "relay's port is 7070",
        "port 7070 of the relay",
        "The relay is on port 7070",
        {**SLOT, "value": "7070"},
        {**SLOT, "value": "7,070"},
    ],
)
def test_a_replaced_value_is_contested_in_any_words(testament: Path, minilm: Any, said: Any) -> None:
    with heir_of(testament, minilm) as heir:
        with pytest.warns(BardoWarning, match="were refuted before"):
            told = learned(heir, said, 5)
        assert (told.text, told.status, told.is_contested) == (OLD, "contradicted", True)
        assert heir.facts.confidence(told) == pytest.approx(0.3)
        assert [fact.text for fact in heir.facts.list()] == [NEW]
        first, second = heir.recall(QUESTION, layers=["fact"])
        assert (first.text, first.standing) == (NEW, "")
        assert (second.text, second.standing) == (OLD, "contested: given up in an earlier life")


@pytest.mark.parametrize(
    "said",
    [
        "the relay of Bern listens on 7070",
        "the relay's port is 7071",
        "the relay does not listen on 7070",
        "the relay no longer listens on 7070",
        "the relay's admin port is 7070",
        "the mirror listens on 7070",
        "does the relay listen on 7070?",
        "the relay has 7070 clients",
        {**SLOT, "value": "7071"},
        {**SLOT, "value": "7070", "denied": True},
        {**SLOT, "value": "7070", "condition": "staging"},
    ],
)
def test_another_statement_is_not_contested(testament: Path, minilm: Any, said: Any) -> None:
    with heir_of(testament, minilm) as heir:
        told = learned(heir, said, 5)
        assert (told.is_contested, told.text == OLD) == (False, False)


def test_a_second_own_observation_restores_a_replaced_value(testament: Path, minilm: Any) -> None:
    with heir_of(testament, minilm) as heir:
        with pytest.warns(BardoWarning):
            first = heir.learn("relay's port is 7070", tick=5)
        with pytest.warns(BardoWarning):
            again = heir.learn("port 7070 of the relay", tick=6)
        assert (again.id, again.status) == (first.id, "contradicted")
        restored = heir.learn("relay's port is 7070", tick=600)
        assert (restored.id, restored.status, restored.source) == (first.id, "active", "self")
        assert heir.facts.confidence(restored) == pytest.approx(0.7)


def test_a_turn_that_repeats_a_replaced_value_is_disputed(testament: Path, minilm: Any) -> None:
    with heir_of(testament, minilm) as heir:
        heir.remember("relay's port is 7070", role="user", kind="turn", speaker="Mona", tick=5)
        heir.sleep()
        assert [fact.text for fact in heir.facts.list()] == [NEW]
        (contested,) = heir.facts.list(status="contradicted")
        assert (contested.text, contested.is_contested) == (OLD, True)


def test_a_contested_belief_crosses_again_as_contested(testament: Path, minilm: Any, tmp_path: Path) -> None:
    with heir_of(testament, minilm) as ben:
        with pytest.warns(BardoWarning):
            ben.learn("relay's port is 7070", tick=5)
        ben.bequeath(tmp_path / "ben.testament")
    with bardo.inherit(tmp_path / "ben.testament", tmp_path / "cat", embedder=minilm, config=LOOPS) as cat:
        assert [fact.text for fact in cat.facts.list()] == [NEW]
        assert [fact.text for fact in cat.facts.list(status="superseded")] == [OLD]
        with pytest.warns(BardoWarning):
            assert cat.learn("port 7070 of the relay", tick=5).is_contested


def test_the_end_that_one_parent_tells_ends_the_belief_of_another(testament: Path, minilm: Any) -> None:
    folder = testament.parent
    with bardo.open(folder / "eve", embedder=minilm, config=LOOPS) as eve:
        eve.learn(OLD)
        eve.bequeath(folder / "eve.testament")
    for name, order in (("ben", ["eve", "ann"]), ("cat", ["ann", "eve"])):
        for parent in order:
            bardo.inherit(
                folder / f"{parent}.testament", folder / name, embedder=minilm, config=LOOPS
            ).close()
        with bardo.open(folder / name, embedder=minilm) as heir:
            assert [fact.text for fact in heir.facts.list()] == [NEW]


def test_an_own_belief_in_force_is_not_contested_by_a_testament(testament: Path, minilm: Any) -> None:
    with bardo.open(testament.parent / "ben", embedder=minilm, config=LOOPS) as ben:
        own = ben.learn("relay's port is 7070", tick=5)
    with heir_of(testament, minilm) as heir:
        told = heir.learn("relay's port is 7070", tick=600)
        assert (told.id, told.is_contested) == (own.id, False)
