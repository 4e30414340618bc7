"""Entries that were heard with a date leave prompts, `boot()` and testaments when the date is over."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.changes.expiry import end_of
from bardo.conduct.model.entries import StateKind


def at(day: str) -> int:
    return int(datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=UTC).timestamp() * 1e6)


@pytest.mark.parametrize(
    ("kind", "text", "end"),
    [
        ("task", "Please file the tax return by 30 April", "2031-05-08"),
        ("task", "Send the report by Friday", "2031-02-22"),
        ("rejected", "no more deploys till September", "2031-09-01"),
        ("rejected", "No standup notes today", "2031-02-13"),
        ("decision", "We use the shared runner until June", "2031-06-01"),
        ("task", "Pay the rent every month by the 3rd", None),
        ("task", "Fix the 2nd test", None),
        ("task", "He may call the plumber", None),
        ("task", "Check the figures from 3 June on", None),
        ("rejected", "Never deploy on Friday", None),
        ("rejected", "We decided against GraphQL today", None),
        ("rejected", "Don't ship until the tests pass", None),
        ("decision", "We decided today to use Postgres", None),
        ("rejected", "Please don't short EURUSD before the ECB decision on 4 June.", "2031-06-05"),
        ("rejected", "Don't merge before the release on 12 May", "2031-05-13"),
        ("rejected", "Don't book any travel until the board meeting on 3 March.", "2031-03-04"),
        ("rejected", "No new hires before 1 April, please.", "2031-04-01"),
        ("rejected", "Don't deploy ahead of the demo on Friday.", "2031-02-15"),
        ("rejected", "No trading in SAP until 20 January", "2032-01-20"),
        ("rejected", "Don't short EURUSD before the ECB decision", None),
        ("rejected", "Don't pay salaries before the 25th", None),
        ("rejected", "Never deploy before Friday", None),
        ("rejected", "Never post before the review on every Friday", None),
        ("rejected", "Don't delete the logs before March", None),
        ("rejected", "Don't touch the invoices from before 4 June", None),
        ("rejected", "Don't sign before the lawyer has read it on Monday", None),
        ("decision", "We use the shared runner before the release on 4 June", None),
    ],
)
def test_an_entry_ends_with_its_date(kind: StateKind, text: str, end: str | None) -> None:
    found = end_of(kind, text, at("2031-02-12"))
    assert (found and datetime.fromtimestamp(found / 1e6, UTC).date().isoformat()) == end


def test_what_is_over_leaves_boot_prompts_and_testaments(tmp_path: Path) -> None:
    clock = bardo.ManualClock(at("2031-02-12"))
    with bardo.open(tmp_path / "a", clock=clock, agent="home") as memory:
        for text in ("Please file the tax return by 30 April.", "Please don't water the cactus until June."):
            memory.remember(text, role="user", kind="turn", speaker="Nils")
            clock.advance(60)
        memory.sleep()
        assert "tax return" in str(memory.boot())
        assert "cactus" in str(memory.boot())
        clock.set(at("2031-05-03"))
        memory.sleep()
        assert "tax return" in str(memory.boot())
        clock.set(at("2031-06-02"))
        memory.sleep()
        assert "tax return" not in str(memory.boot())
        assert "cactus" not in str(memory.boot())
    with bardo.gate(tmp_path / "a", clock=clock) as gate:
        assert gate.before("water the cactus").decision == "allow"


@pytest.mark.parametrize(
    ("said", "moved", "told"),
    [
        (
            "Please file the tax return by 30 April.",
            "The deadline of the tax return moved to 31 May.",
            "by 31 May",
        ),
        ("Please file the tax return by 30 April.", "the tax return got extended to 31 May", "by 31 May"),
        ("Remind me of the vet appointment on Thursday", "vet appointment is moved to Friday", "on Friday"),
        ("Please book a room for the meeting by Monday.", "the meeting moved to Friday", "by Monday"),
        ("Please file the tax return by 30 April.", "the rent review moved to 31 May", "by 30 April"),
        ("Please file the tax return by 30 April.", "Has the tax return moved to 31 May?", "by 30 April"),
    ],
)
def test_a_task_takes_the_date_to_which_its_thing_moved(
    tmp_path: Path, said: str, moved: str, told: str
) -> None:
    clock = bardo.ManualClock(at("2031-02-12"))
    with bardo.open(tmp_path / "a", clock=clock, agent="home") as memory:
        for text in (said, moved):
            memory.remember(text, role="user", kind="turn", speaker="Nils")
            clock.advance(3_600)
            memory.sleep()
    with bardo.gate(tmp_path / "a", clock=clock) as gate:
        (task,) = gate.state("task")
        assert told in task.summary


ORDER = "Please don't short EURUSD before the ECB decision on 4 June."


def test_an_order_before_an_event_blocks_until_its_day_is_over(tmp_path: Path) -> None:
    clock = bardo.ManualClock(at("2031-03-01"))
    with bardo.open(tmp_path / "a", clock=clock, agent="desk") as memory:
        memory.remember(ORDER, role="user", kind="turn", speaker="Ingrid")
        memory.sleep()
        memory.bequeath(tmp_path / "t", cause="economic")
    with bardo.inherit(tmp_path / "t", tmp_path / "b", clock=clock) as heir:
        clock.set(at("2031-06-04"))
        with bardo.gate(tmp_path / "b", clock=clock) as gate:
            assert gate.before("Short 5 lots of EURUSD").decision == "block"
        clock.set(at("2031-06-06"))
        with bardo.gate(tmp_path / "b", clock=clock) as gate:
            assert gate.before("Short 5 lots of EURUSD").decision == "allow"
        heir.sleep()
        assert "EURUSD" not in str(heir.boot())
        assert not [fact for fact in heir.facts.list() if "EURUSD" in fact.text]
        heir.bequeath(tmp_path / "t2", cause="economic")
    with bardo.inherit(tmp_path / "t2", tmp_path / "c", clock=clock), bardo.gate(tmp_path / "c") as gate:
        assert not gate.state("rejected")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (ORDER, True),
        ("Don't book any travel until the board meeting on 3 March.", True),
        ("Don't use the lift before the inspection on 3 March.", True),
        ("Don't delete the logs before March.", False),
        ("Don't send anything before the lawyer has read it on Monday.", False),
    ],
)
def test_the_facts_of_an_order_end_with_its_term(tmp_path: Path, text: str, *, ends: bool) -> None:
    clock = bardo.ManualClock(at("2031-02-12"))
    with bardo.open(tmp_path, clock=clock, agent="home") as memory:
        memory.remember(text, role="user", kind="turn", speaker="Nils")
        memory.sleep()
        facts = memory.facts.list()
        assert bool(facts) or not ends
        assert any(fact.statement and fact.statement.until for fact in facts) is ends
        clock.set(at("2031-06-20"))
        memory.sleep()
        assert not (ends and memory.facts.list())
