"""Memory of Nadia, with a clock that the test moves."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

START = 1_760_000_000_000_000


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: bardo.ManualClock):
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as opened:
        yield opened
