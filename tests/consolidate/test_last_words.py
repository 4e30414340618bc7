"""An agent near its death reads first what has no other copy and matters most, if a pass does not reach all."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import bardo
from bardo.bequeath.selection import unsaved
from bardo.errors import BardoWarning
from bardo.index.embedding import embedders
from bardo.ports import ManualClock

#: Episodes of a pass.
BATCH = 4


def living(
    folder: Path, minilm: embedders.TextEmbedder, *, spent: float, language: str = ""
) -> bardo.Grimoire:
    config = {
        "clock": {"unit": "loops"},
        "curator": {"language": language, "batch": BATCH, "every_ticks": 1, "shadow": False},
        "life": {"budget": 100.0},
    }
    g = bardo.open(folder / "a", embedder=minilm, config=config, seed=1)
    g.life.spend(spent)
    return g


def said(g: bardo.Grimoire, text: str, tick: int, importance: float | None = None) -> bardo.Episode:
    (kept,) = g.remember(
        [bardo.Episode(text, tick=tick, role="user", kind="turn", speaker="Mira", importance=importance)]
    )
    return kept


def texts(g: bardo.Grimoire) -> set[str]:
    return {fact.text for fact in g.facts.list()}


def talk(g: bardo.Grimoire) -> None:
    for number in range(1, 13):
        said(g, f"I collect vintage radios of type {number}.", number)
    said(g, "I am allergic to peanuts.", 13, importance=0.9)


@pytest.mark.parametrize(("spent", "first"), [(0.0, False), (93.0, True)], ids=["thriving", "terminal"])
def test_a_dying_agent_reads_first_what_matters_most(tmp_path, minilm, spent, first):
    with living(tmp_path, minilm, spent=spent) as g:
        talk(g)
        g.tick(20)
        assert ("Mira is allergic to peanuts" in texts(g)) == first
        assert len(texts(g)) == BATCH


def test_every_episode_is_read_once_in_whatever_order(tmp_path, minilm):
    with (
        living(tmp_path / "dying", minilm, spent=93.0) as dying,
        living(tmp_path / "well", minilm, spent=0.0) as well,
    ):
        for g in (dying, well):
            talk(g)
            for tick in range(20, 30):
                g.tick(tick)
            said(g, "I live in Bern with two cats.", 31)
            g.sleep()
        known = [
            {(fact.text, fact.support, len(fact.evidence)) for fact in g.facts.list()} for g in (dying, well)
        ]
        assert known[0] == known[1]
        assert len(known[0]) == 14


def test_a_correction_holds_though_it_was_read_before_what_it_corrects(tmp_path, minilm):
    with living(tmp_path, minilm, spent=93.0, language="english") as g:
        said(g, "I live in Bern.", 1)
        for number in range(2, 12):
            said(g, f"I collect vintage radios of type {number}.", number)
        said(g, "I moved to Lisbon, I live in Lisbon now.", 12, importance=0.9)
        g.tick(20)
        assert any("Lisbon" in text for text in texts(g))
        g.sleep()
        now = [text for text in texts(g) if "Lisbon" in text or "Bern" in text]
        assert any("Lisbon" in text for text in now), now
        assert not any("Bern" in text for text in now), now


def test_a_death_whose_time_ends_saves_what_has_no_other_copy(tmp_path, minilm):
    """One page of four texts is read: of 42 texts those that were said once."""
    clock = ManualClock(1_772_712_000_000_000)
    config = {
        "curator": {"language": "", "batch": BATCH, "shadow": False}, "bequeath": {"seconds": 1.0},
        "clock": {"unit": "loops"},
    }  # fmt: skip
    with bardo.open(tmp_path / "a", embedder=minilm, config=config, seed=1, clock=clock) as g:
        g.learn("Mira is fond of the old harbour cranes", subjects=["cranes"])
        for number in range(1, 41):
            said(g, f"I collect vintage radios of type {number}.", number)
        said(g, "Mira is fond of the old harbour cranes", 41)
        said(g, "I am allergic to peanuts.", 42)
        with pytest.warns(BardoWarning, match="ended with 38 texts unread"):
            left = g.bequeath(
                tmp_path / "a.testament", progress=lambda step, *_: clock.advance(int(step == "distil"))
            )
    assert "Mira is allergic to peanuts" in {fact.text for fact in left.facts}
    assert any(episode.text == "I am allergic to peanuts." for episode in left.episodes)


def test_without_a_limit_of_time_the_last_consolidation_reads_all(tmp_path, minilm):
    with living(tmp_path, minilm, spent=0.0) as g, warnings.catch_warnings():
        warnings.simplefilter("error", BardoWarning)
        talk(g)
        g.bequeath(tmp_path / "a.testament")
        assert len(texts(g)) == 13


def test_texts_with_another_copy_are_worth_nothing_to_a_dying_agent(tmp_path, minilm):
    with living(tmp_path, minilm, spent=0.0) as g:
        told = [
            "The gate code of the north shed changed to AX-7731 in spring",
            "Nobody knows who owns the deploy key of staging",
            "Night ferries leave at eleven",
            "Rejected: restart the ledger during a payout",
            "Ann settled that the cellar stays dry",
        ]
        episodes = [said(g, text, tick) for tick, text in enumerate([*told, told[0].upper()], 1)]
        g.learn("Night ferries leave at eleven")
        g._session.facts.upsert(
            [bardo.Fact("The cellar is dry", evidence=(episodes[4].id,))], tick=7, now=0, actor="ann"
        )
        judge = unsaved.rank(g._session.log, g._session.facts, lambda: [told[3]])
        worths = judge(episodes)
    assert [worth > 0 for worth in worths] == [True, True, False, False, False, False]
