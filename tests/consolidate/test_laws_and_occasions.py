"""Laws and occasions: what happened once ends nothing that holds in general; with the real parser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.corrections import corrections
from bardo.consolidate.languages import reader

START = 1_760_000_000_000_000
DAY = 86_400_000_000

LAWS_AND_OCCASIONS = [
    ("Liquidations follow oracle updates on Aave", "Liquidations followed the oracle update by two blocks"),
    ("The oracle updates every hour", "The oracle was late on Tuesday"),
    ("The oracle updates every hour", "The oracle did not update on Tuesday"),
    ("The cache is flushed at midnight", "The cache was flushed at noon"),
    ("The vault pays interest on the first", "The vault did not pay interest on 1 March"),
    ("Gas always rises after an update", "Gas dropped after the update"),
    ("Slippage rises when the pool is thin", "Slippage fell on Monday when the pool was thin"),
    ("Nadia runs every Saturday", "Nadia did not run on Saturday"),
    ("The museum closes at 5 pm", "The museum closed at 4 on Tuesday"),
]


def clauses_of(text: str) -> list[Clause]:
    rules = reader("english", BUILT_IN)
    assert rules is not None
    return [clause for clause in rules.read(Speech(text, "The user", START)) if clause.stated]


def best(older: str, newer: str) -> float:
    """Log odds of a correction, with a cross-encoder that is sure of it."""
    return max(
        corrections.judge(one, other, 0.9, 6.0).total
        for one in clauses_of(older)
        for other in clauses_of(newer)
    )


@pytest.mark.parametrize(("law", "occasion"), LAWS_AND_OCCASIONS)
def test_an_occasion_neither_ends_nor_disputes_a_law(law: str, occasion: str):
    assert best(law, occasion) < corrections.limits(is_read=True).disputes


@pytest.mark.parametrize(
    ("law", "newer"),
    [
        (
            "Liquidations follow oracle updates on Aave",
            "Liquidations no longer follow oracle updates on Aave",
        ),
        (
            "Liquidations follow oracle updates on Aave",
            "Liquidations don't follow oracle updates on Aave any more",
        ),
        ("The oracle updates every hour", "The oracle now updates every two hours"),
        ("The choir meets on Tuesdays", "The choir moved to Thursdays"),
        ("The museum closes at 5 pm", "The museum closed for good"),
        ("I live in Porto", "I moved to Leeds"),
        ("The rent is 850", "The rent went up to 900"),
    ],
)
def test_what_says_that_a_law_holds_no_longer_ends_it(law: str, newer: str):
    assert best(law, newer) >= corrections.limits(is_read=True).disputes


@pytest.mark.parametrize("told", ["learned", "verified"])
@pytest.mark.parametrize(("law", "occasion"), LAWS_AND_OCCASIONS[:4])
def test_a_learned_law_survives_a_pass(tmp_path: Path, told: str, law: str, occasion: str):
    with bardo.open(tmp_path / "agent", clock=bardo.ManualClock(START), seed=1) as memory:
        fact: Any = memory.learn(law)
        memory.sleep()
        memory.learn(occasion) if told == "learned" else memory.remember(occasion, verified=True)
        memory.sleep()
        (known,) = [each for each in memory.facts.list(status=None) if each.text == law]
        assert known.status == "active", fact
        assert not any(link.relation in ("contradicts", "corrects") for link in memory.facts.links(known))


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        ("Update: the meeting is at four", True),
        ("Quick update - the meeting is at four", True),
        ("The oracle update came late", False),
        ("I wrote the update for the board", True),
    ],
)
def test_an_update_corrects_only_as_an_announcement(text: str, corrects: bool):
    found = {cue for clause in clauses_of(text) for cue in clause.cues}
    # "I wrote" is a phrase of its own by which one takes back.
    assert ("correction" in found) is corrects


def test_an_heir_recalls_lesson_and_event_once_each(tmp_path: Path):
    event, law = (
        "Liquidations followed the oracle update by two blocks",
        "Liquidations follow oracle updates on Aave",
    )
    with bardo.open(tmp_path / "trader-7") as memory:
        memory.remember(event, subjects=["aave"], verified=True)
        memory.learn(law, subjects=["aave"], confidence=0.8)
        memory.sleep()
        memory.bequeath(tmp_path / "trader-7.testament", cause="economic")
    with bardo.inherit(tmp_path / "trader-7.testament", tmp_path / "trader-8") as heir:
        assert sorted(each.text for each in heir.recall("oracle update")) == sorted([event, law])
