"""Heirs re-read inherited episodes against their own rules: these may test, and count for nothing."""

from __future__ import annotations

import random

import pytest

import bardo
from bardo.bequeath.heir import replay

CONFIG = {"clock": {"unit": "loops"}, "curator": {"outcomes": ["reward"], "every_ticks": 64, "shadow": False}}
TREND = "trend"


def letters(texts: list[str]) -> list[list[float]]:
    return [[text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnop"] for text in texts]


def live(g, sign: float, *, ticks: int, seed: int) -> None:
    """Decisions whose reward is higher by `sign` under an upward trend."""
    rng = random.Random(seed)
    for tick in range(1, ticks + 1):
        trend = rng.choice(["up", "down"])
        reward = sign * (1.0 if trend == "up" else -1.0) + rng.gauss(0.0, 0.7)
        g.remember(
            f"Decision {tick} of {seed}: bought while the trend was {trend}, because signal {rng.random():.6f} asked.",
            tick=tick, subjects=["eth"], payload={TREND: trend, "reward": round(reward, 4)}, verified=True,
            importance=0.9,
        )  # fmt: skip
        g.tick(tick)


@pytest.fixture(scope="module")
def elders(tmp_path_factory):
    """Two parents: under one the trend pays, under the other it costs. They leave no rules."""
    root = tmp_path_factory.mktemp("elders")
    for name, sign in (("same", 1.0), ("other", -1.0)):
        config = CONFIG | {"curator": CONFIG["curator"] | {"outcomes": ["absent"]}}
        with bardo.open(root / name, config=config, embedder=letters, seed=1) as g:
            live(g, sign, ticks=200, seed=11)
            left = g.bequeath(root / f"{name}.testament")
        assert sum(TREND in (episode.payload or {}) for episode in left.episodes) >= 64
        assert not any(fact.kind == "heuristic" for fact in left.facts)
    return root


def heir(elders, tmp_path, name: str):
    return bardo.inherit(
        elders / f"{name}.testament", tmp_path / name, config=CONFIG, embedder=letters, seed=5, agent="heir"
    )


def knowledge(g) -> list[tuple]:
    """Everything that own evidence moves."""
    found = []
    for fact in g.facts.list(status=None):
        if fact.source != "testament":
            why = g.facts.why(fact)
            found.append(
                (fact.text, fact.status, fact.support, round(fact.confidence, 9), why.good, why.bad, why.confirmed,
                 len(fact.evidence))
            )  # fmt: skip
    return sorted(found)


def test_ancestors_who_lived_otherwise_speak_against_an_own_rule(elders, tmp_path):
    reports = []
    with heir(elders, tmp_path, "other") as g:
        g.on(bardo.CuratorCycleComplete, reports.append)
        live(g, 1.0, ticks=512, seed=2)
        own = {fact.id: fact for fact in g.facts.list(kind="heuristic") if fact.source == "self"}
        assert own, "the heir found the rule of its own life"
        against = {id_ for report in reports for id_ in report.rules_against}
        assert against
        assert against & set(own)
        notes = [note for report in reports for note in report.notes if "speak against the own rule" in note]
        assert notes
        assert "that same" not in notes[0]
        assert "that other lived" in notes[0]
        # No rule is tested twice on the same episodes, though passes go on.
        tested = [id_ for report in reports for id_ in report.rules_against]
        assert len(tested) == len(set(tested))
        assert g.sleep().inherited_reread == 0


def test_ancestors_who_lived_alike_agree_and_nothing_is_counted(elders, tmp_path):
    with heir(elders, tmp_path, "same") as g:
        reports = []
        g.on(bardo.CuratorCycleComplete, reports.append)
        live(g, 1.0, ticks=512, seed=2)
        assert sum(report.inherited_reread for report in reports) > 0
        assert not any(report.rules_against for report in reports)
        verdicts = [
            verdict for batch in replay._load(g.path).values() for _, verdict in batch["rules"].values()
        ]
        assert "agrees" in verdicts


def test_an_inherited_episode_never_counts_as_own_evidence(elders, tmp_path):
    known = {}
    for name in ("same", "other", "alone"):
        opened = (
            bardo.open(tmp_path / "alone", config=CONFIG, embedder=letters, seed=5, agent="heir")
            if name == "alone"
            else heir(elders, tmp_path, name)
        )
        with opened as g:
            live(g, 1.0, ticks=400, seed=2)
            g.sleep()
            inherited = {episode.id for episode in g.episodes.list() if episode.kind == "inherited"}
            assert bool(inherited) == (name != "alone")
            for fact in g.facts.list(status=None):
                if fact.source != "testament":
                    assert inherited.isdisjoint(fact.evidence), fact.text
            known[name] = [one for one in knowledge(g) if "trend" in one[0] and one[0].startswith("When")]
    assert known["alone"]
    assert known["same"] == known["other"] == known["alone"]


def test_an_episode_that_two_testaments_bring_is_replayed_once(tmp_path):
    (tmp_path / "testaments").mkdir()
    replay.note_episodes(tmp_path, "one", ["a", "b"])
    replay.note_episodes(tmp_path, "two", ["b", "c"])
    replay.note_episodes(tmp_path, "one", ["z"])
    replay.note_episodes(tmp_path, "three", ["a", "c"])
    assert {name: batch["episodes"] for name, batch in replay._load(tmp_path).items()} == {
        "one": ["a", "b"], "two": ["c"]
    }  # fmt: skip
