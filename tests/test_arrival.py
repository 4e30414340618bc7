"""Confidence of a new fact, by its source and its writer, and the number of conclusions that an agent keeps."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import bardo
from bardo.errors import BardoWarning, ConfigError
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from helpers.models import letter_vectors

NOON = 1_772_712_000_000_000
DAY = 86_400_000_000


def opened(folder: Path, **config: object) -> bardo.Grimoire:
    return bardo.open(folder, embedder=letter_vectors, clock=ManualClock(NOON), seed=1, config=config)


@pytest.mark.parametrize(
    ("source", "most"),
    [
        ("clade", 0.4),
        ("testament", 0.4),
        ("styx", 0.25),
        ("lethe", 0.2),
        ("market", 0.2),
        ("dream", 0.3),
        ("derived", 0.7),
    ],
)
def test_learning_what_others_say_starts_no_surer_than_their_table_and_says_so(
    tmp_path: Path, source: str, most: float
) -> None:
    with opened(tmp_path / "agent") as grimoire:
        with pytest.warns(BardoWarning, match=f"source '{source}' starts at {most:g}, not at 0.95"):
            fact = grimoire.learn("Oracles lag two blocks", confidence=0.95, source=source)
        assert fact.confidence == pytest.approx(most)
        with pytest.warns(BardoWarning, match="starts at"):
            newer = grimoire.facts.supersede(
                fact, Fact("Oracles lag three blocks", confidence=0.95, source=source)
            )
        assert newer.confidence == pytest.approx(most)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert grimoire.learn("Gas is dear at noon", source=source).confidence == pytest.approx(most)
            assert grimoire.learn("Own knowledge stays", confidence=0.95).confidence == pytest.approx(0.95)


def test_a_learned_dream_expires_after_two_weeks_unless_confirmed(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with bardo.open(tmp_path / "agent", embedder=letter_vectors, clock=clock, seed=1) as grimoire:
        dream = grimoire.learn("Nights may be dear", source="dream")
        assert dream.expires_tick == NOON // 1_000_000 + 14 * 86_400
        far = Fact("Mondays may be dear", source="dream", confidence=0.3, expires_tick=2**40)
        with pytest.warns(BardoWarning, match="a dream expires at tick"):
            learned = grimoire.learn(far)
        assert learned.expires_tick == dream.expires_tick
        confirmed = grimoire.learn("Mondays may be dear")
        assert (confirmed.source, confirmed.expires_tick) == ("self", None)
        clock.set(NOON + 15 * DAY)
        grimoire.sleep()
        assert dream.id not in {fact.id for fact in grimoire.facts.list()}


def test_a_setting_cannot_let_a_testament_arrive_surer_than_the_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="base_confidence"):
        opened(tmp_path / "agent", bequeath={"base_confidence": 0.9})


@pytest.mark.parametrize("shadow", [False, True])
def test_an_agent_keeps_fifty_conclusions_however_many_its_texts_draw(
    tmp_path: Path, *, shadow: bool
) -> None:
    # Words of unlike sounds, so that no two conclusions read alike.
    heads = ["Amber", "Basalt", "Cedar", "Dune", "Elm", "Fjord", "Glacier", "Harbor", "Iris", "Juniper"]
    tails = ["bridge", "canal", "depot", "engine", "furnace", "garden"]
    pairs = [(head, tail) for tail in tails for head in heads]
    with opened(tmp_path / "agent", curator={"shadow": shadow}) as grimoire:
        stated = grimoire.learn("The agent states this itself", category="insights", confidence=0.9)
        for start in range(0, len(pairs), 6):
            grimoire.remember(
                [
                    Episode(
                        f"Lesson learned: the {head} {tail} needs {number} spare {head.lower()} valves.",
                        kind="message", role="agent", at=NOON + number * 60_000_000,
                    )
                    for number, (head, tail) in enumerate(pairs[start : start + 6], start)
                ]
            )  # fmt: skip
            grimoire.sleep()
            concluded = [fact for fact in grimoire.facts.list() if fact.source == "derived"]
            assert len(concluded) <= 50
        drawn = [fact for fact in grimoire.facts.list(status=None) if fact.source == "derived"]
        assert len(drawn) > 50, "there were more to leave"
        assert len(concluded) == 50
        assert {round(fact.importance, 3) for fact in concluded} == {0.4}
        assert stated.id in {fact.id for fact in grimoire.facts.list()}
