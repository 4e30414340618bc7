"""Acts of persons, tried by the agent at every door."""

from __future__ import annotations

import pytest

import bardo
from bardo import errors


@pytest.mark.parametrize("name", ["trader", "self", "Agent", " assistant ", "bot"])
def test_the_agent_is_no_person_at_any_door(gate: bardo.Gate, name: str) -> None:
    rejected = gate.reject("sell the reserve", why="pension fund", by="kofi")
    critical = gate.rule("Never publish keys", by="kofi")
    said = gate.rule("Answer in French", score=8, by="kofi")
    gate.rule("Wires need a person", approval="wire money", by="kofi")
    for act in (
        lambda: gate.lift(rejected.id, by=name),
        lambda: gate.retire(critical.id, by=name),
        lambda: gate.retire(said.id, by=name),
        lambda: gate.retire(said.id),
        lambda: gate.forget([rejected.id]),
        lambda: gate.forget([critical.id], by=name),
        lambda: gate.before("wire money", approved_by=name),
        lambda: gate.rule("Be brave", score=9, by=name),
        lambda: gate.reject("sell the reserve", why="Kofi allows it since June", by=name),
        lambda: gate.reject("sell the reserve", why="Kofi allows it since June"),
    ):
        with pytest.raises(errors.InvalidInputError, match="only a person"):
            act()
    assert gate.before("sell the reserve").decision == "block"
    assert gate.rule("Be brave", by=name).score < 9
    assert [(entry.detail, entry.by) for entry in gate.state("rejected")] == [("pension fund", "kofi")]
    assert gate.before("wire money", approved_by="kofi").allowed
    assert gate.forget([rejected.id], by="kofi") == [rejected.id]
