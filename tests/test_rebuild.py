"""`rebuild` rebuilds every derived file, and reports the number of records of each."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

import bardo
from bardo.errors import BardoWarning, StoreDamagedError
from bardo.model import Episode
from bardo.ports import ManualClock
from helpers.models import flat, shape_vectors

#: A day in seconds.
DAY = 86_400
#: 2026-01-31 12:00 UTC.
NOON = 1_769_860_800_000_000
COUNT = 520


def test_rebuild_makes_every_derived_file_and_reports_it(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=shape_vectors, clock=ManualClock(NOON)) as grimoire:
        grimoire.remember([f"event {number} at https://aave.com/{number}" for number in range(COUNT)])
        grimoire.learn("Gas doubles when Lisbon sleeps")
        grimoire.sleep()
        before = [memory.id for memory in grimoire.recall("event 17", limit=5)]
        path = grimoire.path
    shutil.rmtree(path / "index.lance")
    (path / "hot.snapshot").write_bytes(b"no snapshot")
    with sqlite3.connect(path / "facts.db") as facts:
        facts.execute("INSERT INTO words (words) VALUES ('delete-all')")
        facts.execute("DELETE FROM findings")
    facts.close()
    with pytest.warns(BardoWarning, match=r"index\.lance is missing"):
        grimoire = bardo.open(path, embedder=shape_vectors, clock=ManualClock(NOON))
    with grimoire:
        rebuilt = grimoire.maintenance.rebuild()["rebuilt"]
        assert (rebuilt["vectors"], rebuilt["lance"], rebuilt["hot"]) == (0, COUNT, COUNT + 1)
        assert rebuilt["snapshot"] > 0
        assert rebuilt["names"]["episodes"] == COUNT
        assert [memory.id for memory in grimoire.recall("event 17", limit=5)] == before
        assert grimoire.episodes.find(url="aave.com/17")
    with bardo.open(path, embedder=shape_vectors, clock=ManualClock(NOON)) as grimoire:
        assert grimoire.stats()["hot"]["refused"] is None
        assert grimoire.stats()["hot"]["restored"] == COUNT + 1
    with sqlite3.connect(path / "facts.db") as facts:
        assert facts.execute("SELECT count(*) FROM words WHERE words MATCH 'lisbon'").fetchone() == (1,)
    facts.close()


def test_rebuild_tells_of_every_stage_and_of_each_page(tmp_path: Path) -> None:
    clock, told = ManualClock(NOON), []
    settings = {"archive": {"days": True, "batch": 200}}
    with bardo.open(tmp_path / "a", embedder=shape_vectors, clock=clock, config=settings) as grimoire:
        grimoire.remember([f"event {number} at https://aave.com/{number}" for number in range(COUNT)])
        clock.advance(2 * DAY)
        grimoire.sleep()
        grimoire.maintenance.rebuild(progress=lambda *step: told.append(step))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages == ["facts", "names", "lance", "hot", "snapshot", "days"]
    assert [step for step in told if step[0] == "lance"] == [
        ("lance", done, COUNT) for done in (200, 400, COUNT)
    ]
    assert all(next(step[1:] for step in told[::-1] if step[0] == stage) != (0, 1) for stage in stages)


def test_sleep_writes_the_days_that_are_over_where_that_is_wanted(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with bardo.open(
        tmp_path / "a", embedder=shape_vectors, clock=clock, config={"archive": {"days": True}}
    ) as grimoire:
        grimoire.remember([Episode("first"), Episode("second", payload={"lag": 2})])
        assert grimoire.sleep().days == 0
        clock.advance(DAY)
        grimoire.remember("of today")
        assert grimoire.sleep().days == 1
        assert grimoire.sleep().days == 0
        assert grimoire.maintenance.rebuild()["rebuilt"]["days"] == {
            "episodes": 2,
            "missing": 0,
            "different": 0,
        }
        file = grimoire.path / "archive" / "2026-01-31.json"
        content = json.loads(file.read_text())
        assert [record["text"] for record in content["episodes"]] == ["first", "second"]
        content["episodes"][0]["text"] = "altered"
        file.write_text(json.dumps(content))
        assert grimoire.maintenance.rebuild()["rebuilt"]["days"] == {
            "episodes": 2,
            "missing": 0,
            "different": 1,
        }
        file.write_text("{}")
        with pytest.raises(StoreDamagedError, match="archive"):
            grimoire.maintenance.rebuild()


def test_the_days_are_left_alone_unless_they_are_wanted(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with bardo.open(tmp_path / "a", embedder=shape_vectors, clock=clock) as grimoire:
        grimoire.remember("yesterday")
        clock.advance(DAY)
        grimoire.sleep()
        assert not (grimoire.path / "archive").exists()


@pytest.mark.parametrize("kept", ["", "nothing in it"])
def test_a_lost_log_is_never_silently_replaced(tmp_path: Path, kept: str) -> None:
    with bardo.open(tmp_path / "a", embedder=shape_vectors) as grimoire:
        grimoire.remember("the only event")
        path = grimoire.path
    (path / "episodes.redb").unlink()
    if kept:
        (path / "episodes.redb").touch()
    before = sorted(file.name for file in path.iterdir())
    with pytest.raises(StoreDamagedError, match=r"episodes\.redb is (missing|empty).*Restore it from a copy"):
        bardo.open(path, embedder=shape_vectors)
    assert sorted(file.name for file in path.iterdir()) == before


def test_cold_episodes_are_found_without_the_table(tmp_path: Path) -> None:
    config = {"index": {"hot_limit": 30}, "archive": {"batch": 8}}
    with bardo.open(tmp_path / "a", embedder=shape_vectors, config=config) as grimoire:
        grimoire.remember([f"event {number} at the harbour" for number in range(80)])
        grimoire.sleep()
        path = grimoire.path
    with bardo.open(path, embedder=shape_vectors, config=config) as grimoire:
        assert grimoire.stats()["hot"]["cold_upto"] == 50
    shutil.rmtree(path / "index.lance")
    with pytest.warns(BardoWarning, match=r"index\.lance is missing"):
        grimoire = bardo.open(path, embedder=shape_vectors, config=config)
    with grimoire:
        assert grimoire.stats()["archive"]["missing"] == 80
        assert grimoire.recall("3 at the harbour", limit=1)[0].text == "event 3 at the harbour"
        grimoire.sleep()
        assert grimoire.stats()["archive"]["missing"] == 0
    with bardo.open(path, embedder=shape_vectors, config=config) as grimoire:
        assert grimoire.stats()["hot"]["cold_upto"] == 50
        found = grimoire.recall("3 at the harbour", limit=80)
        assert "event 3 at the harbour" in [memory.text for memory in found]


@pytest.mark.parametrize("part", ["", "_versions", "_transactions"])
def test_a_table_whose_creation_was_killed_is_made_again(tmp_path: Path, part: str) -> None:
    with bardo.open(tmp_path / "agent", agent="a", embedder=flat()) as grimoire:
        grimoire.remember("the ferry leaves at nine")
    (tmp_path / "agent" / "index.lance" / "episodes.lance" / part).mkdir(parents=True)
    with bardo.open(tmp_path / "agent", embedder=flat()) as grimoire:
        assert grimoire.sleep().archived == 1
