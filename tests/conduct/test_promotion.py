"""Lessons that become rules."""

from __future__ import annotations

import bardo
from bardo.ports import ManualClock

LESSON = "Check the encoding before importing a supplier file"
DAY = 86_400


def test_a_lesson_that_is_learned_again_on_a_later_day_becomes_a_rule(
    gate: bardo.Gate, clock: ManualClock
) -> None:
    first = gate.note("learning", LESSON, by="anna")
    clock.advance(DAY // 2)
    assert gate.note("learning", LESSON).id == first.id
    assert gate.rules() == []
    clock.advance(DAY)
    done = gate.note("learning", f"{LESSON}!")
    (rule,) = gate.rules()
    assert (rule.text, rule.by, rule.forbids) == (LESSON, "anna", "")
    assert (done.id, done.status, done.closed_why) == (
        first.id, "done", f"learned again: it is the rule {rule.id}",
    )  # fmt: skip
    assert gate.state("learning") == []
    assert [each.id for each in gate.before("import a supplier file").applying] == [rule.id]


def test_other_kinds_and_other_lessons_are_no_rules(gate: bardo.Gate, clock: ManualClock) -> None:
    for _ in range(3):
        gate.note("decision", "Suppliers send their files on Mondays")
        gate.note("discovery", "Supplier files are in Latin-1")
        clock.advance(2 * DAY)
    gate.note("learning", "Never trust a file name")
    clock.advance(2 * DAY)
    gate.note("learning", "Weigh the parcel twice")
    assert gate.rules() == []


def test_a_lesson_that_forbids_becomes_a_rule_that_warns(gate: bardo.Gate, clock: ManualClock) -> None:
    for _ in range(2):
        gate.note("learning", "Never import a supplier file without a backup")
        clock.advance(2 * DAY)
    (rule,) = gate.rules()
    assert rule.forbids == rule.text
