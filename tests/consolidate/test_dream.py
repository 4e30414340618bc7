"""Dreams propose, later episodes decide."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import InvalidInputError
from bardo.ports import ManualClock
from bardo.surfaces.cli.app import app
from helpers.models import length_vectors

START = 1_700_000_000_000_000


def opened(folder: Path) -> bardo.Grimoire:
    return bardo.open(folder, agent="a", embedder=length_vectors, clock=ManualClock(START), seed=1)


def readings(g: bardo.Grimoire, mean: float, count: int, seed: int = 0) -> None:
    draw = random.Random(seed)
    first = g.now_tick + 1
    g.remember(
        [
            bardo.Episode(
                f"reading {n}",
                tick=n,
                subjects=("pool",),
                payload={"lag": draw.gauss(mean, 1.0)},
                verified=True,
            )
            for n in range(first, first + count)
        ]
    )


def test_a_number_that_moved_is_dreamt_of_and_borne_out(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        readings(g, 2.0, 1_024)
        readings(g, 5.0, 512, seed=1)
        g.sleep()
        told = []
        report = g.curator.dream(progress=lambda name, done, total: told.append((name, done, total)))
        assert report.rounds == 32
        assert told[-1] == ("dream", 32, 32)
        assert report.replayed > 400
        (proposal,) = report.shifts
        fact = g.facts.get(proposal)
        assert (fact.source, round(fact.confidence, 6)) == ("dream", 0.3)
        assert next(act.name for act in g.journal.list()) == "dream"
        assert g.recall("shifted", layers=("fact",)), "it can be recalled, as the dream that it is"
        readings(g, 5.0, 4_096, seed=2)
        assert g.sleep().dreams_confirmed == 1
        assert g.facts.get(proposal).source == "self"


def test_a_dream_can_be_cut_short_taken_back_and_dreamt_the_same_again(tmp_path: Path) -> None:
    nights = []
    for name in ("one", "two"):
        with opened(tmp_path / name) as g:
            readings(g, 2.0, 600)
            readings(g, 8.0, 500, seed=1)
            g.sleep()
            calls = iter([False] * 20 + [True])
            report = g.curator.dream(seed=3, until=lambda calls=calls: next(calls))
            assert report.notes == ("woken after 20 of 32 rounds",)
            nights.append((report, [g.facts.get(fact) for fact in report.proposed]))
            g.journal.undo(report.acts[0])
            assert not g.facts.list(source="dream")
            with pytest.raises(InvalidInputError, match="rounds is 0"):
                g.curator.dream(rounds=0)
    assert nights[0] == nights[1]


def test_dreams_propose_nothing_about_counters(tmp_path: Path) -> None:
    draw = random.Random(5)
    order = 5_000
    with opened(tmp_path / "a") as g:
        for tick in range(1, 1_201):
            order += draw.randint(1, 9)
            payload = {"lag": draw.gauss(2.0, 1.0), "block": 19_000_000 + 2 * tick, "order": order}
            g.remember(f"reading {tick}", tick=tick, subjects=["pool"], payload=payload, verified=True)
        g.sleep()
        g.curator.dream()
        told = [fact.text for fact in g.facts.list(source="dream", status=None)]
        assert [text for text in told if "block" in text or "order" in text] == []


def test_an_empty_memory_dreams_of_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as g:
        report = g.curator.dream(rounds=2)
        assert (report.replayed, report.proposed, report.acts) == (0, (), ())


def test_the_command_line_dreams(tmp_path: Path, minilm: object) -> None:
    with bardo.open(tmp_path / "a", agent="a", embedder=minilm) as g:
        g.remember(
            [bardo.Episode(f"reading {n}", tick=n, payload={"lag": n}, verified=True) for n in range(1, 9)]
        )
    result = CliRunner().invoke(
        app, ["curator", "dream", "--rounds", "2", "--at", str(tmp_path / "a"), "--json"]
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["replayed"] == 8
