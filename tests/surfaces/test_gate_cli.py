"""`bardo gate`, as hooks and people use it while another process has the memory open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import bardo
from bardo.index.embedding import embedders
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

runner = CliRunner()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A memory that its owner has open all the while."""
    model = embedders.function_embedder(lambda texts: [[1.0, 2.0]] * len(texts), name="flat", dims=2)
    with bardo.open(tmp_path / "trader", agent="trader", embedder=model) as owner:
        yield owner.path


def run(home: Path, *words: str) -> Result:
    return runner.invoke(app, ["gate", *words, "--at", str(home)], env={"BARDO_HOME": None})


def printed(home: Path, *words: str) -> str:
    """Output for people of a verb that must succeed."""
    result = run(home, *words)
    assert result.exit_code == exits.OK, result.stderr
    return result.stdout


def answer(home: Path, *words: str, code: int = exits.OK) -> dict:
    """The JSON document of a verb."""
    result = run(home, *words, "--json")
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


def refused(home: Path, code: int, *words: str) -> str:
    """The one line of an error."""
    result = run(home, *words)
    assert (result.exit_code, result.stdout) == (code, ""), result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    return result.stderr


def test_a_rejection_from_the_command_line(home: Path) -> None:
    assert (
        printed(home, "before", "short ETH on weekends", "--words") == "Nothing stands against this action.\n"
    )
    assert printed(home, "reject", "short ETH on weekends", "--why", "funding", "--by", "anna").startswith(
        "s1  short"
    )
    blocked = run(home, "before", "Short 2 ETH this weekend", "--words")
    assert blocked.exit_code == exits.BLOCKED == 8
    assert "This action is blocked" in blocked.stdout
    assert "funding" in blocked.stdout
    warned = run(home, "before", "swap ETH this weekend", "--words")
    assert warned.exit_code == exits.WARNED == 9
    assert warned.stdout.count("about the same thing") == 1
    assert "only a person" in refused(home, exits.USAGE, "lift", "s1", "--by", " ")
    assert run(home, "lift", "s1").exit_code == exits.USAGE
    printed(home, "lift", "s1", "--by", "anna", "--why", "changed")
    assert run(home, "before", "short ETH on weekends", "--words").exit_code == exits.OK
    assert "short ETH" not in printed(home, "show")
    assert "archived" in printed(home, "show", "--all")


def test_why_lists_each_rejection_with_what_decided(home: Path) -> None:
    printed(home, "reject", "never force-push")
    printed(home, "reject", "never delete the push branch")
    given = answer(home, "why", "git push --force", "--words")
    assert given["decision"] == "block"
    first, *others = given["candidates"]
    assert (first["id"], first["decision"], first["decided_by"]) == ("s1", "block", "pattern")
    assert first["because"] == "command 'git push *--force*' of the practice 'force push'"
    assert [each["decision"] for each in others] == ["allow"]
    assert "pattern" in printed(home, "why", "git push --force", "--words")
    assert answer(home, "why", "water the plants", "--words")["candidates"] == []


def test_the_same_as_json(home: Path) -> None:
    entry = answer(home, "reject", "withdraw funds at night", "--domain", "treasury")
    assert (entry["id"], entry["kind"], entry["domain"], entry["status"]) == (
        "s1",
        "rejected",
        "treasury",
        "active",
    )
    verdict = answer(home, "before", "withdraw all funds at night", "--words", code=exits.BLOCKED)
    assert (verdict["decision"], verdict["findings"][0]["id"]) == ("block", "s1")
    assert verdict["tokens"] > 0
    task = answer(home, "note", "task", "port the parser", "--detail", "to Rust", "--by", "anna")
    assert answer(home, "finish", task["id"], "--why", "merged")["status"] == "done"
    rule = answer(home, "rule", "Two people sign", "--approval", "sign a transfer", "--by", "anna")
    assert rule["score"] == 9
    assert answer(home, "before", "sign a transfer", "--words", code=8)["findings"][0]["reason"] == "approval"
    approved = answer(home, "before", "sign a transfer", "--words", "--approved-by", "boris")
    assert approved["decision"] == "allow"
    told = answer(home, "after", "sign a transfer", "--failed", "--note", "no quorum", "--words")
    assert (told["confirmed"], told["failed"], told["outcome"]["note"]) == ([], ["r1"], "no quorum")
    assert answer(home, "answer", "o1", "check")["answer"] == "check"
    assert answer(home, "outcomes")["outcomes"][0]["failed"] == 1
    again = answer(home, "after", "sign a transfer", "--changed", "flow", "--rule", "r1", "--words")
    assert (again["confirmed"], again["outcome"]["answer"], again["question"]) == (["r1"], "flow", "")
    assert answer(home, "consolidate", "--words") == {"merged": [], "left": []}
    shown = answer(home, "show")
    assert [each["id"] for each in shown["state"]] == ["s1"]
    assert shown["rules"][0]["score_now"] == 9.5
    assert answer(home, "lift", "s1", "--by", "anna")["closed_by"] == "anna"
    assert answer(home, "retire", "r1", "--by", "anna")["retired_by"] == "anna"
    assert answer(home, "forget", "s1", "s2", "s9")["forgotten"] == ["s1", "s2"]
    assert [each["id"] for each in answer(home, "show", "--all")["state"]] == []


