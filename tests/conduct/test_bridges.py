"""Bridges: another agent reads what was published and granted, and nothing else, through any verb."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo import errors
from helpers.models import flat

SECRET = "the vault code of the relayer is nine-four-two-seven"


def gate_of(folder: Path, agent: str) -> bardo.Gate:
    bardo.open(folder, agent=agent, embedder=flat()).close()
    return bardo.gate(folder, words_only=True)


@pytest.fixture
def alpha(tmp_path: Path) -> Iterator[bardo.Gate]:
    with gate_of(tmp_path / "alpha", "alpha") as opened:
        yield opened


@pytest.fixture
def beta(tmp_path: Path) -> Iterator[bardo.Gate]:
    with gate_of(tmp_path / "beta", "beta") as opened:
        yield opened


def test_an_output_is_read_only_with_a_grant_that_holds(alpha: bardo.Gate, beta: bardo.Gate) -> None:
    report = alpha.bridges.publish("Weekly report", "Revenue rose by 4 %.", domain="finance")
    with pytest.raises(errors.NotGrantedError, match="alpha does not let beta read"):
        beta.bridges.read(alpha.path)
    with pytest.raises(errors.InvalidInputError, match="only a person grants"):
        alpha.bridges.grant("beta", by=" ")
    grant = alpha.bridges.grant("beta", by="anna")
    assert alpha.bridges.grant("beta", by="anna") == grant
    assert beta.bridges.read(alpha.path) == [report]
    assert (report.by, report.title) == ("alpha", "Weekly report")
    alpha.bridges.revoke(grant.id)
    with pytest.raises(errors.NotGrantedError):
        beta.bridges.read(alpha.path)
    with pytest.raises(errors.InvalidInputError, match="revoked already by alpha"):
        alpha.bridges.revoke(grant.id)
    assert [each.revoked_by for each in alpha.bridges.grants(every=True)] == ["alpha"]
    assert alpha.bridges.grants() == []


def test_a_grant_may_be_for_one_domain(alpha: bardo.Gate, beta: bardo.Gate) -> None:
    finance = alpha.bridges.publish("Report", "Revenue rose.", domain="finance")
    alpha.bridges.publish("Roster", "Nadia is on call.", domain="people")
    alpha.bridges.grant("beta", by="anna", domain="finance")
    assert beta.bridges.read(alpha.path) == [finance]
    alpha.bridges.grant("gamma", by="anna")
    assert beta.bridges.read(alpha.path) == [finance]


def test_a_withdrawn_output_is_gone_for_readers(alpha: bardo.Gate, beta: bardo.Gate) -> None:
    report = alpha.bridges.publish("Report", "Revenue rose.")
    alpha.bridges.grant("beta", by="anna")
    assert alpha.forget(report.id) == [report.id]
    assert beta.bridges.read(alpha.path) == []


def test_outputs_are_read_while_the_owner_has_its_memory_open(tmp_path: Path, beta: bardo.Gate) -> None:
    with bardo.open(tmp_path / "alpha", agent="alpha", embedder=flat()):
        with bardo.gate(tmp_path / "alpha", words_only=True) as alpha:
            alpha.bridges.publish("Report", "Revenue rose.")
            alpha.bridges.grant("beta", by="anna")
        assert [each.text for each in beta.bridges.read(tmp_path / "alpha")] == ["Revenue rose."]


def fill(gate: bardo.Gate) -> None:
    """Puts the secret into every kind of row that is not published."""
    gate.reject(SECRET, why=SECRET)
    for kind in ("decision", "task", "discovery", "learning", "context", "agent_state"):
        gate.note(kind, f"{kind}: {SECRET}")  # type: ignore[arg-type]
    gate.rule(SECRET, forbids=SECRET, by="anna")
    gate.after("open the vault", passed=True, note=SECRET)
    gate.flows.add("vault", [SECRET], triggers=[SECRET])
    gate.capabilities.add("vault", SECRET, usage=SECRET)
    gate.missions.set(SECRET)


def readings(holder: Any, given: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Calls every public verb of a gate or a noun with ids, words and folders of the other agent."""
    for name, verb in inspect.getmembers(holder, callable):
        if name.startswith("_") or name in {"close", "acting", "gated"}:
            continue
        needed = {
            each.name: given.get(each.name.strip("_"), SECRET)
            for each in inspect.signature(verb).parameters.values()
            if each.default is inspect.Parameter.empty and each.kind is not inspect.Parameter.VAR_KEYWORD
        }
        for id_ in ("s1", "r1", "o1", "f1", "c1", "m1", "vault"):
            arguments = {
                key: id_ if key in {"id_", "ids", "name", "names"} else value for key, value in needed.items()
            }
            try:
                yield name, repr(verb(**arguments))
            except errors.BardoError as error:
                yield name, str(error)


def test_no_verb_of_a_gate_reads_across_agents(alpha: bardo.Gate, beta: bardo.Gate) -> None:
    fill(alpha)
    alpha.bridges.publish("Report", "Revenue rose.")
    alpha.bridges.grant("beta", by="anna")
    given = {
        "path": str(alpha.path), "kind": "decision", "action": "open the box", "text": "own", "what": "own",
        "summary": "own", "steps": ["own"], "title": "own", "reader": "alpha", "by": "zoe", "passed": True,
        "changed": "flow", "forbids": {"things": ["own"]},
    }  # fmt: skip
    tried = set()
    for holder in (beta, beta.flows, beta.capabilities, beta.missions, beta.bridges):
        for name, told in readings(holder, given):  # type: ignore[arg-type]
            tried.add(f"{type(holder).__name__}.{name}")
            assert SECRET not in told, (name, told)
    assert {
        "Gate.before",
        "Gate.state",
        "Gate.history",
        "Flows.get",
        "Capabilities.list",
        "Bridges.read",
    } <= tried


def test_a_gate_does_not_open_under_another_name(alpha: bardo.Gate) -> None:
    with pytest.raises(errors.StoreForeignError):
        bardo.gate(alpha.path, agent="beta")


def test_a_folder_without_a_memory_is_told(beta: bardo.Gate, tmp_path: Path) -> None:
    with pytest.raises(errors.NotFoundError, match="no grimoire"):
        beta.bridges.read(tmp_path / "nowhere")
