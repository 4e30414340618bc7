"""The daily archive."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from bardo import errors
from bardo._core import EpisodeLog
from bardo.capture import archive
from bardo.model import Episode

DAY = 86_400 * 1_000_000
#: 2026-01-31 12:00 UTC.
NOON = 1_769_860_800_000_000


def open_log(folder: Path) -> EpisodeLog:
    return EpisodeLog(folder / "episodes.redb", agent="a", seed=1, now=NOON)


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_days_that_are_over_are_written_once_and_never_changed(tmp_path: Path) -> None:
    log, folder = open_log(tmp_path), tmp_path / "archive"
    log.record(
        [Episode("раз", tick=1, at=NOON, payload={"lag": 2}), Episode("два", tick=2, at=NOON + DAY)], now=NOON
    )
    assert names(archive.write_days(log, folder, NOON)) == []
    assert names(archive.write_days(log, folder, NOON + DAY)) == ["2026-01-31.json"]
    first = (folder / "2026-01-31.json").read_bytes()
    assert "раз" in first.decode()
    assert json.loads(first)["episodes"][0]["payload"] == {"lag": 2}
    assert names(archive.write_days(log, folder, NOON + DAY)) == []
    log.record([Episode("поздний", tick=1, at=NOON)], now=NOON, out_of_order=True)
    later = archive.write_days(log, folder, NOON + 2 * DAY)
    assert names(later) == ["2026-01-31.1.json", "2026-02-01.json"]
    assert (folder / "2026-01-31.json").read_bytes() == first
    assert [episode.text for episode in archive.read_days(folder)] == ["раз", "поздний", "два"]
    log.close()


def test_a_write_that_was_cut_off_goes_on_without_repeating(tmp_path: Path) -> None:
    log, folder = open_log(tmp_path), tmp_path / "archive"
    log.record([Episode("a", at=NOON), Episode("b", at=NOON + DAY)], now=NOON)
    archive.write_days(log, folder, NOON + DAY)
    # The file was written, but not the watermark.
    log.set_watermark(archive.WATERMARK, 0)
    assert names(archive.write_days(log, folder, NOON + 2 * DAY)) == ["2026-02-01.json"]
    assert [episode.text for episode in archive.read_days(folder)] == ["a", "b"]
    log.close()


def test_a_log_can_be_rebuilt_from_the_archive(tmp_path: Path) -> None:
    log, folder = open_log(tmp_path), tmp_path / "archive"
    recorded = log.record(
        [
            Episode(
                f"событие {n}",
                tick=n,
                at=NOON + n * DAY // 3,
                subjects=(f"s{n % 2}",),
                thread="t",
                pad=(0.1, 0, 0),
            )
            for n in range(30)
        ],
        now=NOON,
    )
    log.verify([(recorded[3].id, 0.5)])
    archive.write_days(log, folder, NOON + 30 * DAY)
    expected = log.range(0, 100)
    log.close()
    (tmp_path / "new").mkdir()
    rebuilt = open_log(tmp_path / "new")
    rebuilt.record(archive.read_days(folder), now=NOON, out_of_order=True)
    assert [dataclasses.astuple(episode) for episode in rebuilt.range(0, 100)] == [
        dataclasses.astuple(episode) for episode in expected
    ]
    rebuilt.close()


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "2026-01-31.json").write_text("{")
    with pytest.raises(errors.StoreDamagedError, match=r"2026-01-31\.json"):
        list(archive.read_days(folder))


def test_days_are_utc_and_bounded() -> None:
    assert archive.day_of(0) == "1970-01-01"
    assert archive.day_of(-1) == "1969-12-31"
    with pytest.raises(errors.InvalidInputError):
        archive.day_of(2**62)


def test_an_episode_of_a_day_to_come_holds_no_other_back(tmp_path: Path) -> None:
    log, folder = open_log(tmp_path), tmp_path / "archive"
    log.record([Episode("next week", tick=1, at=NOON + 7 * DAY), Episode("today", tick=2, at=NOON)], now=NOON)
    assert names(archive.write_days(log, folder, NOON + DAY)) == ["2026-01-31.json"]
    assert log.watermark(archive.WATERMARK) == 2
    assert names(archive.write_days(log, folder, NOON + 2 * DAY)) == []
    assert names(archive.write_days(log, folder, NOON + 8 * DAY)) == ["2026-02-07.json"]
    assert [episode.text for episode in archive.read_days(folder)] == ["today", "next week"]
    log.close()
