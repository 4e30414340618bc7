from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo.errors import InvalidInputError, NotFoundError
from bardo.model import Episode, Fact
from helpers.models import shape_vectors


@pytest.fixture
def g(tmp_path: Path):
    with bardo.open(tmp_path / "agent", embedder=shape_vectors, seed=3) as grimoire:
        yield grimoire


def names(found) -> list[str]:
    return [entity.name for entity in found]


def test_speakers_subjects_and_proper_nouns_become_entities(g):
    g.remember(
        [
            {
                "role": "user",
                "name": "Mira",
                "content": "Yesterday I met Caroline at the Golden Gate Bridge.",
            },
            {"role": "user", "name": "Caroline", "content": "Mira showed me her garden."},
            Episode("Utilisation of the pool rose", subjects=("aave",)),
        ]
    )
    assert names(g.entities.list()) == ["Caroline", "Mira", "Golden Gate Bridge", "aave"]
    mira = g.entities.list("mira's")[0]
    assert (mira.kind, mira.mentions) == ("person", 2)
    assert [(found.name, found.together) for found in g.entities.related("Mira")] == [
        ("Caroline", 2),
        ("Golden Gate Bridge", 1),
    ]
    assert names(g.entities.list(kind="subject")) == ["aave"]
    with pytest.raises(NotFoundError):
        g.entities.related("nobody")


def test_known_names_are_matched_in_new_text_in_any_case(g):
    g.remember("rates moved", subjects=["aave", "golden gate"])
    g.entities.list()
    later = g.remember("Everybody left AAVE for the Golden Gate")
    assert set(names(g.entities.of(later))) >= {"aave", "golden gate"}


def test_merged_names_are_one_entity_and_new_names_find_it(g):
    g.remember([{"role": "user", "name": name, "content": "hello there"} for name in ("Melanie", "Mel")])
    assert len(g.entities.list(kind="person")) == 2
    assert g.entities.merge("Melanie", ["Mel", "Mellie"]) == 1
    (melanie,) = g.entities.list("mellie")
    assert (melanie.name, melanie.aliases, melanie.mentions) == ("Melanie", ("Mel", "Mellie"), 2)
    said = g.remember("I heard that Mellie and Mel are the same")
    assert names(g.entities.of(said)) == ["Melanie"]


def test_a_name_given_later_is_known_in_what_was_read_before(g):
    g.remember("Robert Miller joined the Kestrel project", tick=1)
    zed = g.remember("Zed likes oranges more", tick=2)
    fact = g.learn("Late as ever, Zed missed the train")
    assert g.entities.list("Robert Miller")[0].mentions == 1
    g.entities.merge("Robert Miller", ["Zed"])
    (miller,) = g.entities.list("zed")
    assert (miller.name, miller.mentions) == ("Robert Miller", 3)
    assert zed.id in {memory.id for memory in g.recall("what does Robert Miller like?")}
    g.maintenance.rebuild()
    assert g.entities.list("Zed")[0].mentions == 3
    assert fact.id in {memory.id for memory in g.recall("Robert Miller", layers=["fact"])}


def test_addresses_commands_and_paths_are_found_by_a_fragment(g):
    episode = g.remember("See https://github.com/bardo/issues/3, run `git rebase main` in ~/src/bardo/lib.rs")
    fact = g.learn("The docs are at github.com/bardo/wiki")
    assert [found.record.id for found in g.episodes.find(url="GitHub.com/bardo")] == [fact.id, episode.id]
    assert g.episodes.find(command="git rebase")[0].value == "git rebase main"
    assert g.episodes.find(path="lib.rs")[0].value == "~/src/bardo/lib.rs"
    assert fact.metadata["urls"] == ["github.com/bardo/wiki"]
    assert g.episodes.find(url="%") == []
    with pytest.raises(InvalidInputError):
        g.episodes.find()
    with pytest.raises(InvalidInputError):
        g.episodes.find(url="a", path="b")


