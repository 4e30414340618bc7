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
