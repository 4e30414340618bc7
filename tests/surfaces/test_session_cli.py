"""Commands of a session: boot, recover, heartbeat, checkpoint, and turns from shell hooks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bardo
from bardo.surfaces.cli.app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "recovery.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert CliRunner().invoke(app, ["init", str(tmp_path / "agent")]).exit_code == 0
    with bardo.gate(tmp_path / "agent", words_only=True) as gate:
        gate.reject("use MongoDB", by="anna")
    return tmp_path / "agent"


def run(home: Path, *words: str, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [*words, "--at", str(home)], input=stdin)


def document(home: Path, *words: str, stdin: str | None = None) -> Any:
    result = run(home, *words, "--json", stdin=stdin)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_session_boots_works_and_ends(home: Path) -> None:
    assert run(home, "heartbeat").stdout == "idle\n"
    assert "use MongoDB" in run(home, "boot").stdout
    assert document(home, "checkpoint", "port the parser")["entry"]["status"] == "active"
    beat = document(home, "heartbeat")
    assert "[SESSION_RESUME]" in beat["text"]
    assert "port the parser" in beat["text"]
    recovered = document(home, "recover", "--tier", "0")
    assert recovered["tokens"] < 1_000
    assert "use MongoDB" in recovered["text"]
    assert document(home, "checkpoint", "--done")["entry"]["status"] == "done"
    assert document(home, "heartbeat")["text"] == "idle"
    assert "nothing to recover" in run(home, "recover").stdout


def test_turns_capture_both_sides_and_print_what_to_know(home: Path) -> None:
    first = document(home, "turn", "before", "Which database holds the orders?", "--session", "s1")
    assert "use MongoDB" in first["text"]
    assert first["memories"] == []
    run(home, "turn", "after", "Postgres holds the orders.", "--session", "s1")
    second = run(home, "turn", "before", "-", "--session", "s1", stdin="Where are the orders, again?")
    assert "Postgres holds the orders." in second.stdout
    for number in range(3):
        run(home, "turn", "after", f"reply {number}", "--session", "s1")
    # The session outlives the processes of its turns: another one finds it cut off.
    assert "[SESSION_RESUME]" in document(home, "boot")["text"]
    listed = document(home, "episodes", "list")["episodes"]
    assert [(each["role"], each["session"]) for each in listed][:3] == [
        ("user", "s1"), ("agent", "s1"), ("user", "s1")
    ]  # fmt: skip


def test_a_turn_of_a_memory_in_use_goes_to_the_inbox(home: Path) -> None:
    with bardo.open(home) as owner:
        answer = document(home, "turn", "before", "Which database?")
        assert "use MongoDB" in answer["text"]
        assert "left in the inbox" in answer["notes"][0]
        document(home, "turn", "after", "Postgres")
        owner.maintenance.drain_inbox()
        assert [(each.role, each.text) for each in owner.episodes.list()] == [
            ("user", "Which database?"), ("agent", "Postgres")
        ]  # fmt: skip


def test_a_session_begins_while_another_process_has_the_memory(home: Path) -> None:
    with bardo.gate(home, words_only=True) as gate:
        gate.missions.set("Keep the shop open", by="anna")
        gate.rule("Ask before a refund", score=9, by="anna")
        with bardo.open(home):
            assert document(home, "heartbeat")["text"] == "idle"
            gate.note("agent_state", "port the parser")
            told = {
                name: run(home, *words)
                for name, words in (
                    ("boot", ["boot"]), ("recover", ["recover", "--tier", "0"]), ("beat", ["heartbeat"])
                )
            }  # fmt: skip
    for result in told.values():
        assert result.exit_code == 0
        assert "use MongoDB" in result.stdout
        assert "port the parser" in result.stdout
        assert "no messages and no note on the last session are shown" in " ".join(result.stderr.split())
        assert f"pid {os.getpid()}" in " ".join(result.stderr.split())
    assert "Keep the shop open" in told["boot"].stdout
    assert "Ask before a refund" in told["boot"].stdout


def test_bad_input_of_a_hook_is_named(home: Path) -> None:
    for given, told in (
        ("no json", "not the JSON of a hook"), ("[]", "no JSON object"), ("{}", "none of prompt"),
        ('{"prompt": ""}', "neither side"),
    ):  # fmt: skip
        result = run(home, "turn", "before", "--hook", stdin=given)
        assert result.exit_code != 0
        assert told in " ".join(result.stderr.split()), given


@pytest.mark.skipif(os.name == "nt", reason="runs a shell script")
def test_the_hook_script_of_the_page_works(home: Path, tmp_path: Path) -> None:
    found = re.search(r"```sh title=\"bardo-hooks.sh\"\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    script, bin_ = tmp_path / "bardo-hooks.sh", tmp_path / "bin"
    script.write_text(found[1])
    bin_.mkdir()
    (bin_ / "bardo").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bardo "$@"\n')
    (bin_ / "bardo").chmod(0o755)
    environment = {**os.environ, "BARDO_HOME": str(home), "PATH": f"{bin_}:{os.environ['PATH']}"}

    def hook(name: str, *, code: int = 0, **given: object) -> str:
        done = subprocess.run(
            ["sh", str(script), name], input=json.dumps(given), capture_output=True, text=True, env=environment,
            check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stderr if name == "act" else done.stdout

    transcript = tmp_path / "transcript.jsonl"
    replied = {"type": "assistant", "message": {"role": "assistant", "content": "Postgres holds the orders."}}
    transcript.write_text(json.dumps(replied) + "\n")
    assert "use MongoDB" in hook("start", session_id="s1")
    assert "use MongoDB" in hook("before", session_id="s1", prompt="Which database holds the orders?")
    hook("after", session_id="s1", transcript_path=str(transcript))
    assert "Postgres holds the orders." in hook("before", session_id="s1", prompt="And the orders of May?")
    call = {"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    stopped = hook("act", code=2, **call, tool_input={"command": "docker run -d mongodb"})
    assert "use MongoDB" in stopped
    assert "Nothing" in hook("act", **call, tool_input={"command": "docker ps"})
    hook("end", session_id="s1")
    assert run(home, "heartbeat").stdout == "idle\n"
    # A hook that fails stops nothing.
    environment["BARDO_HOME"] = str(tmp_path / "none")
    assert hook("before", session_id="s1", prompt="hello") == ""


def test_the_hook_of_a_reply_records_the_calls_of_its_turn_once(home: Path, tmp_path: Path) -> None:
    def line(second: int, role: str, content: object) -> str:
        message = {"role": role, "content": content}
        at = f"2026-03-02T10:00:{second:02}Z"
        return json.dumps({"type": role, "timestamp": at, "sessionId": "s1", "message": message}) + "\n"

    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest tests/orders"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "3 failed: test_refund"}
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text(
        line(0, "user", "Hello") + line(1, "assistant", "Good morning.")
        + line(2, "user", "Do the tests of the orders pass?")
        + line(3, "assistant", [{"type": "text", "text": "I run them."}, call])
        + line(4, "user", [result]) + line(5, "assistant", "No, test_refund fails.")
    )  # fmt: skip
    given = json.dumps({"session_id": "s1", "transcript_path": str(transcript)})
    run(home, "turn", "before", "Do the tests of the orders pass?", "--session", "s1")
    for _ in range(2):
        assert run(home, "turn", "after", "--hook", stdin=given).exit_code == 0
    listed = document(home, "episodes", "list")["episodes"]
    assert [each["role"] for each in listed] == ["user", "agent", "tool", "agent"]
    assert "pytest tests/orders" in listed[1]["text"]
    assert "test_refund" in listed[2]["text"]
    assert all(each["session"] == "s1" for each in listed)


def test_the_action_of_a_hook_is_its_tool_call(home: Path) -> None:
    hook = {
        "tool_name": "Bash",
        "tool_input": {"command": "pip install mongodb"},
        "cwd": "/home/anna/mongodb-free",
    }
    assert run(home, "gate", "before", "--words", "-", stdin=json.dumps(hook)).exit_code == 8
    assert run(home, "gate", "before", "--words", "-", stdin="use MongoDB for the orders").exit_code == 8
    allowed = json.dumps({**hook, "tool_input": {"command": "ls"}})
    assert run(home, "gate", "before", "--words", "-", stdin=allowed).exit_code == 0
