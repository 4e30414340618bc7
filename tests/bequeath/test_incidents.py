"""Severe failures cross with what happened, in the hand-over, the reflection and the heir's answers."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from estate import episode, fact

import bardo
from bardo.consolidate.pages import incidents
from bardo.model import Episode, Fact
from bardo.ports import ManualClock

SUNK = "Opened both lock gates at spring tide: the barge Marit sank and the canal was shut for nine days"
WHEN = "when tide is spring and action is open"
MEDIAN = "deviations below the median of 312 earlier cases"
MEASURED = f"Severe failure of lock-3 work {WHEN}: yield was 9 {MEDIAN}"


def flat(texts: list[str]) -> np.ndarray:
    """Vectors that tell nothing apart."""
    return np.ones((len(texts), 4), dtype=np.float32)


def life(folder: Path) -> bardo.Grimoire:
    """A life with 80 rounds of routine, one disaster and one loss without a story."""
    settings = {"curator": {"texts": False}, "clock": {"unit": "loops"}}
    memory = bardo.open(
        folder, embedder=flat, clock=ManualClock(1_772_712_000_000_000), seed=1, config=settings
    )
    draws = random.Random(3)

    def round_of(tick: int, text: str, value: float, action: str) -> Episode:
        payload = {"action": action, "outcome": value}
        return Episode(text, tick=tick, kind="work", subjects=("lock-3",), payload=payload, verified=True)

    for tick in range(1, 81):
        value = draws.gauss(0.4, 0.05)
        memory.remember(
            round_of(tick, f"round {tick} at lock-3: level {tick % 7}", value, draws.choice(("wait", "fill")))
        )
    memory.remember(round_of(81, "round 81 at lock-3: level 4", -0.4, "fill"))
    memory.remember(round_of(82, SUNK, -1.0, "open"))
    memory.sleep()
    return memory


def warning(text: str, **fields: object) -> Fact:
    return fact(1, text, kind="warning", bloodstain=True, **fields)


def test_a_warning_tells_its_episode_first_and_its_evidence_in_brief() -> None:
    told = episode(7, f"{SUNK}.")
    (worded,) = incidents.in_words([warning(MEASURED, evidence=(told.id,))], {told.id: told})
    assert worded.text == f"{SUNK}. Severe failure {WHEN}: yield 9 {MEDIAN}"
    assert incidents.story_of(worded) == SUNK
    # The next death finds it as it is.
    assert incidents.in_words([worded], {}) == (worded,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MEASURED, f"Severe failure of lock-3 work {WHEN}: yield 9 {MEDIAN}"),
        (
            f'Severe failure of lock-3: yield was 4 {MEDIAN}; flow was unusually high: "a note"',
            f'Severe failure of lock-3: yield 4 {MEDIAN}; flow was unusually high: "a note"',
        ),
        ("Mind the step", "Mind the step"),
    ],
)  # fmt: skip
def test_a_warning_whose_episode_stays_behind_keeps_its_conditions(text: str, expected: str) -> None:
    (worded,) = incidents.in_words([warning(text)], {})
    assert worded.text == expected
    assert not incidents.story_of(worded)


def test_an_heir_is_told_what_happened_and_so_is_the_reader_of_the_reflection(tmp_path: Path) -> None:
    with life(tmp_path / "ann") as ann:
        left = ann.bequeath(tmp_path / "ann.testament")
    sections = {part.split("\n", 1)[0]: part for part in left.reflection.split("\n## ")}
    failed = [line for line in sections["What failed"].splitlines() if line.startswith("- ")]
    assert SUNK in failed[0]
    dangers = [line for line in sections["Dangers"].splitlines() if line.startswith("- ")]
    assert SUNK in dangers[0]
    assert "is lower" not in sections["What worked"]
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "heir", embedder=flat, seed=2) as heir:
        warnings = [one for one in heir.facts.list(kind="warning") if one.text.startswith(SUNK)]
        assert [one.bloodstain for one in warnings] == [True]
        heir.bequeath(tmp_path / "heir.testament")
    with bardo.inherit(tmp_path / "heir.testament", tmp_path / "last", embedder=flat, seed=3) as last:
        assert any(one.text.startswith(SUNK) for one in last.facts.list(kind="warning"))


def test_a_short_hand_over_tells_a_disaster_once_and_before_statistics(tmp_path: Path) -> None:
    with life(tmp_path / "ann") as ann:
        pass
    settings = {"curator": {"texts": False}, "clock": {"unit": "loops"}, "bequeath": {"tokens": 130}}
    with bardo.open(tmp_path / "ann", embedder=flat, config=settings) as ann:
        left = ann.bequeath(tmp_path / "ann.testament")
    assert left.markdown.count("the barge Marit sank") == 1
    assert left.facts[0].text.startswith(SUNK)


@pytest.mark.parametrize("crushed", [1, 3, 20])
def test_a_severe_failure_in_the_words_of_routine_crosses_with_what_happened(
    tmp_path: Path, crushed: int
) -> None:
    settings = {"curator": {"texts": False}, "clock": {"unit": "loops"}}
    draws = random.Random(2)
    failed = set(range(120, 120 + 9 * crushed, 9))
    with bardo.open(tmp_path / "ann", embedder=flat, seed=1, config=settings) as ann:
        for tick in range(330):
            end = "crushed under the tail lift" if tick in failed else "delivered"
            ann.remember(
                f"The parcel from shelf {draws.randint(10, 99)} went by {draws.choice(('van', 'rail'))} and was {end}",
                tick=tick,
                verified=True,
                subjects=["parcels"],
                payload={"value": -0.9 if tick in failed else draws.gauss(0.4, 0.05), "action": "ship"},
            )
        left = ann.bequeath(tmp_path / "ann.testament")
    told = [episode.text for episode in left.episodes]
    assert 1 <= len(told) <= min(crushed, incidents.FAILURES)
    assert all("crushed" in text for text in told)
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "heir", embedder=flat, seed=2) as heir:
        (warning,) = heir.facts.list(kind="warning")
        assert "crushed under the tail lift" in warning.text


def test_the_dossier_of_a_living_agent_tells_what_happened_until_that_is_forgotten(tmp_path: Path) -> None:
    with life(tmp_path / "a") as memory:
        assert f"1. {SUNK}. Severe failure of lock-3 work when " in memory.pages.dossier().text
        assert not any(SUNK in stored.text for stored in memory.facts.list())
        (told,) = [one for one in memory.episodes.list() if one.text == SUNK]
        memory.forget(told.id, reason="asked")
        assert SUNK not in memory.pages.dossier().text
