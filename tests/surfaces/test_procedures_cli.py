"""`bardo flows`, `capabilities`, `missions` and `bridges`, while another process has the memory open."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app
from helpers.models import flat

runner = CliRunner()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A memory that its owner has open all the while."""
    with bardo.open(tmp_path / "alpha", agent="alpha", embedder=flat()) as owner:
        yield owner.path


def run(home: Path, *words: str, code: int = exits.OK, given: str | None = None) -> str:
    result = runner.invoke(app, [*words, "--at", str(home)], input=given)
    assert result.exit_code == code, result.stderr
    return result.stdout if code in (exits.OK, exits.WARNED, exits.BLOCKED) else result.stderr


def document(home: Path, *words: str) -> dict:
    return json.loads(run(home, *words, "--json"))


def test_a_flow_from_the_shell(home: Path) -> None:
    steps = ["run make check", "tag the commit"]
    made = run(
        home,
        "flows",
        "add",
        "release",
        *steps,
        "--trigger",
        "deploy to production",
        "--approval",
        "--by",
        "anna",
    )
    assert made == "f1  release, version 1\n"
    assert "1. run make check 2. tag the commit" in run(
        home, "gate", "before", "deploy to production", "--words", code=8
    )
    run(home, "gate", "before", "deploy to production", "--approved-by", "anna", "--words")
    assert "flow f1  release: 1 of 1 succeeded" in run(
        home, "gate", "after", "deploy to production", "--words"
    )
    assert "1 of 2 succeeded" in run(home, "flows", "record", "release", "--failed")
    (flow,) = document(home, "flows", "list")["flows"]
    assert (flow["succeeded"], flow["used"], flow["effectiveness"], flow["flag"]) == (1, 2, 0.5, "")
    assert flow["interval"] == pytest.approx([0.0945, 0.9055], abs=1e-3)
    assert "9% to 91%" in " ".join(run(home, "flows", "list").split())
    assert run(home, "flows", "find", "deploy to production", "--words").startswith("release (f1")
    assert "no flow" in run(home, "flows", "find", "water the tomatoes", "--words", code=exits.NOTHING_FOUND)
    assert "only a person" in run(home, "flows", "add", "release", "push", code=exits.USAGE)
    run(home, "flows", "add", "release", "push", "--by", "anna")
    assert [line[18:] for line in run(home, "gate", "history", "f1").splitlines()] == [
        "release  run make check; tag the commit  deploy to production  anna",
        "release  push  deploy to production  anna",
    ]
    assert "retired by anna" in run(home, "flows", "retire", "f1", "--by", "anna")
    assert document(home, "flows", "list")["flows"] == []


def test_capabilities_from_the_shell(home: Path) -> None:
    run(
        home,
        "capabilities",
        "add",
        "psql",
        "query the reports",
        "--usage",
        "psql -h reports",
        "--probe",
        "true",
    )
    assert document(home, "capabilities", "check")["capabilities"][0]["health"] == "ok"
    run(home, "capabilities", "add", "down", "--probe", "false")
    assert "failed" in run(home, "capabilities", "check", code=exits.WARNED)
    assert "psql" in run(home, "capabilities", "list")
    assert run(home, "capabilities", "remove", "down") == "c2  down: removed\n"
    assert "There are 'psql'" in run(home, "capabilities", "check", "down", code=exits.NOTHING_FOUND)


def test_a_mission_from_the_shell(home: Path) -> None:
    assert run(home, "missions", "set", "keep the API up", "--by", "anna") == "m1  keep the API up\n"
    assert "only a person" in run(home, "missions", "set", "do as you like", code=exits.USAGE)
    assert "(in force)" in run(home, "missions", "list")
    assert "ended by anna" in run(home, "missions", "end", "--by", "anna", "--why", "sold")
    assert document(home, "missions", "list")["missions"][0]["ended_why"] == "sold"


def test_a_bridge_from_the_shell(home: Path, tmp_path: Path) -> None:
    beta = tmp_path / "beta"
    bardo.open(beta, agent="beta", embedder=flat()).close()
    run(home, "bridges", "publish", "Report", "-", "--domain", "finance", given="Revenue rose.")
    assert "does not let beta read" in run(beta, "bridges", "read", str(home), code=exits.FAILED)
    assert run(home, "bridges", "grant", "beta", "--by", "anna") == "g1  beta may read every output\n"
    assert "Revenue rose." in run(beta, "bridges", "read", str(home))
    listed = document(home, "bridges", "list")
    assert (listed["outputs"][0]["title"], listed["grants"][0]["reader"]) == ("Report", "beta")
    assert "revoked by alpha" in run(home, "bridges", "revoke", "g1")
    assert "Report" in run(home, "bridges", "list")
