"""Acts of persons, tried by the agent at every door."""

from __future__ import annotations

import pytest

import bardo
from bardo import errors


@pytest.mark.parametrize(
    "name",
    [
        "trader", "self", "Agent", " assistant ", "bot", "Trader", "TRADER", "the trader", "Trader (agent)",
        "The agent", "the AI", "[Assistant]", "the coding agent", "AI assistant", "A.I.", "I", "Me.", "none", "None",
        "N/A", "-", "42", "nobody", "Unknown", "no one", "your name",
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    "name",
    [
        "Kofi",
        "the user",
        "Anna Trader",
        "Li Na",
        "A. Smith",
        "Mr. Main",
        "Øyvind",
        "王芳",
        "O'Neil",
        "ops team",
    ],
)
def test_names_of_people_are_accepted(gate: bardo.Gate, name: str) -> None:
    assert gate.lift(gate.reject("sell the reserve", by="kofi").id, by=name).closed_by == name


def test_the_refusal_of_a_name_says_what_to_give(gate: bardo.Gate) -> None:
    rejected = gate.reject("sell the reserve", by="kofi")
    for name, cause in (("Trader", "the agent itself"), ("none", "names no one")):
        with pytest.raises(errors.InvalidInputError, match=rf"{cause}.*: give the name of the person"):
            gate.lift(rejected.id, by=name)


def test_only_a_person_deletes_what_blocks_or_is_a_persons_word(gate: bardo.Gate) -> None:
    flow = gate.flows.add(
        "release", ["check", "push"], triggers=["deploy to production"], needs_approval=True
    )
    asked = gate.flows.add("report", ["write"], by="anna")
    approval = gate.rule("Withdrawals need a person", approval="withdraw funds", score=8)
    mission = gate.missions.set("Keep the API up", by="anna")
    decision = gate.note("decision", "Use REST", by="anna")
    own = gate.note("decision", "Name branches by ticket")
    for row in (flow, asked, approval, mission, decision):
        for name in ("", "trader", "assistant"):
            with pytest.raises(errors.InvalidInputError, match="only a person deletes"):
                gate.forget([own.id, row.id], by=name)
    with pytest.raises(errors.InvalidInputError, match="only a person retires"):
        gate.retire(approval.id)
    assert gate.before("deploy to production").decision == gate.before("withdraw funds").decision == "block"
    assert gate.missions.current() == mission
    ids = [own.id, flow.id, asked.id, approval.id, mission.id, decision.id]
    assert sorted(gate.forget(ids, by="anna")) == sorted(ids)


def test_the_agent_deletes_what_it_noted_and_what_a_person_ended(gate: bardo.Gate) -> None:
    own = gate.note("decision", "Name branches by ticket")
    rejected = gate.reject("sell the reserve", by="anna")
    gate.lift(rejected.id, by="anna")
    assert sorted(gate.forget([own.id, rejected.id])) == sorted([own.id, rejected.id])


def test_a_note_of_the_agent_changes_no_entry_of_a_person(gate: bardo.Gate) -> None:
    task = gate.note("task", "write the refund handler by Thursday", by="priya")
    assert gate.note("task", "Write the refund handler by Thursday") == task
    decision = gate.note("decision", "Use REST, not GraphQL", by="priya")
    own = [
        gate.note("task", "write the refund handler by Thursday maybe", detail="or skip it"),
        gate.note("task", "write the refund handler by Thursday", detail="only the happy path", by="trader"),
    ]
    assert {each.id for each in own}.isdisjoint({task.id, decision.id})
    assert gate.history(task.id) == [task]
    for act in (
        lambda: gate.note("decision", "Use GraphQL", supersedes=decision.id),
        lambda: gate.note("decision", "Use GraphQL", supersedes=decision.id, by="assistant"),
        lambda: gate.finish(decision.id),
    ):
        with pytest.raises(errors.InvalidInputError, match="only a person"):
            act()
    assert gate.state("decision") == [decision]
    replaced = gate.note("decision", "Use GraphQL", supersedes=decision.id, by="anna")
    assert gate.history(decision.id)[-1].superseded_by == replaced.id
    assert gate.finish(task.id).status == "done"


def test_a_rule_of_the_agent_rewords_no_rule_of_a_person(gate: bardo.Gate) -> None:
    said = gate.rule("Answer the customers in French", score=8, by="kofi")
    gate.rule("Answer the customers in French", score=8.5)
    gate.rule("Answer the customers in simple short French", score=8.5)
    with pytest.raises(errors.InvalidInputError, match="only a person changes"):
        gate.rule("Answer the customers in French", forbids="answer in English")
    gate.consolidate()
    kept = next(rule for rule in gate.rules() if rule.id == said.id)
    assert (kept.text, kept.by, kept.forbids) == ("Answer the customers in French", "kofi", "")


def test_the_order_of_two_things_makes_another_statement(gate: bardo.Gate) -> None:
    first = gate.note("decision", "Deploy staging before production", by="priya")
    second = gate.note("decision", "Deploy production before staging", by="priya", supersedes=first.id)
    assert (second.id != first.id, second.summary) == (True, "Deploy production before staging")
    assert [entry.superseded_by for entry in gate.history(first.id)] == [second.id]
    weekends = gate.reject("short ETH on weekends", by="priya")
    assert gate.reject("on weekends short ETH", by="priya").id == weekends.id
    assert gate.reject("prefer REST over GraphQL").id != gate.reject("prefer GraphQL over REST").id
