"""Selection of episodes and directives for an heir: by worth, not by the way in which they were captured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import bardo
from bardo import _core
from bardo.bequeath.content.worth import most_worthy, worth
from bardo.errors import BardoWarning
from bardo.model import Episode


def routine(number: int) -> Episode:
    host = ("billing", "search", "ledger")[number % 3]
    return Episode(f"health check of {host} ok in {number * 7} ms", tick=number)


def ranked(folder: Path, *told: Episode) -> list[str]:
    log = _core.EpisodeLog(folder / "episodes.redb", agent="ann", seed=1, now=1)
    log.record([*(routine(number) for number in range(60)), *told], now=1, out_of_order=True)
    survey = _core.Survey(log, kinds=("outcome",), latest=4)
    assert survey.bytes > 60 * 64
    assert len(survey.latest) == sum(one.kind == "outcome" and one.verified for one in told)
    best, reasons = most_worthy(log, survey, 100)
    assert "episode_over_cap" not in reasons.values()
    found = [episode.text for episode, _ in best]
    log.close()
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "user", "kind": "turn"},
        {"role": "tool", "kind": "tool"},
        {"role": "agent", "kind": "turn"},
        {"verified": True, "importance": 0.5},
        {},
    ],
)
def test_an_identifier_is_chosen_by_whatever_way_it_was_captured(tmp_path: Path, fields: dict) -> None:
    text = "the standby of ledger listens on node-17.fra2.internal:8443"
    assert ranked(tmp_path, Episode(text, **fields)) == [text]


def test_a_mistake_comes_first_and_routine_stays_behind(tmp_path: Path) -> None:
    mistake = Episode(
        "Restarted the primary; writes were lost", kind="outcome", payload={"value": -0.9}, verified=True
    )
    turn = Episode("the runbook of search is /srv/run/search.md", role="user")
    assert ranked(tmp_path, turn, mistake) == [mistake.text, turn.text]


def test_a_mistake_in_the_words_of_routine_crosses(tmp_path: Path) -> None:
    told = Episode("health check of billing ok in 3 ms", kind="outcome", payload={"value": -1})
    assert ranked(tmp_path, told) == [told.text]


ROWS = (
    lambda name, number: f"Host {name} has address 10.3.{number}.{40 + number * 3}",
    lambda name, number: f"Locker {10 + number} belongs to {name}",
    lambda name, number: f"{name} answers the pager under +43 660 55{number}{number}71{number}",
    lambda name, number: f"Invoice INV-{7100 + number * 37} of {name} was paid twice by mistake",
)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("count", [3, 4, 12])
@pytest.mark.parametrize("role", ["user", "environment"])
def test_rows_of_a_list_all_cross_by_any_role(tmp_path: Path, row: Callable, count: int, role: str) -> None:
    names = ("Ada", "Bruno", "Cleo", "Dario", "Edda", "Falk", "Greta", "Hugo", "Ida", "Jonas", "Kira", "Leon")
    rows = [row(name, number) for number, name in enumerate(names[:count])]
    assert sorted(ranked(tmp_path, *(Episode(text, role=role) for text in rows))) == sorted(rows)


def test_sentences_of_a_person_cross_after_others_and_a_stream_of_readings_stays_behind(
    tmp_path: Path,
) -> None:
    readings = [
        Episode(f"Meter M-{90_000 + number} of flat {number} reads {number * 7} units")
        for number in range(3_000)
    ]
    said = [Episode(f"Oven {number % 7} was too hot again this morning", role="user") for number in range(40)]
    statement = Episode("the standby of ledger listens on node-17.fra2.internal:8443")
    found = ranked(tmp_path, *readings, *said, statement)
    assert found[0] == statement.text
    assert sorted(found[1:]) == sorted(one.text for one in said)


def test_worth_falls_with_the_generations_of_an_inherited_episode() -> None:
    def heard(generation: int) -> float:
        lived = {"kind": "event", "payload": None, "importance": None, "generation": generation}
        return worth(Episode("Ask Ines Okafor first", kind="inherited", payload={"inherited": lived}), 1.0)

    assert heard(2) == pytest.approx(heard(1) * 0.85)
    assert heard(3) == pytest.approx(heard(1) * 0.85**2)


def test_the_gate_of_an_heir_and_of_its_heir_blocks_what_the_parents_blocked(tmp_path, minilm) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, embedder=minilm) as gate:
        gate.reject("delete the audit log of billing", why="regulators need it")
        lifted = gate.reject("restart search at noon")
        gate.lift(lifted.id, by="Mona")
        gate.rule("Drain the primary before an update", forbids="reboot the primary", by="Mona")
        assert gate.before("reboot the primary").decision == "block"
        gate.note("decision", "we keep billing on PostgreSQL")
        ann.bequeath(tmp_path / "ann.testament")
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with bardo.inherit(tmp_path / f"{parent}.testament", tmp_path / name, embedder=minilm) as heir:
            assert heir.lineage.inheritance is not None
            assert heir.lineage.inheritance.directives == 3
            with bardo.gate(heir.path, embedder=minilm) as gate:
                verdict = gate.before("delete audit log of billing")
                assert verdict.decision == "block"
                assert gate.before("reboot the primary").decision == "block"
                assert "search" not in str(gate.before("restart search at noon")).replace(
                    "restart search at noon", ""
                )
                (rejection,) = gate.state("rejected")
                assert rejection.by.startswith("inherited from ann")
            assert any("keep billing on PostgreSQL" in one.text for one in heir.recall("billing database"))
            heir.bequeath(tmp_path / f"{name}.testament")


def test_flows_missions_and_corrections_cross_to_heirs(tmp_path, minilm) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, embedder=minilm) as gate:
        flow = gate.flows.add(
            "release", ["run make check"], triggers=["deploy to production"], needs_approval=True
        )
        gate.flows.record("release", passed=True)
        gate.missions.set("Keep the API up", by="Mona")
        rejected = gate.reject("add date libraries", by="Mona")
        gate.correct(rejected.id, forbids={"packages": ["tempora"]}, add=True, by="Mona")
        gate.capabilities.add("psql", usage="psql -h reports")
        ann.bequeath(tmp_path / "ann.testament")
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with bardo.inherit(tmp_path / f"{parent}.testament", tmp_path / name, embedder=minilm) as heir:
            with bardo.gate(heir.path, embedder=minilm) as gate:
                verdict = gate.before("deploy to production")
                assert (verdict.decision, verdict.findings[0].reason) == ("block", "flow")
                inherited = gate.flows.get("release")
                assert (inherited.steps, inherited.triggers, inherited.used) == (flow.steps, flow.triggers, 0)
                assert inherited.by.startswith("inherited from ann")
                assert gate.before("npm install tempora").decision == "block"
                with pytest.raises(bardo.errors.InvalidInputError, match="only a person"):
                    gate.missions.set("do as you like")
                assert gate.capabilities.list() == []
            assert "Keep the API up" in str(heir.boot())
            assert any("run make check" in one.text for one in heir.recall("how do we deploy to production?"))
            heir.bequeath(tmp_path / f"{name}.testament")


def test_an_heir_keeps_its_own_mission_and_flow(tmp_path, minilm) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, embedder=minilm) as gate:
        gate.missions.set("Keep the API up", by="Mona")
        gate.flows.add("release", ["push at once"])
        ann.bequeath(tmp_path / "ann.testament")
    with (
        bardo.open(tmp_path / "ben", embedder=minilm) as heir,
        bardo.gate(heir.path, embedder=minilm) as gate,
    ):
        own = gate.missions.set("Keep the books")
        flow = gate.flows.add("release", ["run make check"])
        heir.lineage.adopt(tmp_path / "ann.testament")
        assert (gate.missions.current(), gate.flows.list()) == (own, [flow])


def test_a_lifted_rejection_stays_lifted_when_a_testament_brings_it_again(tmp_path, minilm) -> None:
    for name in ("ann", "eve"):
        with bardo.open(tmp_path / name, embedder=minilm) as parent, bardo.gate(parent.path) as gate:
            gate.reject("delete the audit log of billing")
            parent.bequeath(tmp_path / f"{name}.testament")
    heir = bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm)
    with heir, bardo.gate(heir.path, embedder=minilm) as gate:
        gate.lift(gate.state("rejected")[0].id, by="Mona")
    heir = bardo.inherit(tmp_path / "eve.testament", tmp_path / "ben", embedder=minilm)
    with heir, bardo.gate(heir.path, embedder=minilm) as gate:
        assert gate.before("delete audit log of billing").decision == "allow"


def test_a_replaced_belief_crosses_as_a_tombstone_until_own_evidence_states_it(tmp_path, minilm) -> None:
    old, new = "billing runs in Oregon", "billing runs in Dublin"
    where = {"subject": "billing", "attribute": "location"}
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.learn(old, **where, value="Oregon")
        ann.learn(new, **where, value="Dublin")
        ann.bequeath(tmp_path / "ann.testament")
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with bardo.inherit(tmp_path / f"{parent}.testament", tmp_path / name, embedder=minilm) as heir:
            (stone,) = heir.facts.list(status="superseded")
            assert stone.text == old
            assert stone.confidence <= 0.2
            assert [one.text for one in heir.facts.list()] == [new]
            assert [one.text for one in heir.recall("where does billing run?")] == [new]
            heir.bequeath(tmp_path / f"{name}.testament")
    clock = bardo.ManualClock(1_900_000_000_000_000)
    with bardo.inherit(tmp_path / "cat.testament", tmp_path / "dan", embedder=minilm, clock=clock) as heir:
        with pytest.warns(BardoWarning, match="were refuted before"):
            heir.learn(old, **where, value="Oregon")
        assert [one.text for one in heir.facts.list()] == [new]
        clock.advance(seconds=3_600)
        heir.learn(old, **where, value="Oregon")
        assert [one.text for one in heir.facts.list()] == [old]


@pytest.mark.parametrize("by_routine", [True, False])
def test_a_statement_that_routine_ended_crosses_nevertheless(tmp_path, minilm, by_routine: bool) -> None:
    told = "Decided: night calls about the boiler wait until seven unless there is smoke"
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        (old,) = ann.remember([{"text": told, "role": "user", "kind": "turn"}])
        lines = ann.remember([routine(number).text for number in range(60)])
        (new,) = ann.remember([{"text": "We agreed that a fitter answers night calls", "role": "user"}])
        newer, text = (
            (lines[-1], routine(59).text)
            if by_routine
            else (new, "A fitter answers night calls about the boiler")
        )
        fact = ann.learn(bardo.Fact(told, evidence=(old.id,)))
        ann.facts.supersede(fact, bardo.Fact(text, evidence=(newer.id,)))
        left = ann.bequeath(tmp_path / "ann.testament")
    assert (told in [one.text for one in left.episodes]) is by_routine


def test_a_tombstone_ends_nothing_that_the_heir_knows_itself(tmp_path, minilm) -> None:
    old, new = "billing runs in Oregon", "billing runs in Dublin"
    where = {"subject": "billing", "attribute": "location"}
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann:
        ann.learn(old, **where, value="Oregon")
        ann.learn(new, **where, value="Dublin")
        ann.bequeath(tmp_path / "ann.testament")
    with bardo.open(tmp_path / "ben", embedder=minilm) as ben:
        own = ben.learn(old, **where, value="Oregon")
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm) as heir:
        (kept,) = [one for one in heir.facts.list() if one.text == old]
        assert (kept.id, kept.source, kept.confidence) == (own.id, "self", own.confidence)


def test_an_unverified_turn_that_corrects_another_is_recalled_before_it(tmp_path, minilm) -> None:
    turns = ("the queue of search is Kafka", "we moved the queue of search from Kafka to NATS")
    clock = bardo.ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "ann", embedder=minilm, clock=clock) as ann:
        for turn in turns:
            clock.advance(seconds=3_600)
            ann.remember(turn, role="user", kind="turn")
        ann.bequeath(tmp_path / "ann.testament")
    for parent, name in (("ann", "ben"), ("ben", "cat")):
        with bardo.inherit(
            tmp_path / f"{parent}.testament", tmp_path / name, embedder=minilm, clock=clock
        ) as heir:
            found = heir.recall("which queue does search use?")
            assert [one.text for one in found] == list(reversed(turns))
            assert found[1].corrected_by == (found[0].id,)
            heir.bequeath(tmp_path / f"{name}.testament")


def test_directives_of_an_unknown_signer_stay_in_the_file(tmp_path, minilm, monkeypatch) -> None:
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, embedder=minilm) as gate:
        gate.reject("trade at all")
        ann.bequeath(tmp_path / "ann.testament")
    monkeypatch.setenv("BARDO_CONFIG", str(tmp_path / "elsewhere"))
    with bardo.inherit(tmp_path / "ann.testament", tmp_path / "ben", embedder=minilm, allow="ann") as heir:
        assert heir.lineage.inheritance is not None
        assert heir.lineage.inheritance.limited["directives"] == 1
        with bardo.gate(heir.path, embedder=minilm) as gate:
            assert gate.before("trade at all").decision == "allow"


def test_secrets_in_directives_stay_behind(tmp_path, minilm) -> None:
    secret = "ghp_" + "a1" * 18
    with bardo.open(tmp_path / "ann", embedder=minilm) as ann, bardo.gate(ann.path, embedder=minilm) as gate:
        gate.note("decision", f"clone the bot with {secret}", detail=f"token {secret}")
        left = ann.bequeath(tmp_path / "ann.testament")
    assert len(left.conduct) == 1
    assert secret not in repr(left)
