"""Inheritance: entries are discounted and marked, never replace own knowledge, and are taken once."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from estate import (
    KEY,
    MODEL,
    NOW,
    TICK,
    bequeath,
    dead,
    episode,
    fact,
    id_of,
    some_facts,
    some_vectors,
    with_vectors,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo import _core
from bardo.bequeath.content.contents import read_contents
from bardo.bequeath.heir import inherit
from bardo.bequeath.lineage import Lineage
from bardo.bequeath.selection.selection import Estate, choose
from bardo.bequeath.testament import testament
from bardo.config import Bequeath
from bardo.errors import EmbedderUnavailableError, StoreError
from bardo.model import Episode, Fact, Fingerprint
from bardo.recall.retriever import Retriever

BIRTH = 40


def store(folder, agent="heir", **options):
    folder.mkdir(exist_ok=True)
    return _core.FactStore(folder / "facts.db", agent=agent, seed=1, now=NOW, **options)


def everything(facts):
    return {one.id: one for one in facts.list(status=None, limit=5_000)}


def adopt(testaments, facts, **options):
    return inherit.adopt(testaments, facts, **({"tick": BIRTH, "now": NOW} | options))


class ToyEmbedder:
    """Three numbers of a text, under another model's name."""

    fingerprint = Fingerprint("other", "1", "none", 3)

    def embed_documents(self, texts):
        rows = np.array([[len(text), text.count("a") + 1, 1.0] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    embed_queries = embed_documents


def test_entries_arrive_marked_discounted_and_to_be_earned_again(tmp_path):
    left = bequeath(tmp_path)
    heir = store(tmp_path / "heir")
    report = adopt(left, heir, folder=tmp_path / "heir")
    found = everything(heir)
    assert (report.adopted, report.merged, report.known, report.rejected) == (4, 0, 0, 0)
    gas, never, bridge = found[id_of(1)], found[id_of(2)], found[id_of(3)]
    assert gas.confidence == pytest.approx(0.4 * 0.85)
    assert (gas.source, gas.origin, gas.generation) == ("testament", "parent", 1)
    assert (gas.support, gas.evidence, gas.mentions) == (0, (), 0)
    assert (gas.created_tick, gas.reinforced_tick) == (BIRTH, BIRTH)
    assert never.confidence == pytest.approx(0.3), "anti-knowledge never falls below its floor"
    assert bridge.confidence == pytest.approx(0.1), "a death raises nobody's confidence"
    assert bridge.bloodstain
    assert report.lineage.life.generation == 1


def test_an_archive_and_the_linear_rule_discount_by_their_own_numbers(tmp_path):
    left = bequeath(tmp_path)
    archive, linear = store(tmp_path / "one"), store(tmp_path / "two")
    adopt(left, archive, through_archive=True)
    adopt(left, linear, config=Bequeath(fading="step"))
    assert everything(archive)[id_of(1)].confidence == pytest.approx(0.3 * 0.85)
    assert everything(linear)[id_of(1)].confidence == pytest.approx(0.35)


def test_inheriting_the_same_testament_twice_is_a_no_op(tmp_path):
    left = bequeath(tmp_path, episodes=[episode(9, "Seen")], links=[(id_of(1), id_of(4), "supports", 0.5, 3)])
    heir = store(tmp_path / "heir")
    adopt([left, left], heir, folder=tmp_path / "heir")
    before, change = everything(heir), heir.last_change
    report = adopt(testament.read(left.path), heir, folder=tmp_path / "heir", tick=BIRTH + 500)
    assert (report.adopted, report.merged, report.links, report.repeated) == (0, 0, 0, (left.hash,))
    assert (everything(heir), heir.last_change) == (before, change)
    assert Lineage.load(tmp_path / "heir") == report.lineage


def test_without_a_folder_the_ids_keep_entries_from_being_taken_twice(tmp_path):
    left = bequeath(tmp_path)
    heir = store(tmp_path / "heir")
    adopt(left, heir)
    before = everything(heir)
    report = adopt(left, heir, tick=BIRTH + 500)
    assert (report.adopted, report.merged) == (0, 4)
    assert everything(heir) == before


def test_a_crash_before_the_lineage_was_written_is_completed_by_calling_again(tmp_path):
    left = bequeath(tmp_path)
    heir = store(tmp_path / "heir")
    folder = tmp_path / "heir"
    adopt(left, heir)
    before = everything(heir)
    report = adopt(left, heir, folder=folder)
    assert everything(heir) == before
    assert report.lineage.has_inherited(left.hash)
    assert set(inherit.provenance(folder)) == set(before)


def test_a_fact_of_the_heir_stays_unchanged(tmp_path):
    heir = store(tmp_path / "heir")
    own = Fact(text="gas is CHEAP at night", category="trading/gas_timing", confidence=0.2, support=1)
    near = Fact(text="Wait two blocks when the oracle lags", kind="heuristic", confidence=0.5)
    rows = some_vectors(4)
    heir.upsert([own, near], tick=1, now=NOW, vectors=np.stack([rows[0], rows[3]]), fingerprint=MODEL)
    before = everything(heir)
    report = adopt(with_vectors(bequeath(tmp_path)), heir, folder=tmp_path / "heir")
    after = everything(heir)
    assert {id_: after[id_] for id_ in before} == before
    assert (report.adopted, report.known) == (2, 2)
    assert set(inherit.provenance(tmp_path / "heir")).isdisjoint(before)


def test_several_parents_are_merged_with_the_greater_confidence_and_both_named(tmp_path):
    one = bequeath(
        tmp_path,
        now=NOW + 1,
        facts=[fact(1, "Gas is cheap at night"), fact(2, "Only one knows", kind="warning")],
    )
    other = bequeath(
        tmp_path,
        name="other",
        now=NOW + 2,
        lineage=dead("uncle"),
        facts=[
            fact(7, "gas is  cheap at night", confidence=0.95),
            fact(8, "The other knows", confidence=0.95),
        ],
    )
    weak = bequeath(
        tmp_path,
        name="weak",
        now=NOW,
        lineage=dead("aunt"),
        facts=[fact(9, "Only one knows", kind="warning", confidence=0.2)],
    )
    heir = store(tmp_path / "heir")
    report = adopt([weak, one, other], heir, folder=tmp_path / "heir")
    found = everything(heir)
    texts = sorted(one.text for one in found.values())
    assert texts == ["Gas is cheap at night", "Only one knows", "The other knows"]
    assert (report.adopted, report.merged) == (3, 2)
    known = inherit.provenance(tmp_path / "heir")
    assert known[id_of(1)] == [one.hash, other.hash]
    assert known[id_of(9)] == [weak.hash, one.hash]
    assert found[id_of(9)].confidence == pytest.approx(0.34)
    assert [parent.agent for parent in report.lineage.life.parents] == ["aunt", "parent", "uncle"]


def test_one_id_with_other_words_in_two_testaments_becomes_two_facts(tmp_path):
    one = bequeath(tmp_path, facts=[fact(1, "lag of aave: mean 2.0", kind="warning")])
    other = bequeath(
        tmp_path, name="o", lineage=dead("b"), facts=[fact(1, "lag of aave: mean 9.0", kind="warning")]
    )
    heir = store(tmp_path / "heir")
    adopt([one, other], heir, folder=tmp_path / "heir")
    assert len(everything(heir)) == 2


def test_vectors_of_the_same_model_are_kept(tmp_path):
    left = with_vectors(bequeath(tmp_path))
    heir = store(tmp_path / "heir")
    report = adopt(left, heir)
    assert (report.without_vectors, report.embedded) == (0, 0)
    ids = [one.id for one in left.facts]
    for mine, theirs in zip(heir.vectors(ids), left.vectors, strict=True):
        assert np.allclose(mine, theirs, atol=2e-3)


def test_vectors_of_another_model_are_recomputed_or_omitted_and_reported(tmp_path):
    left = with_vectors(bequeath(tmp_path))
    heir = store(tmp_path / "heir")
    report = adopt(left, heir, embedder=ToyEmbedder())
    assert (report.embedded, report.without_vectors, report.notes) == (4, 0, ())
    assert heir.fingerprint.model == "other"
    late = with_vectors(bequeath(tmp_path, name="late", lineage=dead("late"), facts=[fact(20, "Late")]))
    report = adopt(late, heir)
    assert report.without_vectors == 1
    assert "toy" in report.notes[0]
    assert heir.vectors([id_of(20)]) == [None]


def test_an_embedder_that_fails_costs_the_vectors_and_nothing_else(tmp_path):
    class Broken(ToyEmbedder):
        def embed_documents(self, texts):
            raise EmbedderUnavailableError("no model. Get one")

    heir = store(tmp_path / "heir")
    report = adopt(bequeath(tmp_path), heir, embedder=Broken())
    assert (report.adopted, report.without_vectors) == (4, 4)
    assert "no model" in report.notes[0]


def test_an_entry_that_breaks_a_limit_is_left_out_and_the_others_stay(tmp_path):
    facts = [
        *some_facts(),
        fact(5, "Broken", subjects=("x" * 300,)),
        fact(6, "Odd", payload={"type": "weird"}),
    ]
    plain = [one for one in facts if one.id != id_of(6)]
    left = bequeath(tmp_path, facts=plain)
    hostile = dataclasses.replace(
        left, facts=(*left.facts, facts[-1]), vectors=some_vectors(6), fingerprint=MODEL
    )
    heir = store(tmp_path / "heir")
    report = adopt(hostile, heir)
    assert (report.adopted, report.rejected) == (4, 2)


def test_secrets_in_a_testament_of_another_make_are_taken_out(tmp_path):
    left = with_vectors(bequeath(tmp_path))
    leaky = dataclasses.replace(left.facts[0], text="Use ghp_" + "a1" * 18)
    heir = store(tmp_path / "heir")
    report = adopt(dataclasses.replace(left, facts=(leaky, *left.facts[1:])), heir)
    assert report.redacted == 1
    assert not any("ghp_" in one.text for one in everything(heir).values())
    assert heir.vectors([leaky.id]) == [None]


def test_inherited_episodes_are_hearsay_unverified_and_teach_nothing(tmp_path):
    left = bequeath(
        tmp_path, episodes=[episode(9, "The oracle lagged", tick=900, payload={"lag": 2}, kind="event")]
    )
    heir = store(tmp_path / "heir")
    log = _core.EpisodeLog(tmp_path / "heir" / "episodes.redb", agent="heir", seed=1, now=NOW)
    report = adopt(left, heir, log=log)
    assert report.episodes == 1
    (heard,) = log.get([id_of(9)])
    assert (heard.kind, heard.verified, heard.importance, heard.tick, heard.at) == (
        "inherited",
        False,
        None,
        BIRTH,
        NOW,
    )
    assert heard.payload["inherited"]["payload"] == {"lag": 2}
    assert (heard.payload["inherited"]["agent"], heard.payload["inherited"]["tick"]) == ("parent", 900)
    assert log.verified_since(0) == []
    assert adopt(left, heir, log=log).episodes == 0
    log.close()


def test_inherited_memories_are_recalled_as_inherited_in_both_layers(tmp_path):
    left = bequeath(tmp_path, episodes=[episode(9, "The oracle lagged behind the pool")])
    heir = store(tmp_path / "heir")
    log = _core.EpisodeLog(tmp_path / "heir" / "episodes.redb", agent="heir", seed=1, now=NOW)
    adopt(left, heir, log=log)
    log.record([Episode(text="The oracle lagged in my own life", tick=BIRTH)], now=NOW)
    hot = _core.HotSet()
    hot.load(log, heir)
    found = {
        one.text: one for one in Retriever(hot, log, heir).recall("oracle lagged", now_tick=BIRTH, now=NOW)
    }
    for text in ("The oracle lagged behind the pool", "When the oracle lags, wait two blocks"):
        assert (found[text].inherited, found[text].source) == (True, "testament")
        assert found[text].confidence <= 0.4
    own = found["The oracle lagged in my own life"]
    assert (own.inherited, own.source, own.confidence) == (False, "self", 1.0)
    log.close()


def test_an_episode_that_two_testaments_tell_is_filed_once_and_a_broken_one_not_at_all(tmp_path):
    one = bequeath(tmp_path, episodes=[episode(9, "Seen"), episode(10, "Broken", subjects=("x" * 300,))])
    other = bequeath(
        tmp_path, name="o", lineage=dead("uncle"), episodes=[episode(9, "Seen", payload={"by": "uncle"})]
    )
    heir = store(tmp_path / "heir")
    with_log = _core.EpisodeLog(tmp_path / "heir" / "episodes.redb", agent="heir", seed=1, now=NOW)
    report = adopt([one, other], heir, log=with_log)
    assert (report.episodes, len(with_log), len(report.notes)) == (1, 1, 1)
    with_log.close()


def test_links_and_expiries_move_into_the_heirs_time(tmp_path):
    facts = [fact(1, "A"), fact(2, "B", expires_tick=TICK + 30)]
    left = bequeath(tmp_path, facts=facts, links=[(id_of(1), id_of(2), "refines", 0.5, 3)])
    heir = store(tmp_path / "heir")
    assert adopt(left, heir).links == 1
    assert heir.links([id_of(1)]) == [(id_of(1), id_of(2), "refines", 0.5, BIRTH)]
    assert everything(heir)[id_of(2)].expires_tick == BIRTH + 30


def test_the_testaments_are_kept_beside_the_heir(tmp_path):
    left = bequeath(tmp_path, lineage=dead("../evil name"))
    heir = store(tmp_path / "heir")
    adopt(left, heir, folder=tmp_path / "heir")
    (copy,) = (tmp_path / "heir" / "testaments").glob("*.testament")
    assert testament.read(copy).hash == left.hash
    assert sorted(path.name for path in tmp_path.iterdir()) == ["heir", "parent.testament"]


def test_a_testament_that_vanished_after_it_was_read_is_inherited_without_a_copy(tmp_path):
    left = bequeath(tmp_path)
    left.path.unlink()
    heir = store(tmp_path / "heir")
    report = adopt(left, heir, folder=tmp_path / "heir")
    assert report.adopted == 4
    assert "No copy" in report.notes[0]
    assert adopt(left, heir, folder=tmp_path / "heir").repeated == (left.hash,)


def test_a_folder_that_cannot_be_used_is_a_typed_error(tmp_path):
    heir = store(tmp_path / "heir")
    (tmp_path / "heir" / "testaments").write_text("")
    with pytest.raises(StoreError):
        adopt(bequeath(tmp_path), heir, folder=tmp_path / "heir")


def die(folder, facts, agent, tick, lineage):
    """Bequeaths a whole store."""
    contents = read_contents(facts, tick=tick)
    lineage = lineage.died(tick=tick, cause="age")
    estate = Estate(
        contents.facts, contents.confidences, "# x\n", vectors=contents.vectors, links=contents.links
    )
    choice = choose(estate, lineage.life, Bequeath())
    return testament.write(folder / f"{agent}.testament", choice, lineage=lineage, signing_key=KEY, now=NOW)


def test_what_an_heir_confirmed_crosses_as_its_own_and_the_rest_at_a_discount(tmp_path):
    first = store(tmp_path / "first", agent="first")
    first.upsert(
        [Fact(text="Gas is cheap at night", confidence=0.9), Fact(text="Fees fall", confidence=0.9)],
        tick=1,
        now=NOW,
    )
    first.upsert([Fact(text="Never chase", kind="anti_knowledge", confidence=0.9)], tick=1, now=NOW)
    left = die(tmp_path, first, "first", 10, Lineage.founder("first"))
    assert len(left.facts) == 3

    second = store(tmp_path / "second", agent="second")
    report = adopt(left, second, tick=0)
    second.upsert([Fact(text="gas is cheap at night", confidence=0.8)], tick=5, now=NOW)
    left = die(tmp_path, second, "second", 6, report.lineage)
    assert {one.text: (one.generation, one.origin) for one in left.facts} == {
        "Gas is cheap at night": (0, "first"),
        "Never chase": (1, "first"),
        "Fees fall": (1, "first"),
    }
    third = store(tmp_path / "third", agent="third")
    report = adopt(left, third, tick=0)
    found = {one.text: one for one in everything(third).values()}
    assert found["Gas is cheap at night"].generation == 1
    assert found["Never chase"].generation == 2
    assert found["Fees fall"].generation == 2
    assert found["Fees fall"].confidence == pytest.approx(0.4 * 0.85**2, abs=1e-3)
    assert found["Never chase"].confidence == pytest.approx(0.3, abs=1e-6)
    assert report.lineage.life.generation == 2
    assert [life.agent for life in report.lineage.ancestors] == ["second", "first"]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdef"),
            st.sampled_from(["insight", "warning", "anti_knowledge"]),
            st.floats(0, 1),
        ),
        max_size=8,
        unique_by=lambda one: one[0],
    ),
    st.lists(st.sampled_from("abcdef"), unique=True),
)
def test_no_inheritance_ever_lowers_or_raises_what_the_heir_holds(tmp_path_factory, left_facts, own):
    folder = tmp_path_factory.mktemp("heir")
    heir = store(folder)
    heir.upsert([Fact(text=text, confidence=0.5) for text in own], tick=1, now=NOW)
    before = everything(heir)
    facts = [fact(n, text, kind=kind, confidence=sure) for n, (text, kind, sure) in enumerate(left_facts)]
    adopt(bequeath(folder, facts=facts, vectors=None), heir, folder=folder)
    after = everything(heir)
    assert {id_: after[id_] for id_ in before} == before
    for one in facts:
        if one.id in after:
            assert (
                after[one.id].confidence
                <= max(one.confidence, 0.3 if one.kind == "anti_knowledge" else 0.0) + 1e-6
            )
