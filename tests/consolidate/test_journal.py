"""The journal: acts of inference can be listed and undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.errors import InvalidInputError, NotFoundError
from bardo.surfaces.cli.app import app


@pytest.fixture
def grimoire(tmp_path: Path, minilm: object) -> bardo.Grimoire:
    """Ten verified readings, consolidated."""
    opened = bardo.open(tmp_path / "a", agent="a", embedder=minilm)
    for n in range(10):
        opened.remember(f"reading {n}", tick=n + 1, subjects=["pool"], payload={"lag": n % 3}, verified=True)
    return opened


def test_a_night_is_an_act_that_can_be_taken_back_and_brought_back(grimoire: bardo.Grimoire) -> None:
    with grimoire as g:
        report = g.sleep()
        (number,) = report.acts
        (act,) = g.journal.list()
        (fact,) = g.facts.list()
        assert (act.number, act.name, act.undone_by) == (number, "curator", None)
        assert act.changes[0].fact == fact.id
        assert act.changes[0].before is None
        assert act.changes[0].after["text"] == fact.text
        assert g.recall("lag of the pool", layers=("fact",))

        undone = g.journal.undo(act)
        assert undone.withdrawn == (fact.id,)
        assert not g.facts.list()
        assert not g.recall("lag of the pool", layers=("fact",)), "recall sees it at once"
        with pytest.raises(InvalidInputError, match=f"undone by act {undone.act}"):
            g.journal.undo(number)

        g.journal.undo(undone.act)
        assert [found.id for found in g.facts.list()] == [fact.id]
        assert [state.fact.status for state in g.facts.history(fact)] == ["active"], "all at one tick"
        with pytest.raises(NotFoundError, match="no act with id 99"):
            g.journal.undo(99)


def test_a_deleted_fact_is_in_no_act(grimoire: bardo.Grimoire, tmp_path: Path) -> None:
    with grimoire as g:
        g.sleep()
        (fact,) = g.facts.list()
        g.forget(fact, reason="a test")
        assert not g.journal.list()[0].changes


def test_the_command_line_lists_acts_and_takes_one_back(grimoire: bardo.Grimoire, tmp_path: Path) -> None:
    with grimoire as g:
        g.sleep()
    runner = CliRunner()
    listed = runner.invoke(app, ["journal", "list", "--at", str(tmp_path / "a"), "--json"])
    assert listed.exit_code == 0, listed.stderr
    (act,) = json.loads(listed.stdout)["acts"]
    assert act["name"] == "curator"
    undone = runner.invoke(app, ["journal", "undo", str(act["number"]), "--at", str(tmp_path / "a")])
    assert undone.exit_code == 0, undone.stderr
    assert "1 new ones are archived" in undone.stdout


def test_a_single_change_of_an_act_is_told_and_taken_back(tmp_path: Path) -> None:
    clock = bardo.ManualClock(1_760_000_000_000_000)
    with bardo.open(tmp_path / "n", clock=clock) as g:
        for text in ("I live in Bern.", "I live in Porto now."):
            g.remember(text, role="user", kind="turn", speaker="Nadia")
            g.sleep()
            clock.advance(86_400)
        act = g.journal.list()[0]
        assert [(change.what, change.text) for change in act.changes] == [
            ("new", "Nadia lives in Porto"),
            (f"ended by {g.facts.list(status='superseded')[0].ended_by}", "Nadia lives in Bern"),
        ]
        undone = g.journal.undo(act, facts=act.changes[1].fact)
        assert (undone.restored, undone.withdrawn) == ((act.changes[1].fact,), ())
        assert {fact.text for fact in g.facts.list()} == {"Nadia lives in Porto", "Nadia lives in Bern"}
        assert g.journal.list()[1].undone_by is None, "the rest of the act is in force"
        with pytest.raises(NotFoundError, match="no change in this act"):
            g.journal.undo(act, facts=["019cb815-2740-7991-a48e-0683479f9c0d"])
        g.journal.undo(undone.act)
        assert [fact.text for fact in g.facts.list()] == ["Nadia lives in Porto"]
    shown = CliRunner().invoke(app, ["journal", "list", "--at", str(tmp_path / "n")])
    assert "Nadia lives in Bern" in shown.stdout
    assert "ended by" in shown.stdout
