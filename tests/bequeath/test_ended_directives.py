"""Ends at the gate cross a death as tombstones: of two words on the same, the later one of a person counts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import bardo
from bardo.bequeath.content.directives import DIRECTIVE_LIMIT, ENDED_LIMIT, Directive, choose
from bardo.bequeath.privacy.redact import Redactor
from bardo.bequeath.testament import testament

IDEA, TASK = "ship parcels by night train", "order new crates from Lorenz"


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(1_700_000_000_000_000)


def gate_of(path: Path, clock: bardo.ManualClock) -> bardo.Gate:
    clock.advance(seconds=3_600)
    return bardo.gate(path, clock=clock, words_only=True)


def die(folder: Path, name: str, clock: bardo.ManualClock) -> Path:
    """Ends a life, after what its gate was told, and returns the file of its testament."""
    with bardo.open(folder / name, clock=clock) as agent:
        agent.bequeath(folder / f"{name}.testament")
    return folder / f"{name}.testament"


def founder(folder: Path, clock: bardo.ManualClock) -> Path:
    with bardo.open(folder / "ann", clock=clock), gate_of(folder / "ann", clock) as gate:
        gate.reject(IDEA, by="Imke", why="the depot closes at nine")
        gate.note("task", TASK)
        gate.rule("never stack crates", by="Imke", forbids="stack crates")
        gate.missions.set("Deliver the parcels of the valley", by="Imke")
    return die(folder, "ann", clock)


def heir_that_ends_all(folder: Path, parent: Path, clock: bardo.ManualClock) -> Path:
    with bardo.inherit(parent, folder / "ben", clock=clock), gate_of(folder / "ben", clock) as gate:
        gate.lift(gate.state("rejected")[0].id, by="Imke", why="it opens longer now")
        gate.finish(gate.state("task")[0].id, by="Jonas")
        gate.retire(gate.rules()[0].id, by="Imke")
        gate.missions.end(by="Imke")
    return die(folder, "ben", clock)


@pytest.mark.parametrize("way", ["older first", "newer first", "older later"])
def test_an_older_testament_brings_back_nothing_that_was_ended(tmp_path, clock, way):
    older = founder(tmp_path, clock)
    newer = heir_that_ends_all(tmp_path, older, clock)
    given = {"older first": [older, newer], "newer first": [newer, older], "older later": [newer]}[way]
    with bardo.inherit(given, tmp_path / "cat", clock=clock) as heir:
        if way == "older later":
            heir.lineage.adopt(older)
        with gate_of(tmp_path / "cat", clock) as gate:
            assert gate.before(IDEA).decision == "allow"
            assert gate.before("stack crates").decision == "allow"
            assert gate.state() == []
            assert gate.missions.current() is None
            (lifted,) = gate.state("rejected", every=True)
            assert (lifted.closed_by, lifted.closed_why) == (
                "inherited from ben, by Imke",
                "it opens longer now",
            )


def test_an_end_crosses_two_deaths(tmp_path, clock):
    older = founder(tmp_path, clock)
    middle = heir_that_ends_all(tmp_path, older, clock)
    bardo.inherit(middle, tmp_path / "cat", clock=clock).close()
    left = testament.read(die(tmp_path, "cat", clock))
    assert {(one.text, one.ended_by, one.ended_in) for one in left.ended} >= {
        (IDEA, "Imke", "ben"),
        (TASK, "Jonas", "ben"),
    }
    assert IDEA not in {one.text for one in left.conduct}
    bardo.inherit([older, tmp_path / "cat.testament"], tmp_path / "dan", clock=clock).close()
    with gate_of(tmp_path / "dan", clock) as gate:
        assert gate.before(IDEA).decision == "allow"


def test_a_later_rejection_by_a_person_counts_more_than_an_earlier_lift(tmp_path, clock):
    older = founder(tmp_path, clock)
    lifted = heir_that_ends_all(tmp_path, older, clock)
    with bardo.inherit(older, tmp_path / "eve", clock=clock), gate_of(tmp_path / "eve", clock) as gate:
        gate.reject(IDEA, by="Imke", why="a parcel was lost")
    again = die(tmp_path, "eve", clock)
    for name, given in (("fay", [lifted, again]), ("gus", [again, lifted])):
        with bardo.inherit(given, tmp_path / name, clock=clock), gate_of(tmp_path / name, clock) as gate:
            assert gate.before(IDEA).decision == "block"


def test_an_end_by_an_agent_leaves_what_a_person_told_the_heir(tmp_path, clock):
    with bardo.open(tmp_path / "hal", clock=clock) as heir:
        with gate_of(tmp_path / "hal", clock) as gate:
            gate.note("task", TASK, by="Jonas")
        with bardo.open(tmp_path / "ann", clock=clock), gate_of(tmp_path / "ann", clock) as gate:
            gate.finish(gate.note("task", TASK).id)
        report = heir.lineage.adopt(die(tmp_path, "ann", clock))
        assert (report.directives, report.ended) == (0, 0)
        with gate_of(tmp_path / "hal", clock) as gate:
            assert [one.summary for one in gate.state("task")] == [TASK]


def test_the_testament_of_an_unknown_signer_ends_nothing(tmp_path, clock, monkeypatch):
    older = founder(tmp_path, clock)
    lifted = heir_that_ends_all(tmp_path, older, clock)
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "elsewhere"))
    with bardo.open(tmp_path / "kim", clock=clock) as heir:
        with gate_of(tmp_path / "kim", clock) as gate:
            gate.reject(IDEA, by="Imke")
        heir.lineage.adopt(lifted, allow="ben")
        with gate_of(tmp_path / "kim", clock) as gate:
            assert gate.before(IDEA).decision == "block"


def test_ends_are_capped_and_those_of_persons_cross_first():
    held = [Directive("task", f"count shelf {place}", at=place) for place in range(DIRECTIVE_LIMIT - 40)]
    done = [Directive("task", f"sweep hall {place}", ended_at=place + 1) for place in range(200)]
    lifts = [Directive("rejected", f"close gate {place}", ended_at=1, ended_by="Imke") for place in range(20)]
    chosen, over = choose([*done, *held, *lifts], "ann", Redactor(personal=True))
    assert len(chosen) == DIRECTIVE_LIMIT
    assert sum(one.kind == "rejected" for one in chosen) == 20
    assert {one.reason for one in over} == {"directive_over_cap"}
    chosen, _ = choose([*done, *lifts], "ann", Redactor(personal=True))
    assert len(chosen) == ENDED_LIMIT


def test_an_heir_dates_an_inherited_rejection_by_the_day_of_its_statement(tmp_path, clock, minilm):
    testament_file = founder(tmp_path, clock)
    said = clock.now() - 3_600_000_000
    clock.advance(seconds=90 * 86_400)
    with bardo.inherit(testament_file, tmp_path / "ben", embedder=minilm, clock=clock) as heir:
        with gate_of(tmp_path / "ben", clock) as gate:
            (rejected,) = gate.state("rejected")
            assert rejected.at == rejected.changed_at <= clock.now() - 89 * 86_400_000_000
        prompt = str(heir.boot())
    days = re.findall(rf'date="(\S+)[^>]*>\nrejected \({rejected.id}\)', prompt)
    assert days == [datetime.fromtimestamp(said / 1e6, UTC).date().isoformat()]
