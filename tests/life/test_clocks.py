"""Clocks, phases, affect and history: pure functions of a life."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bardo.life import clocks
from bardo.life.affect import EMOTIONS, Affect
from bardo.life.history import BIRTH_TRUST, MARKERS, History, situation_key
from bardo.model import Episode

UNIT = st.floats(0, 1)
OUTCOME = st.floats(-1, 1)
PHASES = ["terminal", "declining", "conservation", "stable", "thriving"]


def outcome(value: float, tick: int = 0, subjects: tuple[str, ...] = (), **features: object) -> Episode:
    return Episode(
        "outcome",
        tick=tick,
        kind="outcome",
        subjects=subjects,
        payload={**features, "value": value},
        verified=True,
    )


def lived(values: list[float]) -> History:
    history = History()
    for number, value in enumerate(values, 1):
        history.add(number, outcome(value, number), ticks_per_day=100)
    return history


def measured(*, spent: float = 0.0, fitness: float = 1.0, age: int = 0) -> clocks.Vitality:
    return clocks.measure(
        tick=age,
        age=age,
        budget=100.0,
        spent=spent,
        lifespan=1_000,
        fitness=fitness,
        outcomes=0,
        affect=Affect(),
    )


@pytest.mark.parametrize(
    ("vitality", "phase"),
    [(1.0, "thriving"), (0.71, "thriving"), (0.7, "stable"), (0.5, "conservation"), (0.3, "declining"),
     (0.1, "terminal"), (0.0, "terminal")],
)  # fmt: skip
def test_the_bounds_of_phases_are_those_of_the_specification(vitality: float, phase: str) -> None:
    assert clocks.phase_of(vitality) == phase


@given(UNIT, UNIT)
def test_a_phase_never_improves_as_vitality_falls(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert PHASES.index(clocks.phase_of(low)) <= PHASES.index(clocks.phase_of(high))


@given(st.floats(0, 200), UNIT, st.integers(0, 2_000))
def test_vitality_is_the_product_of_three_clocks_and_any_zero_is_death(
    spent: float, fitness: float, age: int
) -> None:
    found = measured(spent=spent, fitness=fitness, age=age)
    assert found.value == pytest.approx(found.economic * found.epistemic * found.stochastic)
    assert 0.0 <= found.value <= 1.0
    assert ("economic" in found.dying) == (spent >= 100.0)
    assert ("epistemic" in found.dying) == (fitness < clocks.SENESCENCE)
    assert ("stochastic" in found.dying) == (age >= 1_000)
    assert found.pushes_legacy == (age > 850)
    if spent >= 100.0 or age >= 1_000:
        assert (found.value, found.phase) == (0.0, "terminal")


@given(st.integers(1, 10_000), st.integers(0, 20_000), st.integers(0, 20_000))
def test_survival_never_rises_with_age(lifespan: int, one: int, other: int) -> None:
    young, old = sorted((one, other))
    assert clocks.survival(old, lifespan) <= clocks.survival(young, lifespan) <= 1.0


def test_the_burn_rate_says_how_long_the_budget_lasts() -> None:
    found = measured(spent=25.0, age=100)
    assert (found.burn_rate, found.left, found.ticks_left) == (0.25, 75.0, 300.0)
    assert measured(age=100).ticks_left is None
    assert measured(spent=-40.0).economic == 1.0, (
        "earnings beyond the budget at birth are no more than all of it"
    )


@given(st.lists(OUTCOME, max_size=60))
def test_fitness_is_a_share_and_affect_stays_in_its_cube(values: list[float]) -> None:
    history = lived(values)
    assert 0.0 < history.fitness <= 1.0
    assert all(-1.0 <= part <= 1.0 for part in history.affect.pad)
    assert history.outcomes == sum(value != 0 for value in values)


def test_fitness_begins_at_one_and_follows_the_latest_outcomes() -> None:
    assert History().fitness == 1.0
    assert lived([-1.0] * 15).fitness < clocks.SENESCENCE, "fifteen failures in a row end the trust at birth"
    assert lived([-1.0] * 300 + [1.0] * 100).fitness > 0.95
    assert lived([1.0, -1.0] * 200).fitness == pytest.approx(0.5, abs=0.02)
    assert BIRTH_TRUST > 0


@given(OUTCOME, st.integers(0, 500), st.integers(0, 500))
def test_affect_decays_to_its_baseline_in_one_step_as_in_two(value: float, first: int, second: int) -> None:
    mood = Affect().moved(value, 0.0)
    once = mood.decayed(first + second, 100)
    assert mood.decayed(first, 100).decayed(second, 100).pad == pytest.approx(once.pad)
    assert math.hypot(*once.pad) <= math.hypot(*mood.pad)
    assert mood.decayed(100_000, 100).label == "calm"


@pytest.mark.parametrize("name", sorted(EMOTIONS))
@pytest.mark.parametrize("size", [0.1, 1.0])
def test_a_mood_in_the_direction_of_an_emotion_has_its_name(name: str, size: float) -> None:
    assert Affect(*(size * part for part in EMOTIONS[name])).label == name


def test_good_outcomes_please_bad_ones_do_not_and_surprise_arouses() -> None:
    assert lived([0.8] * 3).affect.label == "joy"
    assert lived([-0.8] * 3).affect.pleasure < 0
    assert Affect().moved(-1.0, 0.9).arousal > Affect().moved(-1.0, -0.9).arousal


def test_a_marker_remembers_how_situations_of_a_key_ended() -> None:
    history = History()
    for number, value in enumerate([-1.0, -0.5], 1):
        history.add(number, outcome(value, number, ("ETH",), regime="bear", gas=3.0), ticks_per_day=100)
    key = situation_key(("eth",), {"regime": "Bear", "gas": 99.0})
    assert key is not None
    assert history.markers[key].outcomes == 2
    assert history.markers[key].value == pytest.approx(-0.85)
    assert situation_key((), {"gas": 1.0}) is None, "numbers name no situation"
    for number in range(MARKERS):
        history.add(number, outcome(1.0, number + 10, (f"s{number}",)), ticks_per_day=100)
    assert len(history.markers) == MARKERS
    assert key not in history.markers, "the oldest is given up"


def test_what_is_no_outcome_changes_nothing() -> None:
    history = History()
    for number, payload in enumerate(
        [None, [], {}, {"value": True}, {"value": "x"}, {"value": 7}, {"value": math.nan}]
    ):
        history.add(number, Episode("x", kind="outcome", payload=payload), ticks_per_day=100)
    history.add(9, Episode("x", kind="trade", payload={"value": -1.0}), ticks_per_day=100)
    assert history == History(seen=9)


@given(st.lists(OUTCOME, max_size=20))
def test_a_checkpoint_reads_back_as_it_was_and_a_damaged_one_as_a_new_life(values: list[float]) -> None:
    import json

    history = lived(values)
    stored = json.loads(json.dumps(history.to_dict(), sort_keys=True))
    assert History.from_dict(stored) == history
    for damaged in (None, {}, {"format": 99}, {**stored, "markers": 3}, {**stored, "affect": {}, "more": 1}):
        assert History.from_dict(damaged) == History()


def test_a_life_of_even_outcomes_changes_its_phase_seldom() -> None:
    """An agent whose fitness lies at the bound of two phases: without a margin it changes them about 70 times."""
    draws = random.Random(3)
    history = History()
    phases: dict[bool, list[clocks.Phase]] = {True: [], False: []}
    for tick in range(800):
        value = 1.0 if draws.random() < 0.7 else -1.0
        payload = {"value": value, "of": "x", "memories": []}
        episode = Episode("Outcome", tick=tick, kind="outcome", payload=payload, verified=True)
        history.add(tick + 1, episode, ticks_per_day=1_440)
        history.phase = clocks.phase_after(history.phase, history.fitness)
        phases[True].append(history.phase)
        phases[False].append(clocks.phase_of(history.fitness))
    changes = {
        is_steady: sum(one != two for one, two in pairwise(found)) for is_steady, found in phases.items()
    }
    assert changes[False] > 40
    assert changes[True] <= 8


@pytest.mark.parametrize(
    ("before", "vitality", "after"),
    [
        ("stable", 0.75, "stable"), ("stable", 0.81, "thriving"), ("thriving", 0.69, "stable"),
        ("thriving", 0.2, "declining"), ("terminal", 0.95, "thriving"), ("declining", 0.55, "conservation"),
        ("terminal", 0.05, "terminal"),
    ],
)  # fmt: skip
def test_a_worse_phase_begins_at_its_bound_and_a_better_one_above_it(
    before: clocks.Phase, vitality: float, after: clocks.Phase
) -> None:
    assert clocks.phase_after(before, vitality) == after