def test_entities_of_a_deleted_memory_are_deleted_with_it(g):
    kept = g.remember("We walked with Caroline")
    gone = g.remember("We talked to Zebulon about https://example.org/secret")
    g.entities.relate("Zebulon", "knows", "Caroline", source=gone)
    assert names(g.entities.list("Zebulon"))
    g.forget(gone, reason="asked for")
    assert g.entities.list("Zebulon") == []
    assert g.episodes.find(url="secret") == []
    assert g.entities.relations() == []
    assert names(g.entities.of(kept)) == ["Caroline"]


def test_a_fact_whose_words_change_names_what_they_name_now(g):
    old = g.learn("The keeper of the light is Ishmael")
    assert names(g.entities.of(old)) == ["Ishmael"]
    g.sleep()
    assert names(g.entities.list("Ishmael")) == ["Ishmael"]


def test_rebuild_reads_every_text_again_and_keeps_what_callers_said(g):
    g.remember([{"role": "user", "name": "Melanie", "content": "Hi from Lisbon, where I met Ada"}])
    g.entities.merge("Melanie", ["Mel"])
    before = g.entities.list()
    g.maintenance.rebuild()
    assert g.entities.list() == before


def test_triples_hold_from_one_tick_to_another(g):
    g.remember("start", tick=10)
    g.entities.relate("Mira", "lives in", "Lisbon", valid_from=10)
    g.entities.relate("Mira", "lives in", "Porto", valid_from=50, replaces=True)
    g.entities.relate("Mira", "likes", "jazz", valid_from=10)

    def homes(tick):
        return [found.object for found in g.entities.relations("mira", predicate="lives in", as_of=tick)]

    assert (homes(9), homes(10), homes(49), homes(50)) == ([], ["Lisbon"], ["Lisbon"], ["Porto"])
    assert {found.object for found in g.entities.relations("Mira")} == {"Lisbon", "jazz"}
    assert len(g.entities.relations("Mira", every=True)) == 3
    with pytest.raises(InvalidInputError, match="exclude"):
        g.entities.relations("Mira", every=True, as_of=10)
    with pytest.raises(InvalidInputError):
        g.entities.relate("Mira", "likes", "tea", valid_from=5, valid_to=5)
    with pytest.raises(InvalidInputError):
        g.entities.relate("Mira", "likes", "tea", confidence=2.0)
    with pytest.raises(InvalidInputError):
        g.entities.relate("Mira", "", "tea")


def test_causal_links_are_triples_as_long_as_their_fact_holds(g):
    payload = {
        "type": "causal_link",
        "cause": "oracle update",
        "effect": "liquidation",
        "lag_ticks": 2,
        "lift": 3.0,
    }
    fact = g.learn(
        Fact("Liquidations follow oracle updates", kind="causal_link", payload={**payload, "p_value": 0.01})
    )
    (triple,) = g.entities.relations("Oracle Update")
    assert (triple.predicate, triple.object, triple.source) == ("causes", "liquidation", fact.id)


@settings(max_examples=30, deadline=None)
@given(texts=st.lists(st.text(max_size=80), min_size=1, max_size=4))
def test_any_text_can_be_read(tmp_path_factory, texts):
    with bardo.open(tmp_path_factory.mktemp("any") / "agent", embedder=shape_vectors, seed=3) as g:
        g.remember([text + " x" for text in texts])
        for entity in g.entities.list():
            assert g.entities.list(entity.name)[0].mentions >= 1


def test_a_relation_that_is_replaced_within_a_tick_ends(g):
    g.remember("start", tick=10)
    g.entities.relate("Mira", "works for", "Acme")
    g.entities.relate("Mira", "works for", "Bolt", replaces=True)
    assert [found.object for found in g.entities.relations("Mira")] == ["Bolt"]
    ended = {found.object: found.valid_to for found in g.entities.relations("Mira", every=True)}
    assert ended == {"Bolt": None, "Acme": 10}
