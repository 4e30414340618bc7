"""`bardo scribe` reads once or watches, and ends cleanly."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bardo.surfaces.cli.app import app


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert CliRunner().invoke(app, ["init", str(tmp_path / "agent")]).exit_code == 0
    return tmp_path / "agent"


def test_a_source_is_read_once_with_its_fields(home: Path, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "hi"}\n{"role": "assi')
    given = ["scribe", str(chat), "--thread", "desk", "--at", str(home)]
    result = CliRunner().invoke(app, [*given, "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["recorded"], document["sources"][0]["waiting"]) == (1, 1)
    assert CliRunner().invoke(app, given).stdout == "0 episodes recorded; 1 unfinished lines wait\n"
    listed = CliRunner().invoke(app, ["episodes", "list", "--thread", "desk", "--at", str(home), "--json"])
    assert [episode["text"] for episode in json.loads(listed.stdout)["episodes"]] == ["hi"]
    wrong = CliRunner().invoke(app, ["scribe", str(tmp_path / "none.jsonl"), "--at", str(home)])
    assert wrong.exit_code != 0
    assert "no source" in wrong.stderr


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_watching_ends_at_an_interrupt_with_all_lines_recorded(home: Path, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "hi"}\n')
    command = [sys.executable, "-m", "bardo", "scribe", str(chat), "--watch", "--interval", "0.02", "--json"]
    child = subprocess.Popen(
        [*command, "--at", str(home)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert json.loads(child.stdout.readline())["recorded"] == 1
    with chat.open("a") as file:
        file.write('{"role": "assistant", "content": "hello"}\n')
    assert json.loads(child.stdout.readline())["recorded"] == 1
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 0, told
    assert "watching" in told
