"""The person who asks: "my appointment" is about this person, by `asker` and by the speaker of a turn."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo._core import asks_of_oneself

HERS, HIS = "The dentist is on the 9th at 11.", "The dentist is on Thursday at 5."


@pytest.fixture
def memory(tmp_path: Path):
    with bardo.open(tmp_path / "home", clock=bardo.ManualClock(1_760_000_000_000_000), seed=1) as opened:
        for speaker, text in (
            ("Ruth", HERS), ("Declan", HIS), ("Ruth", "The bins are full."), ("Declan", "The van passed its test."),
        ):  # fmt: skip
            opened.remember(text, role="user", speaker=speaker, kind="turn", thread="home")
        # A visitor sees what was written down.
        opened.sleep()
        yield opened


@pytest.mark.parametrize(("asker", "first"), [("Ruth", HERS), ("Declan", HIS)])
def test_a_query_in_the_first_person_is_about_the_asker(
    memory: bardo.Grimoire, asker: str, first: str
) -> None:
    assert memory.recall("When do I go to the dentist?", asker=asker)[0].text == first
    with bardo.visit(memory.path, clock=bardo.ManualClock(1_760_000_000_000_000)) as visitor:
        assert visitor.recall("When do I go to the dentist?", asker=asker)[0].text == first


@pytest.mark.parametrize(("speaker", "first"), [("Ruth", HERS), ("Declan", HIS)])
def test_the_speaker_of_a_turn_asks(memory: bardo.Grimoire, speaker: str, first: str) -> None:
    turn = memory.turn("When do I go to the dentist?", speaker=speaker, thread="home")
    assert turn.memories[0].text == first


def test_a_query_about_others_stays_as_it_is(memory: bardo.Grimoire) -> None:
    asked = [memory.recall("When is the dentist?", asker=asker) for asker in (None, "Ruth", "Declan")]
    assert len({tuple((item.id, item.score) for item in found) for found in asked}) == 1


@pytest.mark.parametrize(
    ("query", "is_own"),
    [
        ("What can't I eat?", True),
        ("my flights", True),
        ("What did you recommend to me?", False),
        ("the van", False),
    ],
)
def test_a_query_about_oneself_is_told_by_its_words(query: str, is_own: bool) -> None:
    assert asks_of_oneself(query) is is_own