def test_an_action_that_nothing_touches_gets_one_line_and_the_prompt_on_demand(home: Path) -> None:
    printed(home, "rule", "Never force-push to main", "--forbids", "force-push to main", "--by", "anna")
    printed(home, "note", "task", "port the parser")
    assert printed(home, "before", "ls -la", "--words") == "Nothing stands against this action.\n"
    prompt = printed(home, "before", "ls -la", "--words", "--prompt")
    assert "Never force-push" in prompt
    assert "port the parser" in prompt


def test_every_note_of_an_action_is_listed(home: Path) -> None:
    printed(home, "after", "deploy the site", "--note", "the cache was stale", "--words")
    printed(home, "after", "deploy the site", "--note", "the cache was warm", "--words")
    told = printed(home, "history", "o1").splitlines()
    assert ["stale" in line for line in told] == [True, False]
    assert "warm" in told[1]
    assert [each["note"] for each in answer(home, "history", "o1")["versions"]] == [
        "the cache was stale", "the cache was warm",
    ]  # fmt: skip


def test_gate_commands_print_text_for_people(home: Path) -> None:
    assert printed(home, "rule", "Do not push to main", "--forbids", "push to main").startswith(
        "r1  Do not push"
    )
    assert "s1  learn slowly" in printed(home, "note", "learning", "learn slowly")
    told = printed(home, "after", "push to main", "--words")
    assert "violated: r1" in told
    assert "only a rule?" in told
    shown = printed(home, "show")
    assert all(words in shown for words in ("State", "Rules", "5.5", "push to main", "learn slowly"))
    assert printed(home, "finish", "s1").startswith("s1  learn slowly")
    assert printed(home, "retire", "r1").startswith("r1  Do not push")
    assert printed(home, "forget", "s1", "r1") == "2 forgotten\n"


def test_errors_are_one_line_with_a_code(home: Path, tmp_path: Path) -> None:
    assert "bardo gate show" in refused(home, exits.NOTHING_FOUND, "finish", "s9")
    assert "person" in refused(home, exits.USAGE, "rule", "Trust me", "--score", "9")
    assert "no action" in refused(home, exits.USAGE, "before", " ", "--words")
    assert run(home, "rule", "Trust me", "--score", "11").exit_code == exits.USAGE
    assert run(home, "note", "wish", "a pony").exit_code == exits.USAGE
    assert "bardo init" in refused(tmp_path / "absent", exits.NOTHING_FOUND, "before", "anything", "--words")
    (home / "conduct.db").write_bytes(b"no database " * 1_000)
    assert "damaged" in refused(home, exits.STORE, "before", "anything", "--words")


def test_a_shell_hook_stops_what_is_blocked(home: Path) -> None:
    printed(home, "reject", "force-push to main")
    environment = {**os.environ, "BARDO_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    script = '"$PYTHON" -m bardo gate before "$ACTION" --words || exit; echo done'
    for action, code in (("git push --force origin main", exits.BLOCKED), ("git status", exits.OK)):
        done = subprocess.run(
            ["sh", "-c", script],
            env={**environment, "ACTION": action, "PYTHON": sys.executable},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout.endswith("done\n")) == (code, code == exits.OK), done.stderr


def test_a_lost_record_has_a_code_of_its_own_until_a_person_accepts_it(home: Path) -> None:
    printed(home, "reject", "short ETH on weekends")
    for path in home.glob("conduct.db*"):
        path.unlink()
    for words in (("before", "short ETH", "--words"), ("show",), ("reject", "anything")):
        assert "accept-loss" in refused(home, exits.LOST, *words)
    assert exits.LOST == 10
    assert run(home, "accept-loss").exit_code == exits.USAGE
    assert "only a person" in refused(home, exits.USAGE, "accept-loss", "--by", " ")
    assert "missing" in printed(home, "accept-loss", "--by", "anna", "--why", "the disk failed")
    assert "nothing is lost" in refused(home, exits.USAGE, "accept-loss", "--by", "anna")
    (kept,) = answer(home, "show")["state"]
    assert (kept["by"], kept["detail"]) == ("anna", "the disk failed")


def test_a_folder_that_lost_its_settings_and_its_name_is_refused(home: Path) -> None:
    printed(home, "reject", "short ETH on weekends")
    (home / "bardo.toml").unlink()
    assert run(home, "before", "short ETH on weekends", "--words").exit_code == exits.BLOCKED
    (home.parent / "link").symlink_to(home)
    told = refused(home.parent / "link", exits.STORE, "before", "short ETH on weekends", "--words")
    assert '"trader"' in told
    assert "bardo.toml" in told


def test_a_gate_with_the_usual_model_compares_meanings(home: Path, minilm: object) -> None:
    printed(home, "reject", "use MongoDB for the event store")
    verdict = answer(home, "before", "store events in MongoDB", code=exits.BLOCKED)
    assert verdict["findings"][0]["touch"]["cosine"] > 0.5
    assert verdict["notes"] == []
