from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.errors import InvalidInputError, NotFoundError


def embed(texts):
    return np.asarray(
        [[len(text), text.count("e") + 1, hash(text[:3]) % 5, 1.0] for text in texts], dtype=np.float32
    )


@pytest.fixture
def g(tmp_path: Path):
    with bardo.open(tmp_path / "agent", embedder=embed, seed=3) as grimoire:
        yield grimoire


def test_history_tells_every_state_of_a_fact(g):
    fact = g.learn("The fee is 30 basis points", tick=10, confidence=0.6)
    other = g.learn("The fee is 25 basis points", tick=20, confidence=0.9)
    g.tick(30)
    assert g.contradict(fact, other) == fact.id
    states = g.history(fact)
    assert [(state.from_tick, state.to_tick, state.fact.status) for state in states] == [
        (10, 30, "active"),
        (30, None, "contradicted"),
    ]
    assert g.get(fact.id).expires_tick == 30 + 14 * 1_440
    assert {link.relation for link in g.links(fact)} == {"contradicts"}
    assert [known.id for known in g.facts(as_of=15)] == [fact.id]
    assert g.facts(as_of=15)[0].confidence == pytest.approx(0.6)
    with pytest.raises(NotFoundError):
        g.history("00000000-0000-7000-8000-000000000000")
    with pytest.raises(InvalidInputError):
        g.contradict(fact, fact)


def test_links_join_facts_by_six_relations(g):
    one, two = g.learn(["Rain wets the street", "Wet streets are slippery"])
    for relation in ("supports", "contradicts", "refines", "causes", "part_of", "see_also"):
        g.link(one, two, relation, weight=0.5)
    assert len(g.links(one.id)) == 6
    with pytest.raises(InvalidInputError):
        g.link(one, two, "hates")


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
