"""The speaker that is given for a source is its human side, never the agent and its tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bardo
from helpers.models import flat


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path / "agent", embedder=flat()) as opened:
        yield opened


def write(path: Path, *messages: Any) -> None:
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))


def speakers(memory: bardo.Grimoire) -> dict[str, str | None]:
    return {one.text.split("\n")[0]: one.speaker for one in memory.episodes.list()}


def test_the_speaker_of_a_source_is_its_human_side(memory: bardo.Grimoire, tmp_path: Path) -> None:
    claude = [
        {"type": "user", "message": {"role": "user", "content": "I own the settlement module."}},
        {"type": "assistant", "message": {"role": "assistant", "content": "Noted."}},
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
            },
        },
        {
            "type": "user",
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "src tests"}],
            },
        },
    ]
    openai = [
        {"role": "user", "content": "We release on Tuesdays.", "name": "Ira"},
        {"role": "user", "content": "The port is 7200."},
        {"role": "assistant", "content": "Fine."},
        {"role": "tool", "content": "231 passed", "tool_call_id": "t2"},
    ]
    for place, messages in enumerate((claude, openai)):
        write(tmp_path / f"{place}.jsonl", *messages)
        memory.scribe(tmp_path / f"{place}.jsonl", speaker="Joren")
    found = speakers(memory)
    named = {text: who for text, who in found.items() if who}
    assert named == {
        "I own the settlement module.": "Joren",
        "We release on Tuesdays.": "Ira",
        "The port is 7200.": "Joren",
    }
    assert len(found) == 8


def test_a_speaker_with_a_role_names_every_record(memory: bardo.Grimoire, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("The crane is red.\n\nThe gate is open.\n")
    memory.scribe(tmp_path / "notes.md", role="agent", speaker="planner", whole=True)
    assert set(speakers(memory).values()) == {"planner"}
