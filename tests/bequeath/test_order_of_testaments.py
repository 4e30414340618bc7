"""The order in which testaments are passed makes no difference: the same facts, and the same conduct."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bardo
from bardo.bequeath.testament import testament

SUBJECT, ATTRIBUTE = "billing-relay", "timeout"
IDEA, TASK = "ship parcels by night train", "order new crates from Lorenz"
BELIEF = "Vinegar scares off the martens"
NAMES = ("ann", "ben", "cat", "dan", "eve", "fay", "gus")


def apart(texts: list[str]) -> np.ndarray:
    """Vectors that are far from each other for different texts."""
    rows = [np.random.default_rng(sum(text.casefold().encode())).normal(size=16) for text in texts]
    return np.array(rows, dtype=np.float32)


@pytest.fixture(scope="module")
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_780_000_000_000_000)


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory, clock: bardo.ManualClock) -> Path:
    """Testaments of a founder (ann), two heirs (ben, dan), heirs of these (cat, eve), and others (fay, gus)."""
    root = tmp_path_factory.mktemp("family")
    options: dict[str, Any] = {
        "clock": clock,
        "embedder": apart,
        "config": {"curator": {"texts": False}, "decay": {"spacing_ticks": 1}},
    }

    def live(name: str, *parents: str) -> bardo.Grimoire:
        clock.advance(86_400)
        paths = [root / f"{one}.testament" for one in parents]
        return bardo.inherit(paths, root / name, **options) if paths else bardo.open(root / name, **options)

    def die(agent: bardo.Grimoire, name: str) -> None:
        clock.advance(86_400)
        agent.bequeath(root / f"{name}.testament")

    def said(agent: bardo.Grimoire, value: str) -> None:
        clock.advance(86_400)
        agent.learn(subject=SUBJECT, attribute=ATTRIBUTE, value=value, confidence=0.9)

    with live("ann") as ann, bardo.gate(root / "ann", clock=clock, words_only=True) as gate:
        said(ann, "30 s")
        ann.learn(BELIEF, kind="heuristic", confidence=0.8)
        gate.reject(IDEA, by="Imke")
        gate.note("task", TASK)
        die(ann, "ann")
    with live("ben", "ann") as ben, bardo.gate(root / "ben", clock=clock, words_only=True) as gate:
        said(ben, "45 s")
        for _ in range(12):
            clock.advance(3_600)
            ben.outcome(ben.recall(BELIEF, limit=1, layers=["fact"]), value=-1)
        gate.lift(gate.state("rejected")[0].id, by="Imke")
        gate.finish(gate.state("task")[0].id, by="Jonas")
        die(ben, "ben")
    with live("cat", "ben") as cat:
        # A belief that an ancestor ended is in force again by a second statement of the agent's own.
        with pytest.warns(bardo.errors.BardoWarning, match="were refuted before"):
            said(cat, "30 s")
        said(cat, "30 s")
        die(cat, "cat")
    with live("dan", "ann") as dan:
        for _ in range(4):
            clock.advance(86_400)
            dan.outcome(dan.recall(BELIEF, limit=1, layers=["fact"]), value=1)
        die(dan, "dan")
    with live("eve", "ben", "dan") as eve:
        eve.learn("Ferries leave at eleven", subjects=["ferry"], confidence=0.9)
        die(eve, "eve")
    with live("fay") as fay, bardo.gate(root / "fay", clock=clock, words_only=True) as gate:
        said(fay, "60 s")
        gate.reject(IDEA, by="Olga")
        die(fay, "fay")
    with live("gus") as gus:
        said(gus, "30 s")
        said(gus, "90 s")
        die(gus, "gus")
    return root


def heir_of(root: Path, names: list[str], folder: Path, clock: bardo.ManualClock) -> dict[str, Any]:
    """Facts and conduct of an heir, without what differs by chance: ids of entries made for it."""
    paths = [root / f"{name}.testament" for name in names]
    with (
        bardo.inherit(paths, folder, clock=clock, embedder=apart, seed=3) as heir,
        bardo.gate(folder, clock=clock, words_only=True) as gate,
    ):
        facts = [
            (
                fact.text, fact.status, fact.ended_by, fact.generation, fact.origin, fact.expires_tick,
                round(heir.facts.confidence(fact), 6), fact.statement, heir.facts.why(fact).bad,
            )
            for fact in heir.facts.list(status=None)
        ]  # fmt: skip
        conduct = [
            (entry.kind, entry.summary, entry.status, entry.by, entry.closed_by, entry.at)
            for entry in gate.state(every=True)
        ]
        told = [(one.text, one.kind, one.payload) for one in heir.episodes.list(limit=999)]
    return {"facts": sorted(facts, key=repr), "conduct": sorted(conduct), "episodes": sorted(told, key=repr)}


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_any_order_of_testaments_gives_the_same_heir(
    tmp_path_factory: pytest.TempPathFactory, family: Path, clock: bardo.ManualClock, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    other = data.draw(st.permutations(names))
    root = tmp_path_factory.mktemp("heirs")
    one, two = (
        heir_of(family, given_, root / place, clock) for given_, place in ((names, "a"), (other, "b"))
    )
    assert one == two


def values_of(heir: bardo.Grimoire) -> list[str]:
    return sorted(
        fact.statement.value
        for fact in heir.facts.list()
        if fact.statement and fact.statement.subject == SUBJECT
    )


@pytest.mark.parametrize("names", [["ann", "ben"], ["ben", "ann"], ["ann", "ben", "dan"]])
def test_a_value_that_one_parent_ended_is_not_in_force(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    with bardo.inherit(
        [family / f"{name}.testament" for name in names], tmp_path / "heir", clock=clock, embedder=apart
    ) as heir:
        assert values_of(heir) == ["45 s"]
        assert BELIEF not in [fact.text for fact in heir.facts.list()]


@pytest.mark.parametrize("names", [["ann", "ben"], ["ben", "ann"]])
def test_a_testament_adopted_later_ends_what_another_held(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    first, second = (family / f"{name}.testament" for name in names)
    with bardo.inherit(first, tmp_path / "heir", clock=clock, embedder=apart) as heir:
        heir.lineage.adopt(second)
        assert values_of(heir) == ["45 s"]


@pytest.mark.parametrize("names", [["cat"], ["ben", "cat"], ["cat", "ben"], ["ann", "ben", "cat"]])
def test_a_value_that_a_descendant_held_again_is_in_force(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    crossed = testament.read(family / "cat.testament")
    assert "30 s" in [
        one.statement.value for one in crossed.facts if one.statement and one.status == "active"
    ]
    with bardo.inherit(
        [family / f"{name}.testament" for name in names], tmp_path / "heir", clock=clock, embedder=apart
    ) as heir:
        assert values_of(heir) == ["30 s"]


@pytest.mark.parametrize("names", [["eve", "cat"], ["ben", "eve", "cat"], ["cat", "dan", "eve", "ben"]])
def test_evidence_of_one_heir_counts_more_than_what_another_only_inherited(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    paths = [family / f"{name}.testament" for name in names]
    with bardo.inherit(paths, tmp_path / "heir", clock=clock, embedder=apart) as heir:
        assert values_of(heir) == ["30 s"]


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_testaments_give_the_same_beliefs_in_separate_calls(
    tmp_path_factory: pytest.TempPathFactory, family: Path, clock: bardo.ManualClock, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True))
    assert_same_in_separate_calls(names, family, tmp_path_factory.mktemp("heirs"), clock)


@pytest.mark.parametrize("names", [["ben", "eve", "cat"], ["dan", "ben", "eve", "cat"]])
def test_testaments_of_two_branches_give_the_same_beliefs_in_separate_calls(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    """Heirs of one testator (ben), of whom one held again what he ended, and the other did not."""
    assert_same_in_separate_calls(names, family, tmp_path, clock)


def beliefs_of(heir: bardo.Grimoire) -> dict[str, bool]:
    """Whether a belief is in force, by its text."""
    active = {fact.text for fact in heir.facts.list()}
    return {fact.text: fact.text in active for fact in heir.facts.list(status=None)}


def assert_same_in_separate_calls(
    names: Sequence[str], family: Path, root: Path, clock: bardo.ManualClock
) -> None:
    first, *later = [family / f"{name}.testament" for name in names]
    with bardo.inherit([first, *later], root / "a", clock=clock, embedder=apart) as heir:
        together = beliefs_of(heir)
    with bardo.inherit(first, root / "b", clock=clock, embedder=apart) as heir:
        for path in later:
            heir.lineage.adopt(path)
        assert beliefs_of(heir) == together


@pytest.mark.parametrize("names", [["ben", "cat"], ["ben", "dan", "cat"]])
def test_a_value_that_a_descendant_held_again_is_found_after_separate_calls(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    first, *later = [family / f"{name}.testament" for name in names]
    with bardo.inherit(first, tmp_path / "heir", clock=clock, embedder=apart) as heir:
        for path in later:
            heir.lineage.adopt(path)
            heir.lineage.adopt(path)
        assert values_of(heir) == ["30 s"]
        held = [one for one in heir.recall(f"{SUBJECT} {ATTRIBUTE}") if not one.outdated]
        assert "30 s" in held[0].text
    with bardo.open(tmp_path / "heir", clock=clock, embedder=apart) as heir:
        assert values_of(heir) == ["30 s"]


def test_an_unknown_signer_ends_nothing_that_a_known_one_holds(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben = testament.read(family / "ben.testament")
    monkeypatch.setattr(
        "bardo.bequeath.testament.trust.unknown_signers", lambda *_, **__: frozenset({ben.hash})
    )
    for name, order in (("a", ["ann", "ben"]), ("b", ["ben", "ann"])):
        paths = [family / f"{one}.testament" for one in order]
        with bardo.inherit(paths, tmp_path / name, clock=clock, embedder=apart, allow=ben.signer) as heir:
            assert values_of(heir) == ["30 s"]
            assert BELIEF in [fact.text for fact in heir.facts.list()]


@pytest.mark.parametrize("names", [["ann", "fay"], ["fay", "ann"], ["gus", "fay"], ["fay", "gus"]])
def test_of_two_values_the_later_testament_counts(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    paths = [family / f"{one}.testament" for one in names]
    with bardo.inherit(paths, tmp_path / "heir", clock=clock, embedder=apart) as heir:
        assert values_of(heir) == ["90 s" if "gus" in names else "60 s"]


@pytest.mark.parametrize("names", [["fay", "ann"], ["fay", "dan", "ben"], ["gus", "ben"], ["ann", "fay"]])
def test_a_testament_written_earlier_and_adopted_later_ends_no_later_value(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, names: list[str]
) -> None:
    first, *later = [family / f"{name}.testament" for name in names]
    with bardo.inherit(first, tmp_path / "heir", clock=clock, embedder=apart) as heir:
        for path in later:
            heir.lineage.adopt(path)
        assert values_of(heir) == ["90 s" if "gus" in names else "60 s"]


def test_a_value_of_the_heir_itself_stands_whatever_is_adopted(
    tmp_path: Path, family: Path, clock: bardo.ManualClock
) -> None:
    with bardo.inherit(family / "fay.testament", tmp_path / "heir", clock=clock, embedder=apart) as heir:
        heir.learn(subject=SUBJECT, attribute=ATTRIBUTE, value="75 s", confidence=0.9)
        heir.lineage.adopt(family / "ann.testament")
        assert "60 s" not in values_of(heir)
        assert "75 s" in values_of(heir)


def test_a_belief_that_the_heir_refuted_stays_refuted_whatever_is_adopted(
    tmp_path: Path, family: Path, clock: bardo.ManualClock
) -> None:
    with bardo.inherit(family / "ann.testament", tmp_path / "heir", clock=clock, embedder=apart) as heir:
        assert beliefs_of(heir)[BELIEF]
        for _ in range(12):
            clock.advance(3_600)
            heir.outcome(heir.recall(BELIEF, limit=1, layers=["fact"]), value=-1)
        assert not beliefs_of(heir)[BELIEF]
        heir.lineage.adopt(family / "dan.testament")
        assert not beliefs_of(heir)[BELIEF]


def test_a_note_names_a_testament_whose_copy_cannot_be_read(
    tmp_path: Path, family: Path, clock: bardo.ManualClock
) -> None:
    with bardo.inherit(family / "ben.testament", tmp_path / "heir", clock=clock, embedder=apart) as heir:
        (copy,) = (tmp_path / "heir" / "testaments").glob("*.testament")
        copy.write_bytes(b"damaged")
        report = heir.lineage.adopt(family / "cat.testament")
        assert any("ben cannot be read" in note for note in report.notes)


def test_an_adoption_that_was_killed_half_way_is_completed_by_the_next(
    tmp_path: Path, family: Path, clock: bardo.ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bardo.inherit(
        [family / f"{name}.testament" for name in ("ben", "eve", "cat")],
        tmp_path / "whole",
        clock=clock,
        embedder=apart,
    ) as heir:
        whole = beliefs_of(heir)
    with bardo.inherit(family / "ben.testament", tmp_path / "heir", clock=clock, embedder=apart) as heir:
        heir.lineage.adopt(family / "eve.testament")
        with monkeypatch.context() as patched:
            patched.setattr("bardo.bequeath.heir.together.Together.restore", _killed)
            with pytest.raises(KeyboardInterrupt):
                heir.lineage.adopt(family / "cat.testament")
        assert beliefs_of(heir) != whole
        heir.lineage.adopt(family / "cat.testament")
        assert beliefs_of(heir) == whole
    assert not (tmp_path / "heir" / "testaments" / "unfinished.json").exists()


def _killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
