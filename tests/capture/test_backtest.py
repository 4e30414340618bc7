"""A backtest seeds a new agent with old transcripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import InvalidInputError
from bardo.surfaces.cli.app import app


@pytest.fixture
def chats(tmp_path: Path) -> list[Path]:
    made = []
    for name, said in (("one", "I live in Lisbon."), ("two", "My sister Ana works at a bakery.")):
        path = tmp_path / f"{name}.jsonl"
        messages = [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}]
        path.write_text("".join(json.dumps(message) + "\n" for message in messages))
        made.append(path)
    return made


def test_a_new_agent_learns_from_old_transcripts(tmp_path: Path, chats: list[Path]) -> None:
    with bardo.open(tmp_path / "agent") as memory:
        report = memory.backtest(chats)
        assert (report.episodes, len(report.sources)) == (4, 2)
        assert report.facts == len(memory.facts.list()) > 0
        assert any("Lisbon" in text for text in report.learned)
        with pytest.raises(InvalidInputError, match="has 4 episodes already"):
            memory.backtest(chats)
        # Nothing is read twice: the scribe goes on where the replay ended.
        assert memory.scribe(chats[0]).recorded == 0
    with (
        bardo.open(tmp_path / "empty") as memory,
        pytest.raises(InvalidInputError, match="nothing to replay"),
    ):
        memory.backtest([])


def test_the_command_seeds_an_agent(tmp_path: Path, chats: list[Path]) -> None:
    result = CliRunner().invoke(app, ["backtest", *map(str, chats), "--at", str(tmp_path / "heir"), "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["episodes"] == 4
    assert document["facts"] > 0
    again = CliRunner().invoke(app, ["backtest", str(chats[0]), "--at", str(tmp_path / "heir")])
    assert again.exit_code != 0
    assert "episodes already" in " ".join(again.stderr.split())


def jobs(path: Path, *given: tuple[str, str, list[tuple[str, bool]]]) -> Path:
    """Writes a transcript of a coding agent: sessions with a request, and commands that succeeded or failed."""
    lines = []
    for session, request, commands in given:
        messages: list[dict[str, object]] = [{"role": "user", "content": request}]
        for place, (command, succeeded) in enumerate(commands):
            call = f"{session}-{place}"
            use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
            messages.append({"role": "assistant", "content": [use]})
            result = {"type": "tool_result", "tool_use_id": call, "content": "ran", "is_error": not succeeded}
            messages.append({"role": "user", "content": [result]})
        messages.append({"role": "assistant", "content": "Done."})
        for message in messages:
            kind = message["role"]
            lines.append(json.dumps({"type": kind, "sessionId": session, "message": message}))
    path.write_text("\n".join(lines) + "\n")
    return path


BUILD, COPY = ("make docs", True), ("rsync -a site/ web:/srv/docs", True)


def test_repeated_tool_calls_that_succeeded_become_a_flow_of_the_new_agent(tmp_path: Path) -> None:
    chats = jobs(
        tmp_path / "old.jsonl",
        ("a", "Please publish the docs", [("git status", True), BUILD, COPY]),
        ("b", "Publish the docs again, the page on limits has changed", [BUILD, ("ls site", True), COPY]),
        ("c", "Which pages are there?", [("ls site", True)]),
    )
    with bardo.open(tmp_path / "agent") as memory:
        report = memory.backtest(chats)
        assert report.flows == ("Publish the docs again, the page on limits has changed",)
        with bardo.gate(tmp_path / "agent") as gate:
            (flow,) = gate.flows.list()
            assert flow.steps == ("make docs", "rsync -a site/ web:/srv/docs")
            assert (flow.succeeded, flow.failed) == (2, 0)
            assert flow.triggers[-1] == "Please publish the docs"
            assert "rsync -a site/" in gate.before("publish the docs").text
        # The flow comes from the last job, and is deleted with it.
        memory.forget([flow.episode], reason="asked")
        with bardo.gate(tmp_path / "agent") as gate:
            assert gate.flows.list() == []


@pytest.mark.parametrize(
    "given",
    [
        [("a", "Publish the docs", [BUILD, COPY])],
        [("a", "Publish the docs", [BUILD, COPY]), ("b", "Publish the docs", [BUILD, (COPY[0], False)])],
        [(name, "Where is it?", [("git status", True), ("ls -la", True)]) for name in "ab"],
        [(name, "Log in", [BUILD, ("mysql -u root -pHunter2horse9 shop", True)]) for name in "ab"],
    ],
    ids=["done once", "failed once", "reads alone", "holds a secret"],
)
def test_a_backtest_without_repeated_success_reports_no_flows_and_the_reason(
    tmp_path: Path, given: list[tuple[str, str, list[tuple[str, bool]]]]
) -> None:
    with bardo.open(tmp_path / "agent") as memory:
        report = memory.backtest(jobs(tmp_path / "old.jsonl", *given))
    assert report.flows == ()
    assert any(note.startswith("no flows: no 2 tool calls in a row") for note in report.notes)
