"""Several commands at once on one memory, each a process of its own: nothing that was said is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bardo
from bardo.capture import inbox
from bardo.errors import StoreLockedError
from bardo.surfaces.cli import exits

CONFIG = {"embedding": {"model": "wordllama"}}


def start(*words: str | Path) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BARDO_HOME")}
    return subprocess.Popen(
        [sys.executable, "-m", "bardo", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**clean, "PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        encoding="utf-8",
    )


def ended(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = child.communicate(timeout=120)
    return child.returncode, out, err


@pytest.fixture
def home(tmp_path: Path) -> Path:
    bardo.open(tmp_path / "trader", config=CONFIG).close()
    return tmp_path / "trader"


@pytest.mark.parametrize("wait", ["0", "30"])
def test_six_commands_that_remember_at_once_lose_nothing(home: Path, wait: str):
    children = [
        start("remember", f"Gas doubled for the {n}th time", "--at", home, "--json", "--wait", wait)
        for n in range(6)
    ]
    told = [ended(child) for child in children]
    assert [code for code, _, _ in told] == [exits.OK] * 6, told
    documents = [json.loads(out) for _, out, _ in told]
    assert all(document["count"] == 1 for document in documents)
    if wait != "0":
        assert not any(document["dropped"] for document in documents)
    for document, (_, _, err) in zip(documents, told, strict=True):
        assert ("left in the inbox" in err) == document["dropped"]
    with bardo.open(home) as memory:
        assert {episode.text for episode in memory.episodes.list()} == {
            f"Gas doubled for the {n}th time" for n in range(6)
        }
        assert {episode.id for episode in memory.episodes.list()} == {
            document["ids"][0] for document in documents
        }


def test_beside_an_owner_remember_waits_leaves_it_in_the_inbox_and_says_so(home: Path):
    with bardo.open(home) as memory:
        began = time.monotonic()
        code, out, err = ended(start("remember", "Gas halved", "--at", home, "--wait", "0.5"))
        assert (code, out) == (exits.OK, "1 episode left in the inbox\n")
        assert "open in another process" in err
        assert time.monotonic() - began > 0.5
        assert len(inbox.waiting(home)) == 1
        assert [found.text for found in memory.recall("gas")] == ["Gas halved"]


def test_the_message_of_a_lock_has_the_time_of_the_machine(tmp_path: Path):
    began = time.time_ns() // 1_000
    with bardo.open(tmp_path / "desk", clock=bardo.ManualClock(1_900_000_000_000_000), config=CONFIG):
        lease = json.loads((tmp_path / "desk" / "lease.json").read_text())
        assert began <= lease["since"] <= time.time_ns() // 1_000
        day = time.strftime("%Y-%m-%d", time.gmtime(lease["since"] / 1e6))
        with pytest.raises(StoreLockedError, match=f"pid {os.getpid()} on .* since {day}"):
            bardo.open(tmp_path / "desk", config=CONFIG)


def test_beside_an_owner_recall_and_context_see_the_journal_and_the_inbox(home: Path):
    with bardo.open(home) as memory:
        for n in range(4):
            memory.remember(f"The tide rose {n} feet")
        memory.sleep()
        memory.remember("The reef showed at low water")
        memory.remember("The pilot came aboard")
        bardo.drop(home, "The cook fell ill")
        code, out, _ = ended(start("recall", "reef pilot cook tide", "--at", home, "--json", "-n", "9"))
        assert code == exits.OK
        found = json.loads(out)
        texts = {memory["text"] for memory in found["memories"]}
        assert texts >= {
            "The reef showed at low water",
            "The pilot came aboard",
            "The cook fell ill",
            "The tide rose 1 feet",
        }
        notes = " ".join(found["notes"])
        assert "of the owner's journal" in notes
        assert "1 of the inbox" in notes
        code, out, err = ended(start("context", "Who is ill?", "--at", home, "--json"))
        assert code == exits.OK, err
        prompt = json.loads(out)
        assert "The cook fell ill" in prompt["text"]
        assert any("not on record" in note for note in prompt["notes"])
        counts = json.loads(ended(start("stats", "--at", home, "--json"))[1])["waiting"]
        assert counts["inbox"] == 1
        assert counts["journal"] + counts["unseen"] == 2


def test_episodes_visible_to_the_owner_alone_are_counted(home: Path):
    with bardo.open(home) as memory:
        # Too long for the journal's first epoch: its last commits alone are in it.
        for n in range(300):
            memory.remember(f"The log of day {n} " + "was long " * 400)
        with bardo.visit(home) as visitor:
            found = visitor.recall("log of the day", limit=3)
            waiting = visitor.stats()["waiting"]
        assert waiting["journal"] + waiting["unseen"] == 300
        assert waiting["unseen"] > 0
        assert any(
            f"{waiting['unseen']} later episodes are seen by the owner alone" in note for note in found.notes
        )
        assert found[0].text.startswith("The log of day")
