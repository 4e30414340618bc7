"""A rejection of a general operation covers the special ones, and a special one does not cover its opposite."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo


@pytest.mark.parametrize(
    ("rejection", "action", "decision"),
    [
        ("trade COCOA on Okeanos", "buy 5 lots of COCOA on Okeanos", "block"),
        ("trade COCOA on Okeanos", "go long COCOA on Okeanos", "block"),
        ("trade COCOA on Okeanos", "short COCOA on Okeanos", "block"),
        ("never trade crypto", "buy 2 bitcoin", "block"),
        ("never trade crypto", "read the news about crypto", "allow"),
        ("trading during the first ten minutes", "buy BRENT in the first ten minutes", "block"),
        ("short BRENT", "short 5 lots of BRENT", "block"),
        ("short BRENT", "go long BRENT", "allow"),
        ("buy tobacco stocks", "sell the tobacco stocks", "allow"),
        ("trade COCOA on Okeanos", "read the COCOA price on Okeanos", "allow"),
    ],
)
def test_a_general_operation_covers_special_ones(
    tmp_path: Path, rejection: str, action: str, decision: str
) -> None:
    bardo.open(tmp_path, agent="tester").close()
    with bardo.gate(tmp_path) as gate:
        gate.reject(rejection, by="ana")
        assert gate.before(action).decision == decision


def test_an_adjective_is_no_operation(tmp_path: Path) -> None:
    bardo.open(tmp_path, agent="tester").close()
    with bardo.gate(tmp_path) as gate:
        gate.reject("never sell the silver", by="ana")
        assert gate.before("write a short story about the silver").decision != "block"
        assert gate.before("take a long look at the silver in the museum").decision != "block"
