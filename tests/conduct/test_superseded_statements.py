"""A newer figure of the same thing ends the discovery or learning that quotes the older one, which stays on record."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo
from bardo.conduct.hearing.changes.superseding import restates

OLD, NEW = "BRENT position limit is 40 lots", "Our position limit on BRENT is 30 lots from today"


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_770_000_000_000_000)


def gate_of(path: Path, clock: bardo.ManualClock) -> bardo.Gate:
    return bardo.gate(path, clock=clock, words_only=True)


def told(path: Path, clock: bardo.ManualClock) -> str:
    """Texts that a gate tells before an action and at the start of a session."""
    with bardo.open(path, clock=clock) as memory, gate_of(path, clock) as gate:
        return f"{gate.before('buy 35 lots of BRENT')} {memory.boot().text}"


@pytest.mark.parametrize("kind", ["discovery", "learning", "context"])
@pytest.mark.parametrize("newer", ["discovery", "learning", "decision", "rule"])
def test_a_newer_word_at_the_gate_ends_the_older_figure(tmp_path, clock, kind, newer):
    with bardo.open(tmp_path, clock=clock), gate_of(tmp_path, clock) as gate:
        old = gate.note(kind, OLD)
        clock.advance(seconds=86_400)
        later = gate.rule(NEW) if newer == "rule" else gate.note(newer, NEW)
        (ended,) = [entry for entry in gate.state(kind, every=True) if entry.status != "active"]
        assert (ended.id, ended.superseded_by, ended.closed_why) == (
            old.id,
            later.id,
            f"superseded by {later.id}",
        )
    assert "40 lots" not in told(tmp_path, clock)
    assert "30 lots" in told(tmp_path, clock)


def test_what_a_person_says_later_ends_it_in_the_next_pass(tmp_path, clock):
    with bardo.open(tmp_path, clock=clock) as memory, gate_of(tmp_path, clock) as gate:
        gate.note("discovery", OLD, by="Ines")
        clock.advance(seconds=86_400)
        memory.remember(NEW, role="user", kind="turn", speaker="Ines")
        memory.sleep()
        assert [entry.summary for entry in gate.state("discovery")] == [NEW]
    assert "40 lots" not in told(tmp_path, clock)


def test_a_fact_that_was_learned_later_ends_the_agents_own_statement_alone(tmp_path, clock):
    with bardo.open(tmp_path, clock=clock) as memory, gate_of(tmp_path, clock) as gate:
        gate.note("discovery", OLD)
        persons = gate.note("learning", "The WTI position limit is 40 lots", by="Ines")
        clock.advance(seconds=86_400)
        fact = memory.learn(NEW, confidence=0.9)
        memory.learn("The WTI position limit is 20 lots from today", confidence=0.9)
        memory.sleep()
        (ended,) = gate.state("discovery", every=True)
        assert (ended.status, ended.closed_why) == ("archived", f"superseded by the fact {fact.id}")
        assert [entry.id for entry in gate.state("learning")] == [persons.id]


def test_a_turn_that_is_read_later_than_a_newer_note_ends_nothing(tmp_path, clock):
    with bardo.open(tmp_path, clock=clock) as memory, gate_of(tmp_path, clock) as gate:
        memory.remember(OLD, role="user", kind="turn", speaker="Ines")
        clock.advance(seconds=86_400)
        gate.note("discovery", NEW)
        memory.sleep()
        assert NEW in [entry.summary for entry in gate.state("discovery")]


def test_a_rejection_that_gives_another_figure_stays_a_rejection(tmp_path, clock):
    with bardo.open(tmp_path, clock=clock) as memory, gate_of(tmp_path, clock) as gate:
        gate.note("discovery", "We hold at most 40 lots of BRENT")
        clock.advance(seconds=86_400)
        memory.remember("Never hold more than 30 lots of BRENT", role="user", kind="turn", speaker="Ines")
        memory.sleep()
        assert gate.before("hold more than 30 lots of BRENT").decision == "block"


def test_an_older_fact_and_words_of_the_agent_end_no_statement_of_a_person(tmp_path, clock):
    with bardo.open(tmp_path, clock=clock) as memory, gate_of(tmp_path, clock) as gate:
        memory.learn(NEW, confidence=0.9)
        clock.advance(seconds=86_400)
        gate.note("discovery", OLD, by="Ines")
        gate.note("discovery", "The BRENT position limit is 25 lots from today")
        memory.sleep()
        assert len(gate.state("discovery")) == 2


def test_the_later_of_two_parents_counts_in_any_order(tmp_path, clock):
    for name, text in (("ann", OLD), ("ben", NEW)):
        with bardo.open(tmp_path / name, clock=clock) as agent, gate_of(tmp_path / name, clock) as gate:
            gate.note("discovery", text)
            clock.advance(seconds=86_400)
            agent.bequeath(tmp_path / f"{name}.testament")
    files = [tmp_path / "ann.testament", tmp_path / "ben.testament"]
    for heir, given in (("cat", files), ("dan", files[::-1])):
        bardo.inherit(given, tmp_path / heir, clock=clock).close()
        with gate_of(tmp_path / heir, clock) as gate:
            assert [entry.summary for entry in gate.state("discovery")] == [NEW]


def test_what_was_superseded_stays_so_at_the_heir(tmp_path, clock):
    with bardo.open(tmp_path / "ann", clock=clock) as agent, gate_of(tmp_path / "ann", clock) as gate:
        gate.note("discovery", OLD)
        clock.advance(seconds=86_400)
        gate.note("discovery", NEW)
        agent.bequeath(tmp_path / "ann.testament")
    bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", clock=clock).close()
    assert "40 lots" not in told(tmp_path / "ben", clock)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLD, NEW),
        ("The cold store limit is 6 degrees", "From now on the cold store limit is 4 degrees"),
        (
            "Retries of the payment job are limited to 5",
            "Correction: retries of the payment job are limited to 3",
        ),
        ("The deploy window limit is 30 minutes", "The deploy window limit is 20 minutes now"),
        ("Max order size at Kessler is 12 crates", "Max order size at Kessler is now 8 crates"),
        ("The upload cap is 50 mb", "The upload cap was raised from 50 to 80 mb"),
        ("Pump 3 delivers 40 litres", "Pump 3 delivers 30 litres from today"),
        ("The 09:30 fixing limit is 40 lots", "The 09:30 fixing limit is 30 lots"),
    ],
)
def test_another_figure_of_the_same_quantity_of_a_thing_restates_it(older, newer):
    assert restates(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (OLD, "Our position limit on WTI is 30 lots from today"),
        (OLD, "Our position on BRENT is 30 lots from today"),
        (OLD, "BRENT daily loss limit is 30 lots"),
        (OLD, "BRENT position minimum is 5 lots from now on"),
        (OLD, "BRENT position limit is 5 percent of equity from now on"),
        (OLD, "Is our position limit on BRENT 30 lots?"),
        (OLD, "Maybe our BRENT position limit is 30 lots"),
        (OLD, "The BRENT position limit overnight is 20 lots"),
        (OLD, "The BRENT position limit on Fridays is 20 lots"),
        (OLD, OLD),
        ("Fill on BRENT took 40 ms", "Fill on BRENT took 30 ms"),
        ("Pump 3 delivers 40 litres", "Pump 4 delivers 30 litres from today"),
        ("The limit of account 7 is 40 lots", "The limit of account 9 is 30 lots from today"),
        ("The 09:30 fixing limit is 40 lots", "The 16:00 fixing limit is 30 lots"),
        ("In May the BRENT limit is 40 lots", "In June the BRENT limit is 30 lots"),
        ("Yesterday the vault was at 91 percent", "The vault is at 86 percent now"),
        ("Kessler delivers at most 12 crates", "Kessler delivers at least 8 crates from now on"),
        ("Kessler delivers on Mondays", "Kessler delivers 8 crates from now on"),
    ],
)
def test_another_thing_quantity_bound_unit_or_case_restates_nothing(older, newer):
    assert not restates(older, newer)
