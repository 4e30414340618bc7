"""`bardo sleep --dry-run`, `--watch`, `bardo facts list` and `bardo facts why` on a real folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

runner = CliRunner()


def run(*words: str | Path) -> Result:
    return runner.invoke(app, [str(word) for word in words], env={"BARDO_HOME": None})


def answer(*words: str | Path) -> dict:
    result = run(*words, "--json")
    assert result.exit_code == exits.OK, result.stderr
    return json.loads(result.stdout)


def lines(start: int, count: int) -> str:
    rows = (
        {"text": f"lag {n}", "subjects": ["aave"], "payload": {"lag": n % 3}, "tick": n, "verified": True}
        for n in range(start, start + count)
    )
    return "\n".join(json.dumps(row) for row in rows)


@pytest.fixture
def home(tmp_path: Path, minilm: object) -> Path:
    """A grimoire with 40 verified readings."""
    folder = tmp_path / "trader"
    answer("init", folder, "--agent", "trader-7")
    source = tmp_path / "lags.jsonl"
    source.write_text(lines(1, 40))
    answer("remember", "--jsonl", source, "--at", folder)
    return folder


def test_a_dry_run_says_what_a_night_does_and_does_nothing(home: Path) -> None:
    would = answer("sleep", "--dry-run", "--at", home)
    assert [change["action"] for change in would["changes"]] == ["learn"]
    assert run("facts", "list", "--at", home).exit_code == exits.NOTHING_FOUND
    assert "What one night would do" in run("sleep", "--dry-run", "--at", home).stdout
    did = answer("sleep", "--at", home)
    (fact,) = answer("facts", "list", "--at", home)["facts"]
    promised = would["changes"][0]["after"]
    assert (fact["text"], fact["confidence"]) == (promised["text"], promised["confidence"])
    assert all(would[name] == did[name] for name in ("episodes", "facts_new", "baselines"))
    assert answer("sleep", "--dry-run", "--at", home)["changes"] == []


def test_a_fact_gives_its_grounds(home: Path) -> None:
    answer("sleep", "--at", home)
    (fact,) = answer("facts", "list", "--at", home)["facts"]
    grounds = answer("facts", "why", fact["id"], "--at", home)
    assert grounds["support"] == 40
    assert [episode["tick"] for episode in grounds["episodes"]] == list(range(9, 41))
    assert grounds["history"][0]["fact"]["text"] == fact["text"]
    shown = run("facts", "why", fact["id"], "--at", home).stdout
    assert "lag 40" in shown
    assert "aave" in shown
    assert "ended by" not in shown
    assert (
        run("facts", "why", "018f0000-0000-7000-8000-000000000000", "--at", home).exit_code
        == exits.NOTHING_FOUND
    )


def test_dry_run_and_watch_exclude_each_other(home: Path) -> None:
    result = run("sleep", "--dry-run", "--watch", "--at", home)
    assert result.exit_code == exits.USAGE
    assert "exclude" in result.stderr


@pytest.fixture
def watcher(home: Path) -> Iterator[subprocess.Popen[str]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BARDO_HOME")}
    words = [sys.executable, "-m", "bardo", "sleep", "--watch", "--every", "0.2", "--json", "--at", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=clean) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_watcher_takes_in_what_others_drop_and_ends_when_told(
    home: Path, watcher: subprocess.Popen[str], tmp_path: Path, ending: signal.Signals
) -> None:
    first = json.loads(watcher.stdout.readline())
    assert first["episodes"] == 40
    more = tmp_path / "more.jsonl"
    more.write_text(lines(41, 5))
    answer("remember", "--jsonl", more, "--drop", "--at", home)
    nights = (json.loads(line) for line in watcher.stdout)
    assert next(night["episodes"] for night in nights if night["episodes"]) == 5
    watcher.send_signal(ending)
    assert watcher.wait(timeout=30) == 0
    (fact,) = answer("facts", "list", "--at", home)["facts"]
    assert fact["support"] == 45
