"""Missions: one standing directive at a time, which every session begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo import errors
from helpers.models import flat


def test_a_mission_replaces_the_one_before_it(gate: bardo.Gate) -> None:
    first = gate.missions.set("keep the API up")
    assert gate.missions.set("keep the API up") == first
    second = gate.missions.set("keep the API up, and cheap")
    assert gate.missions.current() == second
    latest, earlier = gate.missions.list()
    assert (latest, earlier.ended_by, earlier.ended_why) == (second, "trader", f"replaced by {second.id}")


def test_only_a_person_replaces_or_ends_a_persons_mission(gate: bardo.Gate) -> None:
    given = gate.missions.set("keep the API up", by="anna")
    with pytest.raises(errors.InvalidInputError, match="only a person replaces"):
        gate.missions.set("do as you like")
    with pytest.raises(errors.InvalidInputError, match="only a person ends"):
        gate.missions.end()
    assert gate.missions.current() == given
    assert gate.missions.end(by="anna", why="sold").ended_by == "anna"
    assert gate.missions.current() is None
    with pytest.raises(errors.NotFoundError, match="no mission"):
        gate.missions.end(by="anna")


def test_a_session_begins_with_mission_flows_and_capabilities(home: Path) -> None:
    with bardo.open(home, embedder=flat()) as memory:
        with bardo.gate(home, words_only=True) as gate:
            gate.missions.set("keep the API up", by="anna")
            gate.flows.add("release", ["run make check"])
            gate.capabilities.add("psql", "query the reports", usage="psql -h reports")
            gate.reject("short ETH on weekends", by="anna")
        text = str(memory.boot())
    for told in (
        "keep the API up",
        "release (f1; no results yet)",
        "Use: psql -h reports",
        "short ETH on weekends",
    ):
        assert told in text
    assert text.index("keep the API up") < text.index("release (f1")
