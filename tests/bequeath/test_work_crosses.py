"""Work under way at a death is an open task of the heir, with its step, and what its first session resumes."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

WORK = "nightly export: step 2 of 3, the header of v2 is missing in app/export/writer.py"


@pytest.mark.parametrize(
    "work",
    [
        WORK,
        "dinner for Friday: the guests are asked, the menu is open",
        "chapter 4: two of five scenes are written",
    ],
)
def test_work_under_way_is_a_task_of_the_heir(tmp_path: Path, work: str) -> None:
    with bardo.open(tmp_path / "elder", agent="elder") as g:
        g.checkpoint("an earlier piece of work")
        g.checkpoint(done=True)
        g.checkpoint(work)
        told = g.bequeath(tmp_path / "elder.testament")
    assert work in told.markdown
    assert "an earlier piece of work" not in [one.text for one in told.conduct]
    with bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir") as heir:
        for briefing in (heir.boot(), heir.heartbeat()):
            assert work in str(briefing)
            assert "[SESSION_RESUME]" in str(briefing)
        assert "an earlier piece of work" not in str(heir.boot())
    with bardo.open(tmp_path / "heir") as heir:
        assert work in str(heir.heartbeat())
        heir.checkpoint(done=True)
        assert str(heir.heartbeat()) == "idle"
        told = heir.bequeath(tmp_path / "heir.testament")
    assert work not in [one.text for one in told.conduct]


def test_work_crosses_two_deaths(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "elder", agent="elder") as g:
        g.checkpoint(WORK)
        g.bequeath(tmp_path / "elder.testament")
    with bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir") as heir:
        heir.bequeath(tmp_path / "heir.testament")
    with bardo.inherit(tmp_path / "heir.testament", tmp_path / "last") as last:
        assert WORK in str(last.heartbeat())


def test_an_heir_without_work_is_idle(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "elder", agent="elder") as g:
        g.remember("The harbour closes at nine")
        g.bequeath(tmp_path / "elder.testament")
    with bardo.inherit(tmp_path / "elder.testament", tmp_path / "heir") as heir:
        assert str(heir.heartbeat()) == "idle"
