"""A person's later statement ends the order or decision that it replaces: in the gate, in recall, at heirs."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

DAY = 86_400
VAULT = (
    "The east vault must be held at 91 percent humidity.",
    "Correction: hold the east vault at 88 percent humidity from now on, no longer 91.",
    "The east vault goes to 86 percent humidity now, the 88 was too wet.",
)
SPRUCE = "We age the reblochon on spruce boards, not on steel grids"
LARCH = "We moved the reblochon to larch boards, spruce is out of stock for good."


def clock_of() -> bardo.ManualClock:
    return bardo.ManualClock(1_770_000_000_000_000)


def say(folder: Path, clock: bardo.ManualClock, *said: str, role: str = "user") -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    with bardo.open(folder, clock=clock) as memory:
        for text in said:
            memory.remember(text, role=role, kind="turn", speaker="Odile" if role == "user" else None)
            clock.advance(DAY)
            notes = memory.sleep().notes
    return notes


def descend(parent: Path, heir: Path, clock: bardo.ManualClock) -> None:
    with bardo.open(parent, clock=clock) as memory:
        memory.bequeath(heir.with_suffix(".testament"), cause="end of contract")
    bardo.inherit(heir.with_suffix(".testament"), heir, clock=clock).close()


def in_force(folder: Path, clock: bardo.ManualClock) -> list[tuple[str, float]]:
    with bardo.gate(folder, clock=clock) as gate:
        assert gate.state(kind="task") == []
        return [(rule.text, rule.score) for rule in gate.rules()]


def test_a_new_figure_ends_the_order_in_the_gate_and_marks_its_turn(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path / "a", clock, VAULT[0])
    notes = say(tmp_path / "a", clock, VAULT[1])
    assert any("1 rule or decision was replaced" in note for note in notes)
    assert in_force(tmp_path / "a", clock) == [(VAULT[1], 9.0)]
    with bardo.gate(tmp_path / "a", clock=clock) as gate:
        (old,) = [rule for rule in gate.rules(every=True) if rule.retired_by]
        assert (old.retired_by, old.superseded_by) == ("Odile", gate.rules()[0].id)
        assert gate.history(old.id) == [old]
    with bardo.open(tmp_path / "a", clock=clock) as memory:
        first, second = memory.recall("How humid should the east vault be?", limit=2)
        assert (first.text, first.standing) == (VAULT[1], "")
        assert (second.text, second.outdated) == (VAULT[0], True)
        assert second.standing.startswith("corrected on")


def test_three_figures_over_three_generations_leave_the_latest_in_force(tmp_path: Path) -> None:
    clock = clock_of()
    for place, text in enumerate(VAULT):
        say(tmp_path / str(place), clock, text)
        descend(tmp_path / str(place), tmp_path / str(place + 1), clock)
    assert in_force(tmp_path / "3", clock) == [(VAULT[2], 9.0)]
    with bardo.open(tmp_path / "3", clock=clock) as memory:
        found = list(memory.recall("How humid should the east vault be?"))
        assert found[0].text.endswith(VAULT[2])
        older = [one for one in found if "91 percent" in one.text or "at 88 percent" in one.text]
        assert all(one.outdated for one in older), [(one.text, one.standing) for one in older]


def test_an_order_that_is_given_again_holds_again(tmp_path: Path) -> None:
    clock = clock_of()
    with bardo.open(tmp_path / "a", clock=clock) as memory:
        for text in (*VAULT[:2], VAULT[0]):
            memory.remember(text, role="user", kind="turn", speaker="Odile")
            clock.advance(DAY)
        memory.sleep()
        found = list(memory.recall("How humid should the east vault be?"))
        assert (found[0].text, found[0].standing) == (VAULT[0], "")
        assert all(one.standing for one in found if one.text == VAULT[1])
    assert in_force(tmp_path / "a", clock) == [(VAULT[0], 9.0)]


def test_an_agents_word_ends_no_order(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path / "a", clock, VAULT[0])
    say(tmp_path / "a", clock, VAULT[1], role="agent")
    assert (VAULT[0], 9.0) in in_force(tmp_path / "a", clock)


def test_an_order_about_another_vault_ends_nothing(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path / "a", clock, VAULT[0], "The west vault must be held at 88 percent humidity.")
    assert len(in_force(tmp_path / "a", clock)) == 2
    with bardo.open(tmp_path / "a", clock=clock) as memory:
        assert not any(one.standing for one in memory.recall("How humid should the vaults be?"))


def test_a_persons_word_ends_a_decision_that_the_agent_noted(tmp_path: Path) -> None:
    clock = clock_of()
    bardo.open(tmp_path / "a", clock=clock).close()
    with bardo.gate(tmp_path / "a", clock=clock) as gate:
        gate.note("decision", SPRUCE)
    descend(tmp_path / "a", tmp_path / "b", clock)
    clock.advance(DAY)
    say(tmp_path / "b", clock, LARCH)
    descend(tmp_path / "b", tmp_path / "c", clock)
    for heir in ("b", "c"):
        if heir == "c":
            with bardo.gate(tmp_path / heir, clock=clock) as gate:
                assert [entry.summary for entry in gate.state(kind="decision")] == [LARCH]
        with bardo.visit(tmp_path / heir, clock=clock) as memory:
            found = list(memory.recall("On what kind of boards does the reblochon mature?"))
            assert "larch" in found[0].text
            assert all(one.outdated for one in found if "on spruce boards" in one.text)


@pytest.mark.parametrize(
    "newer", ["The comté matures on larch boards.", "Spruce boards are on sale at Thévenet."]
)
def test_talk_of_the_same_boards_ends_no_noted_decision(tmp_path: Path, newer: str) -> None:
    clock = clock_of()
    bardo.open(tmp_path, clock=clock).close()
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.note("decision", SPRUCE)
    clock.advance(DAY)
    say(tmp_path, clock, newer)
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert SPRUCE in [entry.summary for entry in gate.state(kind="decision")]


def test_a_choice_after_all_is_heard_as_a_decision(tmp_path: Path) -> None:
    clock = clock_of()
    say(tmp_path, clock, "We moved to Scaleway after all.")
    with bardo.gate(tmp_path, clock=clock) as gate:
        assert [entry.summary for entry in gate.state(kind="decision")] == ["We moved to Scaleway after all."]


def test_orders_that_an_earlier_bardo_heard_become_critical(tmp_path: Path) -> None:
    clock = clock_of()
    said = ["Always ask me before you buy anything.", "Use spaces for indentation in each file."]
    say(tmp_path, clock, *said)
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.rule("Never post invoices in the team channel.", score=8)
        before = {rule.text: rule.score for rule in gate.rules()}
        order = next(rule for rule in gate.rules() if rule.text == said[0])
    with bardo.gate(tmp_path, clock=clock) as gate, gate._store.writing():
        gate._store.put(bardo.conduct.model.entries.replace(order, score=8.0))
    clock.advance(100 * DAY)
    notes = say(tmp_path, clock, "The weather in Graz is fine.")
    assert any("1 standing order" in note for note in notes)
    with bardo.gate(tmp_path, clock=clock) as gate:
        after = {rule.text: rule.score for rule in gate.rules(every=True)}
    assert after == before
    assert not any("standing order" in note for note in say(tmp_path, clock, "It rains in Graz."))


def test_a_figure_of_a_task_is_replaced_by_a_statement_that_names_it(tmp_path: Path) -> None:
    said = (
        "Retry limit for the payment webhook: 5 attempts, then page someone",
        "From now on 8 attempts instead of 5 for the payment webhook",
    )
    with bardo.open(tmp_path) as memory:
        for text in said:
            memory.remember(text, role="user", kind="turn", thread="chat")
            memory.sleep()
    with bardo.gate(tmp_path) as gate:
        assert [(one.kind, one.summary) for one in gate.state()] == [("task", said[1])]
