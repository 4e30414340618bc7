"""The shadow check: a new fact that makes answers about other episodes worse does not stay."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate import shadow
from bardo.model import Fact

NAMES = ("harbour", "meadow", "station", "library", "market", "chapel", "quarry", "orchard")


@pytest.fixture
def grimoire(tmp_path: Path, minilm: object) -> bardo.Grimoire:
    """Notes about eight places, six of each, which share most of their words."""
    opened = bardo.open(tmp_path / "a", agent="a", embedder=minilm, config={"curator": {"texts": False}})
    for name in NAMES:
        for day in range(6):
            opened.remember(
                f"Report {day} from the {name}: workers painted the northern {name} fence", verified=True
            )
    return opened


def born(g: bardo.Grimoire, text: str) -> int:
    """Adds a fact as an act, without a check; the number of the act before it."""
    since = g._facts.last_act
    vectors, fingerprint = g._upkeep.vectors_of([text])
    g._facts.upsert(
        [Fact(text, confidence=0.9, support=3)],
        tick=g.now_tick,
        now=1,
        vectors=vectors,
        fingerprint=fingerprint,
        actor="test",
    )
    return since


def test_a_fact_that_crowds_out_what_was_asked_for_is_withdrawn_and_can_be_had_back(
    grimoire: bardo.Grimoire,
) -> None:
    with grimoire as g:
        crowding = "Report from the harbour: workers painted the northern harbour fence"
        held = g._hold_out(born(g, crowding), flush=True)
        assert held.tried == 1
        assert len(held.withdrawn) == 1
        assert not g.facts()
        (withdrawn,) = g.facts(status="archived")
        assert withdrawn.text == crowding
        (act,) = (act for act in g.acts() if act.name == "shadow")
        g.undo(act)
        assert [fact.text for fact in g.facts()] == [crowding]


def test_a_fact_that_is_in_nobodys_way_stays(grimoire: bardo.Grimoire) -> None:
    with grimoire as g:
        held = g._hold_out(born(g, "Gas on the second chain doubles on Mondays"), flush=True)
        assert (held.tried, held.withdrawn, held.act) == (1, (), None)
        assert len(g.facts()) == 1


def test_the_check_leaves_no_trace_and_can_be_turned_off(tmp_path: Path, minilm: object) -> None:
    settings = {"curator": {"texts": False, "shadow": False}}
    with bardo.open(tmp_path / "a", agent="a", embedder=minilm, config=settings) as g:
        g.remember([f"reading {n} of the pool" for n in range(8)], verified=True)
        assert g._hold_out(born(g, "the pool was read eight times"), flush=True) == shadow.Shadowed()
    with bardo.open(tmp_path / "a", agent="a", embedder=minilm, config={"curator": {"texts": False}}) as g:
        since = g._facts.last_act - 1
        before = g.facts()
        g._hold_out(since, flush=True)
        assert [fact.mentions for fact in g.facts()] == [fact.mentions for fact in before], "nobody looked"


def test_a_question_is_every_second_longer_word() -> None:
    assert (
        shadow.cue("The oracle was updated two blocks before the liquidation") == "oracle blocks liquidation"
    )
    assert shadow.cue("a b c") == ""
