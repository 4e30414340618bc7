"""`rebuild` makes everything derived anew, and says how much of each."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

import bardo
from bardo.errors import StoreDamagedError
from bardo.model import Episode
from bardo.ports import ManualClock

#: In seconds.
DAY = 86_400
#: 2026-01-31 12:00 UTC.
NOON = 1_769_860_800_000_000
COUNT = 520


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, float(len(text)), float(text.count("e"))] for text in texts]


def test_everything_derived_is_made_anew_and_told(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=embed, clock=ManualClock(NOON)) as grimoire:
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
    with bardo.open(path, embedder=embed, clock=ManualClock(NOON)) as grimoire:
        rebuilt = grimoire.rebuild()["rebuilt"]
        assert (rebuilt["vectors"], rebuilt["lance"], rebuilt["hot"]) == (0, COUNT, COUNT + 1)
        assert rebuilt["snapshot"] > 0
        assert rebuilt["names"]["episodes"] == COUNT
        assert [memory.id for memory in grimoire.recall("event 17", limit=5)] == before
        assert grimoire.find(url="aave.com/17")
    with bardo.open(path, embedder=embed, clock=ManualClock(NOON)) as grimoire:
        assert grimoire.stats()["hot"]["refused"] is None
        assert grimoire.stats()["hot"]["restored"] == COUNT + 1
    with sqlite3.connect(path / "facts.db") as facts:
        assert facts.execute("SELECT count(*) FROM words WHERE words MATCH 'lisbon'").fetchone() == (1,)
    facts.close()


def test_sleep_writes_the_days_that_are_over_where_that_is_wanted(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with bardo.open(
        tmp_path / "a", embedder=embed, clock=clock, config={"archive": {"days": True}}
    ) as grimoire:
        grimoire.remember([Episode("first"), Episode("second", payload={"lag": 2})])
        assert grimoire.sleep().days == 0
        clock.advance(DAY)
        grimoire.remember("of today")
        assert grimoire.sleep().days == 1
        assert grimoire.sleep().days == 0
        assert grimoire.rebuild()["rebuilt"]["days"] == {"episodes": 2, "missing": 0, "different": 0}
        file = grimoire.path / "archive" / "2026-01-31.json"
        content = json.loads(file.read_text())
        assert [record["text"] for record in content["episodes"]] == ["first", "second"]
        content["episodes"][0]["text"] = "altered"
        file.write_text(json.dumps(content))
        assert grimoire.rebuild()["rebuilt"]["days"] == {"episodes": 2, "missing": 0, "different": 1}
        file.write_text("{}")
        with pytest.raises(StoreDamagedError, match="archive"):
            grimoire.rebuild()


def test_the_days_are_left_alone_unless_they_are_wanted(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with bardo.open(tmp_path / "a", embedder=embed, clock=clock) as grimoire:
        grimoire.remember("yesterday")
        clock.advance(DAY)
        grimoire.sleep()
        assert not (grimoire.path / "archive").exists()
