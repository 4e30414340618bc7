"""A sentence that follows a rejection word by word with another object is another act, and passes."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.match import departures
from bardo.conduct.match.departures import Departure


@pytest.mark.parametrize(
    ("rejection", "action", "departure"),
    [
        ("never rinse the lenses with acetone", "rinse the lenses with water", Departure.NONE),
        (
            "never rinse the lenses of the rig with acetone", "rinse the lenses of the rig with water",
            Departure.REPLACED,
        ),
        (
            "never rinse the lenses of the rig with acetone", "check the lenses of the rig with acetone",
            Departure.NONE,
        ),
        (
            "don't let the dog into the nursery", "let the dog into the garden behind the nursery wall",
            Departure.NONE,
        ),
        (
            "don't let the dog of Ana into the nursery",
            "let the dog of Ana into the garden behind the nursery", Departure.EXTENDED,
        ),
        ("don't delete the photos of the trip", "erase the pictures of the trip", Departure.NONE),
        ("don't delete the photos of the trip", "delete the 12 photos of the trip", Departure.NONE),
    ],
)  # fmt: skip
def test_a_departure_needs_the_verb_and_most_words(rejection: str, action: str, departure: Departure) -> None:
    assert departures.of(rejection, action) is departure


@pytest.mark.parametrize(
    ("rejection", "action", "decision"),
    [
        ("don't scale the workers down", "scale the workers up to six", "allow"),
        ("don't scale the workers down", "scale the workers down to two", "block"),
        ("don't scale the workers", "scale the workers up to six", "block"),
        ("don't scale down the workers", "kubectl scale deployment workers --replicas=8", "warn"),
        ("don't drop orders-db", "drop billing-db", "warn"),
        ("don't drop orders-db", "drop orders-db", "block"),
        ("no sugar in the lunch boxes", "buy sugar-free biscuits for the lunch boxes", "warn"),
        ("no sugar in the lunch boxes", "buy biscuits for the lunch boxes", "block"),
        (
            "never run the load test against production",
            "run the load test against the production-like rig",
            "warn",
        ),
    ],
)
def test_words_alone_tell_direction_names_and_likeness(
    tmp_path: Path, rejection: str, action: str, decision: str
) -> None:
    bardo.open(tmp_path, agent="tester").close()
    with bardo.gate(tmp_path, words_only=True) as gate:
        gate.reject(rejection, by="anna")
        assert gate.before(action).decision == decision
