"""Fixtures of the gate: a memory that is closed, a clock, and an open gate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.ports import ManualClock
from helpers.models import flat

NOW = 1_700_000_000_000_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory that no process has open."""
    model = flat()
    bardo.open(tmp_path / "agent", agent="trader", embedder=model).close()
    return tmp_path / "agent"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def gate(home: Path, clock: ManualClock) -> Iterator[bardo.Gate]:
    with bardo.gate(home, clock=clock, words_only=True) as opened:
        yield opened
