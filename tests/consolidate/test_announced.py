"""A pass says what it is about to do before it begins: by the logger `bardo`, and by the callback for progress."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import bardo
from bardo.index.embedding import minilm
from helpers.models import letter_vectors


def test_a_pass_announces_itself_and_each_stage_before_the_work(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    events: list[str] = []

    def vectors(texts: list[str]) -> object:
        events.append("vectors")
        return letter_vectors(texts)

    caplog.set_level(logging.INFO, "bardo")
    with bardo.open(tmp_path, embedder=vectors) as memory:
        memory.remember("The depot is in Ghent")
        events.clear()
        memory.sleep(progress=lambda name, done, _: events.append(f"{name} {done}"))
    assert caplog.messages[0].startswith("beginning a pass")
    assert events[:2] == ["embed 0", "vectors"]
    assert events.index("archive 0") < events.index("archive 1")


def test_a_model_is_announced_before_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(minilm.CACHE_VARIABLE, str(tmp_path))
    said: list[str] = []

    def write(source: Path, workspace: Path) -> None:
        said.extend(caplog.messages)
        raise OSError("no space")

    caplog.set_level(logging.INFO, "bardo")
    with pytest.raises(bardo.BardoError, match="no space"):
        minilm.ensure_variant("trial-build1", write)
    assert said == [
        f"building the model trial-build1 in {tmp_path / 'models'}: once on this machine, some seconds"
    ]
