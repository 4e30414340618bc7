"""Whether confidences mean what they say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.surfaces.cli.app import app


def test_outcomes_say_what_a_confidence_is_worth(tmp_path: Path, minilm: object) -> None:
    folder = tmp_path / "a"
    chance = random.Random(5)
    with bardo.open(folder, agent="a", embedder=minilm, config={"decay": {"tau_ticks": 1e6}}) as g:
        before = g.curator.calibration()
        assert (before.outcomes, before.brier, before.error) == (0, None, None)
        assert before.of(0.9) == pytest.approx(0.9)
        names = ["gas", "slippage", "oracles", "auctions", "bridges", "keepers", "vaults", "swaps"]
        for name in names:
            g.learn(f"What was read about {name} holds", subjects=[name], confidence=0.9, tick=1)
        # They are surer than they ought to be: each holds in four of ten cases.
        for number in range(400):
            tick = 100 * (number + 1)
            g.tick(tick)
            name = chance.choice(names)
            told = g.recall(f"What was read about {name}?", layers=("fact",), subjects=[name], limit=1)
            g.outcome(told, value=1.0 if chance.random() < 0.4 else -1.0)
        after = g.curator.calibration()
        assert after.outcomes == 400
        assert after.brier is not None
        assert 0.0 < after.brier < 0.4
        assert sum(one.outcomes for one in after.reliability) == 400
        assert after.of(0.9) < 0.8, "what seldom holds is worth less than it says"
        worth = [one.stated for one in after.reliability]
        assert worth == sorted(worth), "more sure is never worth less"
        stated = [g.facts.why(fact).stated for fact in g.facts.list()]
        assert sum(stated) / len(stated) == pytest.approx(0.4, abs=0.06), "they hold in four of ten cases"
    shown = CliRunner().invoke(app, ["curator", "calibration", "--at", str(folder), "--json"])
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["outcomes"] == 400
