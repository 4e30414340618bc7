"""Open questions cross a death, are the heir's own to answer, and cross again."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.consolidate.lint import Gap
from bardo.ports import ManualClock
from helpers.models import letters

OTHERS = ("Apples ripen in autumn", "Boats need varnish", "Clocks drift", "Drums echo", "Eels migrate")


OPTIONS = {"clock": ManualClock(1_700_000_000_000_000), "seed": 1, "embedder": letters(512)}


def by_kind(grimoire: bardo.Grimoire) -> dict[str, Gap]:
    return {gap.kind: gap for gap in grimoire.curator.gaps()}


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """Testament of an agent with one question of each sort, all confirmed but one."""
    with bardo.open(tmp_path / "ann", **OPTIONS) as ann:
        ann.learn([*OTHERS, "The oracle updates every minute"], tick=1, confidence=0.9)
        one = ann.learn("Gas is cheapest before noon", confidence=0.9)
        other = ann.learn("Miners rest at midday", confidence=0.9)
        ann.learn("When the bridge is slow, wait", kind="heuristic", confidence=0.9)
        ann.facts.link(one, other, "contradicts")
        ann.remember([f"the {n}th vault was filled by Zanzibar Keeper" for n in range(6)])
        for _ in range(2):
            ann.recall("xylophone quorum?")
        for tick in (50, 90):
            ann.tick(tick)
            ann.sleep()
            ann.curator.lint()
        assert {gap.kind for gap in ann.curator.gaps()} >= {
            "contradiction",
            "untried",
            "unknown",
            "unanswered",
        }
        testament = ann.bequeath(tmp_path / "ann.testament")
        assert set(testament.questions) == {gap.question for gap in ann.curator.gaps()}
        assert "Open question: " in testament.reflection
    return tmp_path / "ann.testament"


def test_an_heir_has_the_open_questions_as_its_own_and_marked(tmp_path: Path, left: Path) -> None:
    with bardo.inherit(left, tmp_path / "ben", **OPTIONS) as ben:
        gaps = by_kind(ben)
        assert set(gaps) == {"contradiction", "untried", "unknown", "unanswered"}
        for gap in gaps.values():
            assert (gap.inherited, gap.origin, gap.generation, gap.confirmed) == (True, "ann", 1, True)
        assert ben.lineage.inheritance is not None
        assert ben.lineage.inheritance.questions == len(ben.curator.gaps())
        assert [ben.facts.get(id_).text for id_ in gaps["untried"].facts] == ["When the bridge is slow, wait"]
        before = {gap.question for gap in ben.curator.gaps()}
        ben.curator.lint()
        assert {gap.question for gap in ben.curator.gaps() if gap.inherited} == before
        assert sum(gap.kind == "contradiction" for gap in ben.curator.gaps()) == 1


def test_the_heirs_lint_closes_each_question_that_the_heir_answered(tmp_path: Path, left: Path) -> None:
    with bardo.inherit(left, tmp_path / "ben", **OPTIONS) as ben:
        gaps = by_kind(ben)
        ben.learn("Zanzibar Keeper fills vaults for a fee", subjects=["Zanzibar Keeper"])
        ben.curator.lint()
        assert set(by_kind(ben)) == set(gaps) - {"unknown"}
        ben.remember("the xylophone has a quorum of three")
        ben.curator.lint()
        assert set(by_kind(ben)) == set(gaps) - {"unknown", "unanswered"}
        prompt = ben.recall("bridge is slow, wait", layers=("fact",))
        ben.outcome(prompt, value=0.5)
        ben.facts.contradict(*gaps["contradiction"].facts)
        ben.curator.lint()
        assert not {"contradiction"} & {gap.kind for gap in ben.curator.gaps() if gap.inherited}
        assert gaps["untried"].question not in {gap.question for gap in ben.curator.gaps()}


def test_an_inherited_memory_alone_answers_no_inherited_question(tmp_path: Path) -> None:
    # The last pass of her life would find the answer that she learned after the lint.
    with bardo.open(tmp_path / "ann", **OPTIONS, config={"lint": {"every_days": 0}}) as ann:
        ann.learn([*OTHERS], tick=1, confidence=0.9)
        for _ in range(2):
            ann.recall("xylophone quorum?")
        ann.curator.lint()
        ann.learn("xylophone quorum", confidence=0.9)
        ann.bequeath(tmp_path / "ann.testament")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", **OPTIONS) as ben:
        ben.curator.lint()
        assert [gap.question for gap in ben.curator.gaps()] == ["xylophone quorum?"]
        ben.remember("a xylophone quorum is three")
        ben.curator.lint()
        assert ben.curator.gaps() == []


def test_a_grandchild_has_the_unanswered_questions(tmp_path: Path, left: Path) -> None:
    with bardo.inherit(left, tmp_path / "ben", **OPTIONS) as ben:
        ben.learn("Zanzibar Keeper fills vaults for a fee", subjects=["Zanzibar Keeper"])
        ben.bequeath(tmp_path / "ben.testament")
    with bardo.inherit(tmp_path / "ben.testament", tmp_path / "cat", **OPTIONS) as cat:
        found = {gap.question: gap for gap in cat.curator.gaps()}
        assert found["xylophone quorum?"].origin == "ann"
        assert found["xylophone quorum?"].generation == 2
        assert "What is known of Zanzibar Keeper?" not in found
        assert any("Which holds" in question for question in found)


def test_inheriting_questions_twice_changes_nothing_and_room_is_bounded(tmp_path: Path) -> None:
    files = []
    for parent in range(4):
        with bardo.open(tmp_path / f"p{parent}", **OPTIONS) as grimoire:
            grimoire.learn([*OTHERS], tick=1)
            for number in range(8):
                for _ in range(2):
                    grimoire.recall(f"zyx{parent}q{number}wv?")
            grimoire.curator.lint()
            grimoire.bequeath(tmp_path / f"p{parent}.testament")
            files.append(tmp_path / f"p{parent}.testament")
    with bardo.inherit(files[0], tmp_path / "heir", **OPTIONS) as heir:
        assert len(heir.curator.gaps()) == 8
        heir.lineage.adopt([bardo.bequeath.testament.testament.read(file) for file in files])
        assert len(heir.curator.gaps()) == 20
        assert heir.lineage.inheritance is not None
        assert any("had no room" in note for note in heir.lineage.inheritance.notes)


def test_a_question_goes_when_what_it_names_is_forgotten(tmp_path: Path, left: Path) -> None:
    with bardo.inherit(left, tmp_path / "ben", **OPTIONS) as ben:
        seen = ben.remember("once more Zanzibar Keeper came")
        ben.forget(seen, reason="asked for")
        assert "unknown" not in by_kind(ben)
        (unanswered,) = (gap for gap in ben.curator.gaps() if gap.kind == "unanswered")
        report = ben.forget(unanswered, reason="asked for")
        assert report.questions == 1
        assert "unanswered" not in by_kind(ben)
        ben.curator.lint()
        assert "unanswered" not in by_kind(ben)
