"""Statements come before records of a program that answer less of a question, an ancestor's statements too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import bardo

SAID = (
    "The position limit on SAP is 50 lots.",
    "Our account at Petrel is PT-30918.",
    "Leverage on ETH is capped at 3x.",
)


@pytest.fixture
def heir(tmp_path: Path, minilm: object):  # type: ignore[no-untyped-def]
    clock = bardo.ManualClock(1_770_000_000_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        for text in SAID:
            ann.remember({"role": "user", "name": "Priya", "content": text}, thread="desk")
        ann.bequeath(tmp_path / "ann.testament")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm, clock=clock) as ben:
        draws = random.Random(1)
        for _ in range(160):
            thing, venue = draws.choice(("SAP", "ETH", "Brent")), draws.choice(("Petrel", "Lumen"))
            action, pnl = draws.choice(("long", "short")), round(draws.gauss(0, 1), 2)
            ben.remember(
                f"{action} {thing} on {venue}, pnl {pnl}", kind="trade", subjects=[thing], verified=True,
                payload={"venue": venue, "action": action, "pnl": pnl},
            )  # fmt: skip
            clock.advance(3_600)
        ben.sleep()
        yield ben


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the limit on SAP?", "50 lots"),
        ("What is our account at Petrel?", "PT-30918"),
        ("How much leverage may we use on ETH?", "3x"),
    ],
)
def test_the_first_hit_is_what_was_said(heir: bardo.Grimoire, question: str, answer: str) -> None:
    assert answer in heir.recall(question)[0].text


def test_a_question_about_the_records_finds_records(heir: bardo.Grimoire) -> None:
    found = heir.recall("long SAP on Petrel, pnl", limit=3)
    assert all("pnl" in memory.text for memory in found)
    assert all("stated" not in memory.why.discounts for memory in found)


def test_the_explanation_names_the_factor(heir: bardo.Grimoire) -> None:
    moved = [memory for question in ("What is the limit on SAP?", "What is our account at Petrel?")
             for memory in heir.recall(question) if "stated" in memory.why.discounts]  # fmt: skip
    for memory in moved:
        product = sum(memory.why.parts.values())
        for factor in memory.why.discounts.values():
            product *= factor
        assert memory.score == pytest.approx(product, rel=1e-3)
