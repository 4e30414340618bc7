"""With the cross-encoder, small talk and news of another topic dispute no fact."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.model import DISPUTED

HOME = "I live in Leeds with my husband Callum and our daughter Wren."
DOG = "We have a dog called Biscuit, a fat old beagle."


def effects(folder: Path, older: str, newer: str) -> tuple[list[str], int]:
    """Links of contradiction or correction after each turn had a night, and the number of facts that ended."""
    clock = bardo.ManualClock(1_772_442_000_000_000)
    with bardo.open(folder, clock=clock, seed=1) as memory:
        for text in (older, newer):
            memory.remember(text, role="user", speaker="Tamsin", thread="t")
            memory.sleep()
            clock.advance(86_400)
        links = (link for fact in memory.facts.list(status=None) for link in memory.facts.links(fact))
        found = [
            link.relation
            for link in links
            if link.relation == "contradicts" or (link.relation == "corrects" and link.weight >= DISPUTED)
        ]
        return found, len(memory.facts.list(status="superseded"))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (HOME, "good morning, sunshine"),
        (HOME, "Callum is a paramedic, so he works nights a lot."),
        (HOME, "my work email is t.reid@thornburypike.example"),
        (HOME, "I don't have a niece."),
        (DOG, "Happy Mother's day to me, I got a card with a beagle on it"),
        ("Dad has a house in Bradford.", "Dad got lost on the way back from the Co-op."),
    ],
)
def test_news_of_another_topic_disputes_nothing(tmp_path: Path, older: str, newer: str) -> None:
    assert effects(tmp_path / "a", older, newer) == ([], 0)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (HOME, "I live in Sheffield now."),
        (DOG, "We lost Biscuit this morning."),
    ],
)
def test_news_of_the_same_topic_still_ends(tmp_path: Path, older: str, newer: str) -> None:
    assert effects(tmp_path / "a", older, newer)[1] > 0
