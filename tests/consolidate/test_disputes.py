"""Without a parser, a turn disputes what its words contradict, and ends nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.languages.english.parse import MODELS, pipeline

START = 1_772_442_000_000_000
DAY = 86_400


def standings(folder: Path, turns: list[str], *, passes: bool) -> tuple[dict[str, str], int]:
    """How far each turn holds, and the number of facts that ended."""
    clock = bardo.ManualClock(START)
    with bardo.open(folder, clock=clock, seed=1) as memory:
        for text in turns:
            memory.remember(text, role="user", speaker="Nadia", thread="t")
            clock.advance(DAY)
            if passes:
                memory.sleep()
        memory.sleep()
        found = memory.recall(" ".join(turns), limit=10)
        ended = memory.facts.list(status="superseded")
        return {item.text: item.standing for item in found if item.layer == "episode"}, len(ended)


@pytest.fixture
def without_spacy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package as it is without the extra: imports of spaCy and of its models fail."""
    for name in ("spacy", *MODELS):
        monkeypatch.setitem(sys.modules, name, None)
    pipeline.cache_clear()
    yield
    pipeline.cache_clear()


@pytest.mark.usefixtures("without_spacy")
@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Bern.", "I live in Porto now."),
        ("I work at Helvion.", "I no longer work at Helvion."),
        ("I'm vegetarian.", "I'm not vegetarian any more."),
        ("I'm allergic to penicillin.", "I'm not allergic to penicillin after all."),
    ],
)
def test_a_turn_disputes_what_its_words_contradict(tmp_path: Path, older: str, newer: str, passes: bool):
    told, ended = standings(tmp_path / "nadia", [older, newer], passes=passes)
    assert told[older].startswith("disputed on")
    assert told[newer] == ""
    assert not ended


@pytest.mark.usefixtures("without_spacy")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I'm allergic to penicillin.", "I'm no longer allergic to birch pollen."),
        ("I like tea.", "I like coffee now."),
        ("I live in Bern.", "My sister lives in Porto now."),
        ("I live in Bern.", "Would I live in Porto?"),
        ("I live in Bern.", "Maybe I'll live in Porto one day."),
        ("I live in Bern.", "I live with my brother."),
        ("I work as a nurse.", "I work at Helvion."),
        ("I work at Helvion.", "I work at the food bank on Saturdays."),
    ],
)
def test_a_compatible_turn_disputes_nothing(tmp_path: Path, older: str, newer: str):
    told, ended = standings(tmp_path / "nadia", [older, newer], passes=True)
    assert set(told.values()) == {""}
    assert not ended
