"""Lint from the outside: when it runs, what it reports, and taking it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.ports import ManualClock
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app
from helpers.models import letter_vectors

DAY = 1_440
FULL, BRIEF = (
    "On Mondays gas on the north venue doubles before noon",
    "Gas on the north venue doubles on Mondays",
)
OTHERS = ("Apples ripen in autumn", "Boats need varnish", "Clocks drift", "Drums echo")


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., bardo.Grimoire]:
    def open_(**options: object) -> bardo.Grimoire:
        clock = ManualClock(1_700_000_000_000_000)
        return bardo.open(tmp_path / "agent", clock=clock, seed=1, embedder=letter_vectors, **options)

    return open_


@pytest.fixture
def opened(opener: Callable[..., bardo.Grimoire]) -> Iterator[bardo.Grimoire]:
    with opener() as grimoire:
        yield grimoire


def learn(grimoire: bardo.Grimoire, tick: int = 1) -> tuple[bardo.Fact, bardo.Fact]:
    grimoire.learn(list(OTHERS), tick=tick)
    brief = grimoire.learn(BRIEF, category="costs")
    return grimoire.learn(FULL), brief


def test_a_dry_run_says_fact_by_fact_what_would_be_done_and_does_nothing(opened: bardo.Grimoire) -> None:
    full, brief = learn(opened)
    seen: list[tuple[str, int, int]] = []
    report = opened.curator.lint(dry_run=True, progress=lambda *step: seen.append(step))
    assert report.merged == ((full.id, brief.id),)
    assert {report.action(change): change.after.id for change in report.changes} == {
        "merge": full.id,
        "replace": brief.id,
    }
    assert seen == [("lint", 0, 1), ("lint", 1, 1)]
    assert opened.facts.get(brief.id) == brief
    assert opened.journal.list() == []


def test_a_lint_is_found_in_the_journal_and_undone(opened: bardo.Grimoire) -> None:
    full, brief = learn(opened)
    report = opened.curator.lint()
    assert report.actions == 1
    assert [memory.id for memory in opened.recall("gas on Mondays", layers=("fact",))] == [full.id]
    (act,) = opened.journal.list()
    assert (act.number, act.name) == (report.act, "lint")
    assert {change.fact for change in act.changes} == {full.id, brief.id}
    undone = opened.journal.undo(act)
    assert set(undone.restored) == {full.id, brief.id}
    found = {memory.id for memory in opened.recall("gas on Mondays", layers=("fact",))}
    assert found == {full.id, brief.id}
    assert opened.curator.lint().act is None


def test_a_pass_does_it_once_a_day(opener: Callable[..., bardo.Grimoire]) -> None:
    with opener(config={"clock": {"unit": "loops"}, "decay": {"eviction_threshold": 0.0}}) as grimoire:
        learn(grimoire)
        grimoire.tick(100)
        assert grimoire.tick(DAY).linted == 1
        again = grimoire.learn("Before noon on Mondays the north venue doubles its gas", category="x")
        assert grimoire.tick(2 * DAY - 1).linted == 0
        assert grimoire.facts.get(again.id).status == "active"
        assert grimoire.tick(2 * DAY + 60).linted == 1
    with opener(config={"clock": {"unit": "loops"}, "lint": {"every_days": 0}}) as grimoire:
        grimoire.learn("Gas doubles on the north venue before noon on Mondays", category="y")
        assert grimoire.tick(9 * DAY).linted == 0


def test_the_command_lists_what_it_would_do_does_it_and_takes_it_back(tmp_path: Path, minilm: object) -> None:
    runner = CliRunner()

    def answer(*words: str) -> dict:
        result = runner.invoke(app, [*words, "--at", str(tmp_path / "a"), "--json"])
        assert result.exit_code == exits.OK, result.stderr
        return json.loads(result.stdout)

    with bardo.open(tmp_path / "a") as grimoire:
        full, brief = learn(grimoire)
    rehearsed = answer("curator", "lint", "--dry-run")
    assert {change["action"] for change in rehearsed["changes"]} == {"merge", "replace"}
    done = answer("curator", "lint")
    assert done["merged"] == [[full.id, brief.id]]
    assert answer("journal", "undo", str(done["act"]))["restored"]
    with bardo.open(tmp_path / "a") as grimoire:
        assert len(grimoire.facts.list()) == len(OTHERS) + 2
    shown = runner.invoke(app, ["curator", "lint", "--dry-run", "--at", str(tmp_path / "a")])
    assert (shown.exit_code, "merged" in shown.stdout) == (exits.OK, True)
    for verb, expected in (("dossier", "Apples ripen in autumn"), ("playbook", "No heuristic has risen")):
        shown = runner.invoke(app, ["pages", verb, "--at", str(tmp_path / "a")])
        assert shown.exit_code == exits.OK, shown.stderr
        assert expected in shown.stdout
    assert answer("pages", "dossier")["total"] == len(OTHERS) + 2
