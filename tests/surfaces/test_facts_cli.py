"""`bardo facts`: disputed facts are marked and listed alone, and the beginning of an id is enough."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import bardo
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

CONFIG = {"embedding": {"model": "wordllama"}}


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Ids of two facts that contradict each other, of one that is undisputed, and of one whose rival is over."""
    clock = bardo.ManualClock(1_785_750_000_000_000)
    texts = ["The depot opens at six", "The depot opens at nine", "The crane is red", "The gate is locked"]
    known = []
    with bardo.open(tmp_path, config=CONFIG, clock=clock) as memory:
        for text in [*texts, "The gate is open"]:
            known.append(memory.learn(text).id)
            clock.advance(86_400 * 7)
        memory.facts.link(known[0], known[1], "contradicts")
        memory.facts.link(known[3], known[4], "contradicts")
        memory.facts.supersede(known[4], "The gate is painted")
    (tmp_path / "bardo.toml").write_text('[embedding]\nmodel = "wordllama"\n')
    return known[:4]


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["facts", *words[:1], "--at", str(home), *words[1:]])


def listed(home: Path, *words: str) -> dict[str, bool]:
    result = run(home, "list", "--json", *words)
    assert result.exit_code == exits.OK, result.stderr
    return {fact["id"]: fact["disputed"] for fact in json.loads(result.stdout)["facts"]}


def test_the_json_says_which_facts_are_disputed(tmp_path: Path, ids: list[str]) -> None:
    found = listed(tmp_path)
    assert [found[id_] for id_ in ids] == [True, True, False, False]


def test_disputed_facts_are_listed_alone(tmp_path: Path, ids: list[str]) -> None:
    assert set(listed(tmp_path, "--status", "disputed")) == set(ids[:2])
    assert run(tmp_path, "list", "--status", "nonsense").exit_code == exits.USAGE


@pytest.mark.parametrize("letters", [8, 13, 35, 36])
@pytest.mark.parametrize("verb", ["why", "get", "history", "confidence", "links"])
def test_the_beginning_of_an_id_is_enough(tmp_path: Path, ids: list[str], verb: str, letters: int) -> None:
    result = run(tmp_path, verb, ids[0][:letters])
    assert result.exit_code == exits.OK, result.stderr
    # The confidence of now falls between the two commands.
    shown, whole = (
        re.sub(r"\b0\.\d+", "0.", text) for text in (result.stdout, run(tmp_path, verb, ids[0]).stdout)
    )
    assert shown == whole


def test_an_ambiguous_beginning_names_the_facts(tmp_path: Path, ids: list[str]) -> None:
    result = run(tmp_path, "why", ids[0][:4])
    assert result.exit_code == exits.USAGE
    assert "begins the ids of" in result.stderr
    assert ids[0] in result.stderr


@pytest.mark.parametrize("given", ["ffffffff", "the crane"])
def test_what_begins_no_id_is_no_fact(tmp_path: Path, ids: list[str], given: str) -> None:
    result = run(tmp_path, "why", given)
    assert result.exit_code == exits.USAGE
    assert given in result.stderr
