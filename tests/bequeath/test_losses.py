"""The reflection names what ended a life, and the last consolidation collects the open questions."""

from __future__ import annotations

import random

import pytest

import bardo

LOOPS = {"clock": {"unit": "loops"}}
FATAL = "Filled the boiler with seawater and it exploded"


def life(g, ordinary, *, value=-9.0, importance=None):
    rng = random.Random(ordinary)
    for tick in range(ordinary):
        payload = {"action": "tow", "value": round(rng.gauss(0.3, 0.2), 2)}
        g.remember(
            {
                "text": f"Towed barge {tick} through the lock",
                "payload": payload,
                "verified": True,
                "kind": "op",
            },
            tick=tick,
        )
    last = {"text": FATAL, "payload": {"value": value}, "verified": True, "kind": "op"}
    g.remember(last | ({} if importance is None else {"importance": importance}), tick=ordinary)


@pytest.mark.parametrize(
    ("ordinary", "importance"), [(2, 0.95), (10, 0.95), (10, None), (25, None), (60, None)]
)
def test_a_fatal_event_is_named_in_a_short_life_too(tmp_path, ordinary, importance):
    with bardo.open(tmp_path / "boat", config=LOOPS) as g:
        life(g, ordinary, importance=importance)
        told = g.bequeath(tmp_path / "boat.testament").reflection
    failed, dangers = (told.split(f"## {title}")[1].split("\n## ")[0] for title in ("What failed", "Dangers"))
    assert failed.count(FATAL) == 1
    assert FATAL in dangers


@pytest.mark.parametrize(("ordinary", "value"), [(2, -0.5), (10, -0.3), (10, 0.1), (25, -0.4)])
def test_an_ordinary_loss_is_no_severe_one(tmp_path, ordinary, value):
    with bardo.open(tmp_path / "boat", config=LOOPS) as g:
        life(g, ordinary, value=value)
        told = g.bequeath(tmp_path / "boat.testament").reflection
    assert "Severe loss" not in told


def test_a_short_life_hands_over_its_open_questions(tmp_path):
    with bardo.open(tmp_path / "boat", config=LOOPS) as g:
        g.learn(
            "Set the second anchor before the first swings",
            kind="heuristic",
            confidence=0.8,
            subjects=["anchor"],
            tick=1,
        )
        for text in (
            "Herring run in May",
            "Gulls follow the trawler",
            "The slipway rail is greased weekly",
            "Diesel freezes",
        ):
            g.learn(text, confidence=0.8, tick=1)
        for tick in range(2, 40):
            g.remember(f"Skarvholm Rescue radioed near mark {tick}", tick=tick, subjects=["Skarvholm Rescue"])
        g.sleep()
        left = g.bequeath(tmp_path / "boat.testament")
    assert "What is known of Skarvholm Rescue?" in left.questions
    assert any("second anchor" in question for question in left.questions)
