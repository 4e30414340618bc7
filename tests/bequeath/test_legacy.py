"""A whole life on real stores, from the first episode to the heir of the heir."""

from __future__ import annotations

import pytest
from estate import NOW

import bardo
from bardo import _core, errors
from bardo.bequeath.death_journal import DeathRecord
from bardo.bequeath.family.family import FamilyTree
from bardo.bequeath.heir.inherit import adopt
from bardo.bequeath.legacy import leave
from bardo.bequeath.lineage import Lineage, is_dead
from bardo.bequeath.testament import testament
from bardo.clock import day_of
from bardo.config import Bequeath
from bardo.model import Episode, Fact


def born(folder):
    folder.mkdir()
    log = _core.EpisodeLog(folder / "episodes.redb", agent=folder.name, seed=1, now=NOW)
    return log, _core.FactStore(folder / "facts.db", agent=folder.name, seed=1, now=NOW)


def die(folder, log, facts, tick):
    path = folder.parent / f"{folder.name}.testament"
    written = leave(
        path,
        folder=folder,
        log=log,
        facts=facts,
        config=Bequeath(),
        tick=tick,
        now=NOW,
        record=DeathRecord("reflect", "age"),
    )
    log.close()
    return written


def test_three_generations_hand_down_what_each_confirmed(tmp_path):
    left, folders = None, [tmp_path / name for name in ("ann", "ben", "cat")]
    for number, folder in enumerate(folders):
        log, facts = born(folder)
        if left is not None:
            report = adopt(testament.read(left.path), facts, tick=0, now=NOW, folder=folder, log=log)
            assert report.adopted == 2
            assert report.episodes == number
        (recorded,) = log.record(
            [Episode(text=f"Oracle lagged in life {number}", tick=1, kind="outcome", payload={"value": 1})],
            now=NOW,
        )
        log.verify([(recorded.id, 0.9)])
        facts.upsert(
            [Fact(text="Wait two blocks after the oracle", kind="heuristic", confidence=0.9, support=4)],
            tick=2,
            now=NOW,
        )
        if number == 0:
            facts.upsert(
                [Fact(text="Never chase a falling pool", kind="anti_knowledge", confidence=0.9)],
                tick=2,
                now=NOW,
            )
        left = die(folder, log, facts, 9)
        facts.close()
        assert {fact.text: fact.generation for fact in left.facts} == {
            "Wait two blocks after the oracle": 0,
            "Never chase a falling pool": number,
        }
        assert [episode.text for episode in left.episodes] == [
            f"Oracle lagged in life {life}" for life in range(number, -1, -1)
        ]
        assert f"It ended well on 14 November 2023: Oracle lagged in life {number}" in left.reflection
        # The episodes that came with a testament are another life's.
        assert "I recorded 1 episode, 1 verified, and learned" in left.reflection
        stone = is_dead(folder)
        assert stone is not None
        assert stone.testament == left.hash
    tree = FamilyTree.of(lineage for folder in folders if (lineage := Lineage.load(folder)))
    assert [(life.agent, life.generation, life.cause) for life in tree.lives] == [
        ("ann", 0, "age"),
        ("ben", 1, "age"),
        ("cat", 2, "age"),
    ]
    assert [life.agent for life in left.lineage.ancestors] == ["ben", "ann"]


def test_a_testament_is_written_over_nothing_and_the_agent_lives_on(tmp_path, minilm):
    left = tmp_path / "left.testament"
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.remember("the vault opens at noon")
        ann.bequeath(left)
    (tmp_path / "notes.md").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = left.read_bytes()
    with bardo.open(tmp_path / "ben", embedder=minilm) as ben:
        ben.remember("gas doubles on Mondays")
        for name in ("left.testament", "notes.md", "dangling", "ann"):
            with pytest.raises(errors.InvalidInputError, match="Choose another path"):
                ben.bequeath(tmp_path / name)
        assert not ben.lineage.is_dead
        ben.remember("and on Tuesdays")
    assert left.read_bytes() == before
    assert (tmp_path / "notes.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["left.testament", "other.testament"])
def test_a_second_testament_of_a_life_says_that_it_replaces_the_first(tmp_path, minilm, name):
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.learn("The vault opens at noon", confidence=0.9)
        first = ann.bequeath(tmp_path / "left.testament")
    (tmp_path / "first.testament").write_bytes(first.path.read_bytes())
    (tmp_path / "ann" / "tombstone.json").unlink()
    with bardo.open(tmp_path / "ann", embedder=minilm) as again:
        second = again.bequeath(tmp_path / name, cause="age")
    assert second.replaces == (first.hash,)
    assert testament.read(second.path).replaces == (first.hash,)
    files = [tmp_path / "first.testament", second.path]
    for number, order in enumerate((files, files[::-1], files[1:], files[:1])):
        with bardo.inherit(order, tmp_path / f"heir {number}", embedder=minilm) as heir:
            heir.lineage.adopt([testament.read(file) for file in files])
            life = Lineage.load(heir.path).life
            assert [(one.agent, one.testament) for one in life.parents] == [("ann", second.hash)]
            assert life.parents[0].replaced == (first.hash,)
            assert len(heir.facts.list()) == 1


def test_inheritance_of_no_testament_is_refused(tmp_path, minilm):
    with pytest.raises(errors.InvalidInputError, match="no testament"):
        bardo.inherit([], tmp_path / "heir", embedder=minilm)
    assert not (tmp_path / "heir").exists()


def test_a_testament_counts_the_episodes_that_stay_behind(tmp_path):
    log, facts = born(tmp_path / "ann")
    routine = [
        Episode(f"health check of billing ok in {number * 7} ms", tick=number) for number in range(1, 61)
    ]
    told = Episode("We decided to move the ledger to host ledger-7.internal:5433", role="user", tick=61)
    log.record([*routine, told], now=NOW)
    left = die(tmp_path / "ann", log, facts, 99)
    facts.close()
    assert [episode.text for episode in left.episodes] == [told.text]
    assert left.left_out["episode_routine"] == len(routine)


@pytest.mark.parametrize("recorded", ["episode", "fact", "nothing"])
def test_a_life_begins_with_its_first_record_of_any_kind(tmp_path, minilm, recorded):
    clock = bardo.ManualClock(NOW)
    born = clock.now()
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as g:
        if recorded == "episode":
            g.remember("The venue closed")
        elif recorded == "fact":
            g.learn("Batches over 500 items time out", kind="warning")
        clock.advance(3 * 86_400)
        died = clock.now()
        left = g.bequeath(tmp_path / "ann.testament", cause="economic")
    days = dict.fromkeys(day_of(at) for at in (died if recorded == "nothing" else born, died))
    assert f"Generation 0, {' to '.join(days)}. Cause" in left.reflection


def test_a_life_that_inherits_later_began_with_its_own_first_record(tmp_path, minilm):
    clock = bardo.ManualClock(NOW)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        ann.learn("Batches over 500 items time out", kind="warning")
        ann.bequeath(tmp_path / "ann.testament", cause="age")
    with bardo.open(tmp_path / "ben", embedder=minilm, clock=clock) as ben:
        tick = ben.facts.get(ben.learn("Deploys go to staging").id).created_tick
        clock.advance(3 * 86_400)
        ben.lineage.adopt(tmp_path / "ann.testament", allow="*")
        assert Lineage.load(ben.path).life.birth_tick == tick
