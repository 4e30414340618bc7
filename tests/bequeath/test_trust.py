"""Earned facts of an heir: by spaced outcomes, and by its own statistics that confirm an inherited claim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from helpers.models import letter_vectors

NOW = 1_700_000_000_000_000
RULES = "heuristic"


def opened(folder: Path) -> bardo.Grimoire:
    # Time for many windows of episodes before what was inherited has faded.
    settings = {"decay": {"tau_ticks": 5_000}}
    return bardo.open(folder, embedder=letter_vectors, clock=ManualClock(NOW), seed=1, config=settings)


def inherited(testament: Path, folder: Path) -> bardo.Grimoire:
    opened(folder).close()
    bardo.inherit(testament, folder, embedder=letter_vectors, clock=ManualClock(NOW)).close()
    heir = opened(folder)
    # Its life begins before it hears of anything.
    heir.tick(1)
    return heir


def trades(count: int, *, seed: int, gain: float) -> list[Episode]:
    """Trades that end well where momentum is high, or badly, and alarms that sirens follow."""
    draws = np.random.default_rng(seed)
    episodes = []
    for tick in range(1, count + 1):
        momentum = float(draws.normal())
        score = float(draws.normal() + gain * (momentum > 0.5))
        episodes.append(
            Episode(
                f"trade {tick}", tick=tick, kind="trade", subjects=("eth",), verified=True,
                payload={"momentum": momentum, "score": score},
            )
        )  # fmt: skip
    return episodes


def alarms(count: int, *, seed: int) -> list[Episode]:
    """Alarms at random, each followed by a siren, among other events."""
    draws = np.random.default_rng(seed)
    episodes, tick = [], 0
    while len(episodes) < count:
        tick += int(draws.integers(3, 40))
        kinds = ("alarm", "siren") if draws.random() < 0.3 else (("rain", "bird")[int(draws.integers(2))],)
        episodes += [
            Episode(f"{kind} {tick}", tick=tick + 2 * place, kind=kind, subjects=("house",), verified=True)
            for place, kind in enumerate(kinds)
        ]
    return sorted(episodes[:count], key=lambda episode: episode.tick)


def rules(grimoire: bardo.Grimoire, kind: str = RULES) -> list[Fact]:
    return [fact for fact in grimoire.facts.list() if fact.kind == kind]


def left_by(folder: Path, episodes: list[Episode]) -> Path:
    """The testament of a life of these episodes."""
    left = folder / "left.testament"
    with opened(folder / "parent") as parent:
        parent.remember(episodes)
        parent.bequeath(left)
    return left


def told(folder: Path) -> Path:
    """The testament of a life that knew one thing."""
    left = folder / "left.testament"
    with opened(folder / "parent") as parent:
        parent.learn("Wait for the night before moving gas", confidence=0.9, tick=1)
        parent.bequeath(left)
    return left


def test_spaced_outcomes_make_an_inherited_fact_the_heirs_own_and_its_heir_gets_it_as_lived(
    tmp_path: Path,
) -> None:
    with inherited(told(tmp_path), tmp_path / "heir") as heir:
        (fact,) = heir.facts.list()
        assert (fact.source, fact.generation) == ("testament", 1)
        earned: list[str] = []
        for tick in range(100, 700, 60):
            heir.tick(tick)
            report = heir.outcome(heir.recall("when to move gas?", layers=("fact",)), value=0.8)
            earned += report.earned
        (fact,) = heir.facts.list()
        assert earned == [fact.id]
        assert (fact.source, fact.generation, fact.origin) == ("self", 0, "parent")
        grounds = heir.facts.why(fact)
        assert grounds.rank in ("heuristic", "playbook")
        assert {state.fact.source for state in grounds.history} == {"testament", "self"}
        heir.bequeath(tmp_path / "again.testament")
    with inherited(tmp_path / "again.testament", tmp_path / "grandchild") as grandchild:
        (fact,) = grandchild.facts.list()
        assert (fact.source, fact.generation, fact.origin) == ("testament", 1, "parent")
        assert fact.confidence == pytest.approx(0.4 * 0.85)


def test_outcomes_that_do_harm_on_the_whole_earn_nothing(tmp_path: Path) -> None:
    with inherited(told(tmp_path), tmp_path / "heir") as heir:
        for number, tick in enumerate(range(100, 1_300, 60)):
            heir.tick(tick)
            value = 0.5 if number % 2 else -0.6
            report = heir.outcome(heir.recall("when to move gas?", layers=("fact",)), value=value)
            assert not report.earned
        (fact,) = heir.facts.list()
        assert (fact.source, fact.generation) == ("testament", 1)


def test_own_statistics_make_inherited_rules_ones_own_and_no_twin_stands_beside(tmp_path: Path) -> None:
    left = left_by(tmp_path, trades(2_048, seed=3, gain=0.9))
    with inherited(left, tmp_path / "heir") as heir:
        handed = rules(heir)
        assert handed
        assert {fact.source for fact in handed} == {"testament"}
        heir.remember(trades(2_048, seed=4, gain=0.9))
        report = heir.sleep()
        confirmed = {fact.id for fact in handed} & set(report.confirmed)
        assert confirmed
        fact = heir.facts.get(min(confirmed))
        assert (fact.source, fact.origin, fact.generation) == ("self", "parent", 0)
        assert fact.evidence
        assert {state.fact.source for state in heir.facts.history(fact)} == {"testament", "self"}
        # A rule of the heir's own that explains the same cases better may have taken its place.
        assert fact.status == "active" or heir.facts.get(fact.superseded_by or "").status == "active"
        claims = [_claim(fact) for fact in rules(heir)]
        assert len(claims) == len(set(claims)), "one claim, one fact"


def test_own_statistics_make_inherited_links_ones_own(tmp_path: Path) -> None:
    left = left_by(tmp_path, alarms(2_048, seed=5))
    with inherited(left, tmp_path / "heir") as heir:
        handed = {(fact.payload["cause"], fact.payload["effect"]) for fact in rules(heir, "causal_link")}
        assert ("house alarm", "house siren") in handed
        heir.remember(alarms(2_048, seed=6))
        heir.sleep()
        links = [
            fact for fact in rules(heir, "causal_link") if fact.payload["cause"] == "house alarm"
            and fact.payload["effect"] == "house siren"
        ]  # fmt: skip
        assert [(fact.source, fact.generation, fact.origin) for fact in links] == [("self", 0, "parent")]


def test_an_inherited_rule_that_own_statistics_speak_against_is_lowered(tmp_path: Path) -> None:
    left = left_by(tmp_path, trades(2_048, seed=3, gain=0.9))
    with inherited(left, tmp_path / "heir") as heir:
        handed = {fact.id for fact in rules(heir)}
        heir.remember(trades(2_048, seed=4, gain=-0.9))
        report = heir.sleep()
        lowered = [fact for fact in heir.facts.list(status="contradicted") if fact.id in handed]
        assert lowered
        # By its own statistics, or because what it predicted of the heir's decisions failed.
        assert report.refuted or report.rules_broken
        for fact in lowered:
            assert (fact.source, fact.generation) == ("testament", 1)
            assert fact.confidence <= 0.3
            assert fact.expires_tick is not None
            is_linked = any(link.relation == "contradicts" for link in heir.facts.links(fact))
            assert is_linked or fact.id not in report.refuted


def _claim(fact: Fact) -> tuple[str, ...]:
    """A rule without its figures."""
    words = f"{fact.payload['condition']} {fact.payload['action']} {fact.payload['outcome']}".split()
    return tuple(word for word in words if not word.replace(".", "").replace("-", "").isdigit())
