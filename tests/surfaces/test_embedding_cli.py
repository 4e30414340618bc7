"""`bardo embedding check` and `bardo embedding migrate`."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import bardo
from bardo.index.embedding import embedders
from bardo.surfaces.cli.app import app


class Lengths:
    """A model that can be made to drift."""

    def __init__(self, dims: int) -> None:
        self.dims, self.drift = dims, 0.0

    def __call__(self, texts):
        rows = [np.random.default_rng(len(text)).standard_normal(self.dims) for text in texts]
        return np.stack(rows) + self.drift * np.random.default_rng(0).standard_normal(self.dims)


@pytest.fixture
def models(monkeypatch):
    functions = {"minilm": Lengths(24), "wordllama": Lengths(16)}
    named = {
        name: embedders.function_embedder(function, name=name, dims=function.dims)
        for name, function in functions.items()
    }
    monkeypatch.setattr(
        embedders, "load", lambda settings=None: named[settings.model if settings else "minilm"]
    )
    return functions


def run(*arguments: str) -> tuple[int, dict]:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    return result.exit_code, json.loads(result.stdout) if result.stdout.strip().startswith("{") else {}


def test_a_memory_is_checked_and_moved_from_the_command_line(tmp_path, models):
    at = ("--at", str(tmp_path / "a"))
    with bardo.open(tmp_path / "a") as opened:
        opened.remember(["x" * length for length in range(1, 200)])
        opened.recall("xxx")
    assert run("embedding", "check", *at)[1]["first"]
    assert run("embedding", "check", *at)[1]["status"] == "healthy"
    code, under_way = run("embedding", "migrate", "wordllama", "--steps", "1", *at)
    assert code == 0
    assert not under_way["switched"]
    assert run("embedding", "abandon", *at)[1] == {"abandoned": True}
    code, moved = run("embedding", "migrate", "wordllama", *at)
    assert (code, moved["switched"], moved["new"]) == (0, True, "wordllama")
    assert tomllib.loads((tmp_path / "a" / "bardo.toml").read_text())["embedding"]["model"] == "wordllama"
    assert run("stats", *at)[1]["embedding"]["paused"] == ""


def test_critical_drift_and_wrong_usage_have_exit_codes(tmp_path, models):
    at = ("--at", str(tmp_path / "a"))
    with bardo.open(tmp_path / "a") as opened:
        opened.remember("x")
        opened.recall("x")
    run("embedding", "check", *at)
    models["minilm"].drift = 5.0
    code, found = run("embedding", "check", *at)
    assert (code, found["status"]) == (1, "critical")
    assert run("embedding", "migrate", *at)[0] == 2
    assert run("embedding", "migrate", "minilm", *at)[0] not in {0, 1}
