from pathlib import Path

import pytest

import bardo
from bardo._core import confidence_now
from bardo.errors import InvalidInputError, NotFoundError
from bardo.model import Fact
from helpers.models import shape_vectors


@pytest.fixture
def g(tmp_path: Path):
    with bardo.open(tmp_path / "agent", embedder=shape_vectors, seed=3) as grimoire:
        yield grimoire


def test_history_tells_every_state_of_a_fact(g):
    fact = g.learn("The fee is 30 basis points", tick=10, confidence=0.6)
    other = g.learn("The fee is 25 basis points", tick=20, confidence=0.9)
    g.tick(30)
    assert g.facts.contradict(fact, other) == fact.id
    states = g.facts.history(fact)
    assert [(state.from_tick, state.to_tick, state.fact.status) for state in states] == [
        (10, 30, "active"),
        (30, None, "contradicted"),
    ]
    assert g.facts.get(fact.id).expires_tick == 30 + 14 * 1_440
    assert {link.relation for link in g.facts.links(fact)} == {"contradicts"}
    assert [known.id for known in g.facts.list(as_of=15)] == [fact.id]
    assert g.facts.list(as_of=15)[0].confidence == pytest.approx(0.6)
    with pytest.raises(NotFoundError):
        g.facts.history("00000000-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInputError):
        g.facts.contradict(fact, fact)


def test_links_join_facts_by_six_relations(g):
    one, two = g.learn(["Rain wets the street", "Wet streets are slippery"])
    for relation in ("supports", "contradicts", "refines", "causes", "part_of", "see_also"):
        g.facts.link(one, two, relation, weight=0.5)
    assert len(g.facts.links(one.id)) == 6
    with pytest.raises(InvalidInputError):
        g.facts.link(one, two, "hates")


def test_recall_as_of_a_tick_gives_facts_as_they_were(g):
    fact = g.learn("The fee of the pool is thirty", tick=10, confidence=0.6)
    g.learn("the fee of the pool is thirty", tick=200, confidence=0.95)
    (then,) = g.recall("what is the fee of the pool?", as_of=10, layers=["fact"])
    assert (then.id, then.record.support, then.confidence) == (fact.id, 0, pytest.approx(0.6))
    (now,) = g.recall("what is the fee of the pool?", layers=["fact"])
    assert now.record.support == 1
    assert now.confidence > 0.9


def test_recall_as_of_a_tick_ranks_by_what_was_believed_then(g):
    text = "the {} relayer is the one that never drops a message"
    blue = g.learn(text.format("blue"), tick=10, confidence=0.9, importance=0.9)
    red = g.learn(text.format("red"), tick=20, confidence=0.6, importance=0.3)
    for tick in range(200, 1_200, 100):
        g.learn(text.format("red"), tick=tick, confidence=0.95, importance=1.0)
    query = "which relayer never drops a message"
    now = g.recall(query, layers=["fact"])
    then = g.recall(query, layers=["fact"], as_of=30)
    assert [memory.id for memory in now] == [red.id, blue.id]
    assert [memory.id for memory in then] == [blue.id, red.id]
    assert then[1].why.importance == pytest.approx(0.3)
    assert then[1].confidence == then[1].why.confidence < 0.61


def test_a_question_about_the_past_asks_for_what_was_as_sure_then(g):
    gas = g.learn("Gas is cheap at dawn", tick=1, confidence=0.3)
    for tick in (200, 400, 600):
        g.learn("Gas is cheap at dawn", tick=tick)
    dear = g.learn("Gas is dear at noon", tick=600, confidence=0.6)
    g.tick(700)
    assert g.facts.contradict(gas, dear) in {gas.id, dear.id}

    def sure(tick, least):
        found = g.recall("gas", layers=["fact"], as_of=tick, min_confidence=least)
        return {memory.id for memory in found}

    for tick in (10, 601, 701):
        for least in (0.05, 0.25, 0.5):
            expected = {
                fact.id
                for fact in g.facts.list(as_of=tick)
                if confidence_now(fact, tick=tick, tau_ticks=500.0) >= least
            }
            assert sure(tick, least) == expected, (tick, least)
    assert sure(10, 0.5) == set()
    assert dear.id in sure(601, 0.5)


def test_a_question_about_the_past_finds_what_was_archived_replaced_or_forgotten_since(g):
    tides = g.learn("Tides turn twice a day", tick=1)
    berlin = g.learn("The office is in Berlin", tick=710)
    g.tick(720)
    paris = g.facts.supersede(berlin, "The office is in Paris")
    g.remember("later", tick=50_000)
    g.sleep()
    assert g.facts.get(tides.id).status == "archived"
    for tick in (0, 5, 715, 725, 50_000):
        found = g.recall("where is the office, and how often do tides turn?", as_of=tick, layers=["fact"])
        assert {memory.id for memory in found} == {fact.id for fact in g.facts.list(as_of=tick)}, tick
    assert [memory.id for memory in g.recall("tides", as_of=5, layers=["fact"])] == [tides.id]
    g.forget(paris, reason="a test")
    for tick in (715, 725):
        found = g.recall("where is the office?", as_of=tick, layers=["fact"])
        assert {memory.id for memory in found} == {fact.id for fact in g.facts.list(as_of=tick)}, tick


def test_a_known_replacement_fact_is_renewed(g):
    wasps = g.learn("Wasps sting often", tick=1, confidence=0.5)
    hornets = g.learn("Hornets sting often", tick=2)
    g.tick(300)
    faded = g.facts.confidence(wasps)
    newer = g.facts.supersede(hornets, "Wasps  sting OFTEN")
    assert newer.id == wasps.id
    assert [fact.id for fact in g.facts.list()] == [wasps.id]
    assert g.facts.confidence(newer) > faded
    assert (newer.supersedes, g.facts.get(hornets.id).superseded_by) == (hornets.id, wasps.id)
    assert {state.fact.id for state in g.facts.history(wasps)} == {wasps.id, hornets.id}


def test_an_id_is_one_memorys(g):
    episode = g.remember("The fee is thirty")
    with pytest.raises(InvalidInputError, match="an episode's"):
        g.learn(Fact("The fee is thirty", id=episode.id))
    assert g.facts.list() == []


def test_contradicting_at_the_last_tick_is_no_error(g):
    fact, other = g.learn(["The fee is thirty basis points", "The fee is forty basis points"], tick=2**62 - 1)
    assert g.facts.contradict(fact, other) in {fact.id, other.id}


def test_a_long_history_does_not_hide_what_was_in_force(g):
    fact = g.learn("The price of aave in the pool is 1 dollar", tick=1)
    for price in range(2, 160):
        g.tick(price)
        fact = g.facts.supersede(fact, f"The price of aave in the pool is {price} dollar")
    g.tick(160)
    fact = g.facts.supersede(fact, "Aave trades at about five hundred")
    g.tick(161)
    (found, *_) = g.recall("what is the price of aave in the pool?", as_of=160, layers=["fact"])
    assert found.id == fact.id
    (then, *_) = g.recall("what is the price of aave in the pool?", as_of=80, layers=["fact"])
    assert then.text.endswith("80 dollar")
