"""A rejection that a person lifted marks the turn it was heard from; inherited entries have the date of their words."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import bardo


def clock_at(day: str) -> bardo.ManualClock:
    return bardo.ManualClock(
        int(datetime.fromisoformat(f"{day}T10:00").replace(tzinfo=UTC).timestamp() * 1e6)
    )


def heard(folder: Path, clock: bardo.ManualClock, *said: str) -> None:
    with bardo.open(folder, clock=clock, agent="ops") as memory:
        for text in said:
            memory.remember(text, role="user", kind="turn", speaker="Greta")
            clock.advance(60)
        memory.sleep()


def standing(recollection: bardo.Recollection) -> dict[str, str]:
    return {memory.text: memory.standing for memory in recollection}


def test_a_lifted_rejection_is_marked_in_recall_prompts_and_visits(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    said = "We decided against paying for Datadog."
    heard(tmp_path, clock, said, "Please don't use Redis for the cache.")
    with bardo.open(tmp_path, clock=clock) as memory:
        assert standing(memory.recall("Do we pay for Datadog?"))[said] == ""
        clock.advance(86_400)
        with bardo.gate(tmp_path, clock=clock) as gate:
            (entry,) = [one for one in gate.state("rejected") if "Datadog" in one.summary]
            gate.lift(entry.id, by="Greta", why="the new investor pays")
        found = memory.recall("Do we pay for Datadog?")
        assert standing(found)[said] == "lifted on 2 June 2026"
        assert next(one for one in found if one.text == said).outdated
        assert "lifted on 2 June 2026" in str(memory.context("Shall we pay for Datadog?", budget=1_500))
        kept = standing(memory.recall("Do we use Redis for the cache?"))
        assert kept["Please don't use Redis for the cache."] == ""
        with bardo.visit(tmp_path, clock=clock) as visitor:
            assert standing(visitor.recall("Do we pay for Datadog?"))[said] == "lifted on 2 June 2026"


def test_what_is_said_again_after_the_lift_holds(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    said = "We decided against paying for Datadog."
    heard(tmp_path, clock, said)
    clock.advance(86_400)
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.lift(gate.state("rejected")[0].id, by="Greta")
    clock.advance(86_400)
    heard(tmp_path, clock, said)
    with bardo.open(tmp_path, clock=clock) as memory:
        marks = {memory_.at // 86_400_000_000: memory_.standing for memory_ in memory.recall(said, limit=5)}
    assert marks[max(marks)] == ""


def test_the_turn_of_a_retired_order_is_marked(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    said = "Never run combctl purge on production."
    heard(tmp_path, clock, said)
    with bardo.gate(tmp_path, clock=clock) as gate:
        gate.retire(gate.rules()[0].id, by="Greta")
    with bardo.open(tmp_path, clock=clock) as memory:
        assert standing(memory.recall("May I run combctl purge?"))[said] == "lifted later"


def test_a_merge_of_rules_lifts_nothing(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    heard(tmp_path, clock, "Never run combctl purge on production.")
    clock.advance(400 * 86_400)
    heard(tmp_path, clock, "The weather in Graz is fine.")
    with bardo.open(tmp_path, clock=clock) as memory:
        assert not any("lifted" in mark for mark in standing(memory.recall("combctl purge")).values())


def test_the_heir_sees_the_lift_and_the_dates_of_the_words(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    said = "We decided against paying for Datadog."
    heard(tmp_path / "parent", clock, said, "Please don't use Redis for the cache.")
    clock.advance(86_400)
    with bardo.gate(tmp_path / "parent", clock=clock) as gate:
        (entry,) = [one for one in gate.state("rejected") if "Datadog" in one.summary]
        gate.lift(entry.id, by="Greta")
    clock.advance(100 * 86_400)
    with bardo.open(tmp_path / "parent", clock=clock) as memory:
        memory.bequeath(tmp_path / "it.testament", cause="end of contract")
    with bardo.inherit(tmp_path / "it.testament", tmp_path / "heir", clock=clock) as heir:
        boot = str(heir.boot())
        assert 'date="2026-06-01' in boot
        assert 'date="2026-09' not in boot
        marks = standing(heir.recall("Do we pay for Datadog?"))
        assert [mark for text, mark in marks.items() if text == said] in ([], ["lifted on 2 June 2026"])
    with bardo.gate(tmp_path / "heir", clock=clock) as gate:
        (finding,) = gate.before("use Redis for the cache").findings
        assert datetime.fromtimestamp(finding.at / 1e6, UTC).date().isoformat() == "2026-06-01"


def test_the_heir_sees_that_an_inherited_task_is_done(tmp_path: Path) -> None:
    clock = clock_at("2026-06-01")
    task, open_task = "Replace the failing disk sdf in marlin", "Order a failing disk for the museum"
    with bardo.open(tmp_path / "ann", clock=clock) as ann, bardo.gate(tmp_path / "ann", clock=clock) as gate:
        gate.note("task", task, detail="it reports bad sectors")
        gate.note("task", open_task)
        gate.note("decision", "Ship on Mondays")
        clock.advance(86_400)
        ann.bequeath(tmp_path / "ann.testament")
    clock.advance(86_400)
    with (
        bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", clock=clock) as ben,
        bardo.gate(tmp_path / "ben", clock=clock) as gate,
    ):
        (entry,) = [one for one in gate.state("task") if one.summary == task]
        gate.finish(entry.id, by="Greta")
        marks = standing(ben.recall("failing disk", limit=5))
        assert marks[f"Open task: {task}. it reports bad sectors"] == "done on 3 June 2026"
        assert marks[f"Open task: {open_task}"] == ""
        ben.bequeath(tmp_path / "ben.testament")
    paths = [tmp_path / "ann.testament", tmp_path / "ben.testament"]
    with bardo.inherit(paths, tmp_path / "cat", clock=clock) as cat:
        found = next(one for one in cat.recall("failing disk", limit=5) if task in one.text)
        assert (found.standing, found.outdated) == ("done on 3 June 2026", True)
        with bardo.gate(tmp_path / "cat", clock=clock) as gate:
            clock.advance(86_400)
            gate.note("task", task, by="Greta")
        assert next(one for one in cat.recall("failing disk", limit=5) if task in one.text).standing == ""
