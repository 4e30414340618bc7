"""The look back of a pass, through the whole of bardo: what was lived tests what is told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import bardo
from bardo.errors import ConfigError
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from helpers.models import letter_vectors

NOON = 1_772_712_000_000_000
#: Decisions that are lived before a rule is told, and episodes of a slice.
LIVED, SLICE = 640, 64
#: Passes of a life after the rule was told.
PASSES = 16


def opened(folder: Path, share: float) -> bardo.Grimoire:
    # No outcome is named, so that the agent finds no rule of its own beside the told one.
    settings = {
        "curator": {"texts": False, "shadow": False, "outcomes": []},
        "replay": {"share": share},
        "decay": {"eviction_threshold": 0.0},
    }
    return bardo.open(folder, embedder=letter_vectors, clock=ManualClock(NOON), seed=1, config=settings)


def live(g: bardo.Grimoire, draws: random.Random, count: int, *, effect: float = 0.0) -> None:
    """Lives decisions whose outcome is higher by this where momentum is high."""
    begun = g.now_tick
    batch = []
    for number in range(1, count + 1):
        momentum = draws.random()
        pnl = draws.gauss(0.0, 1.0) + effect * (momentum >= 0.5)
        batch.append(
            Episode(
                f"trade {begun + number}",
                tick=begun + number,
                kind="trade",
                subjects=("ETH",),
                payload={"momentum": momentum, "pnl": pnl},
                verified=True,
            )
        )
    g.remember(batch)


def tell(g: bardo.Grimoire) -> str:
    payload = {
        "type": "heuristic", "condition": "momentum >= 0.5", "action": "", "outcome": "pnl is higher", "n": 0,
        "effect": 0.0, "interval": (0.0, 0.0),
    }  # fmt: skip
    return g.learn(Fact("High momentum pays", kind="heuristic", payload=payload)).id


def lives_on(
    folder: Path, share: float, effect: float, seed: int = 1
) -> tuple[int, int, list[tuple[str, float, str]]]:
    """A life that is opened at each pass: episodes read again, passes with the told rule in force, all facts."""
    draws = random.Random(seed)
    with opened(folder, share) as g:
        live(g, draws, LIVED, effect=effect)
        g.sleep()
        rule = tell(g)
    reread = in_force = 0
    while in_force < PASSES:
        with opened(folder, share) as g:
            live(g, draws, 50, effect=effect)
            reread += g.sleep().episodes_reread
            if g.facts.get(rule).status != "active":
                break
            in_force += 1
    with opened(folder, share) as g:
        facts = [(fact.text, round(fact.confidence, 6), fact.status) for fact in g.facts.list(status=None)]
        return reread, in_force, sorted(facts)


def test_what_was_lived_is_held_against_a_told_rule_once(tmp_path: Path) -> None:
    reread, in_force, facts = lives_on(tmp_path / "with", 0.5, effect=1.0)
    assert (reread, in_force) == (LIVED // SLICE * SLICE, PASSES)
    assert lives_on(tmp_path / "again", 0.5, effect=1.0) == (reread, in_force, facts), (
        "same seed, same result"
    )
    assert lives_on(tmp_path / "without", 0.0, effect=1.0)[:2] == (0, PASSES)


def test_told_rules_that_never_held_are_contradicted_sooner_by_what_was_lived(tmp_path: Path) -> None:
    passes = {}
    for share in (0.0, 0.7):
        passes[share] = sum(
            lives_on(tmp_path / f"{seed} {share}", share, 0.0, seed)[1] for seed in range(1, 5)
        )
    assert passes[0.7] < 0.75 * passes[0.0], passes


def test_a_true_rule_is_surer_by_what_was_lived(tmp_path: Path) -> None:
    confidence = {}
    for share in (0.0, 0.5):
        with opened(tmp_path / f"{share}", share) as g:
            draws = random.Random(2)
            live(g, draws, LIVED, effect=1.0)
            g.sleep()
            rule = tell(g)
            # Decisions that say nothing of it: no momentum is known.
            for _ in range(4):
                g.remember(
                    [
                        Episode(
                            "idle", tick=g.now_tick + n, kind="trade", payload={"pnl": 0.1 * n}, verified=True
                        )
                        for n in range(1, 65)
                    ]
                )
                g.sleep()
            confidence[share] = g.facts.confidence(rule)
    assert confidence[0.5] > confidence[0.0] + 0.02, confidence


@pytest.mark.parametrize("share", [-0.1, 0.95, 1.0])
def test_a_share_beyond_its_range_is_refused(tmp_path: Path, share: float) -> None:
    with pytest.raises(ConfigError, match=r"replay\.share"):
        opened(tmp_path / "a", share)
