"""Progress on stderr: what takes long is told on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys
import time

import pytest

from bardo.surfaces.cli import output
from bardo.surfaces.cli.output import Output


class Stream(io.StringIO):
    """A standard error that may be a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "seconds", "is_told"), [(True, 0.5, True), (True, 0.0, False), (False, 0.5, False)]
)
def test_what_takes_long_is_told_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, seconds: float, is_told: bool
) -> None:
    stream = Stream(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "SLOW_SECONDS", 0.1)
    with Output(as_json=False).progress(slow="loading the models"):
        time.sleep(seconds)
    time.sleep(0.2)
    assert ("loading the models" in stream.getvalue()) is is_told
