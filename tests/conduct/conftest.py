"""Fixtures of the gate: a memory that is closed, a clock, and an open gate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.index.embedding import embedders
from bardo.ports import ManualClock

NOW = 1_700_000_000_000_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory that no process has open."""
    model = embedders.from_callable(lambda texts: [[1.0, 2.0]] * len(texts), name="flat", dims=2)
    bardo.open(tmp_path / "agent", agent="trader", embedder=model).close()
    return tmp_path / "agent"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def gate(home: Path, clock: ManualClock) -> Iterator[bardo.Gate]:
    with bardo.gate(home, clock=clock, words_only=True) as opened:
        yield opened
