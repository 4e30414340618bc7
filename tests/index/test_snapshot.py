"""The snapshot of the hot set through the public API."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo._core import HotSet
from bardo.index import snapshot

COUNT = 700
QUESTION = "which pool moved after the oracle woke?"


def embed(texts: list[str]) -> np.ndarray:
    """Vectors by the letters of a text: alike texts are near."""
    rows = np.zeros((len(texts), 16), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for at, letter in enumerate(text):
            row[(ord(letter) * 7 + at % 3) % 16] += 1.0
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def reopen(folder: Path, **options: object) -> bardo.Grimoire:
    return bardo.open(folder, embedder=embed, seed=1, **options)  # type: ignore[arg-type]


def filled(folder: Path) -> list[str]:
    """A grimoire that was closed with a snapshot; the texts that answer the question."""
    with reopen(folder) as grimoire:
        grimoire.remember(
            [f"pool {n % 13} moved {n % 17} points after the oracle woke at {n}" for n in range(COUNT)]
        )
        grimoire.learn("the oracle wakes the pools")
        answer = [memory.text for memory in grimoire.recall(QUESTION)]
    assert (folder / "hot.snapshot").exists()
    return answer


def test_a_closed_grimoire_opens_from_its_snapshot_and_answers_the_same(tmp_path: Path) -> None:
    answer = filled(tmp_path)
    with reopen(tmp_path) as grimoire:
        hot = grimoire.stats()["hot"]
        assert (hot["restored"], hot["replayed"], hot["refused"]) == (COUNT + 1, 0, None)
        assert [memory.text for memory in grimoire.recall(QUESTION)] == answer


def test_episodes_after_a_snapshot_are_found_and_stay_verified(
    tmp_path: Path,
) -> None:
    filled(tmp_path)
    written = (tmp_path / "hot.snapshot").stat().st_mtime_ns
    with reopen(tmp_path) as grimoire:
        late = grimoire.remember("a lone zebra crossed the bridge")
        grimoire.episodes.verify(grimoire.episodes.list(last=COUNT)[0], importance=0.9)
    # A little is no reason to write it all again.
    assert (tmp_path / "hot.snapshot").stat().st_mtime_ns == written
    with reopen(tmp_path) as grimoire:
        assert grimoire.stats()["hot"]["replayed"] == 1
        assert grimoire.recall("zebra")[0].id == late.id
        assert sum(episode.verified for episode in grimoire.episodes.list()) == 1


def test_a_damaged_snapshot_is_skipped_with_the_reason_and_made_again(tmp_path: Path) -> None:
    answer = filled(tmp_path)
    file = tmp_path / "hot.snapshot"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with reopen(tmp_path) as grimoire:
        hot = grimoire.stats()["hot"]
        assert hot["restored"] == 0
        assert "checksum" in hot["refused"]
        assert [memory.text for memory in grimoire.recall(QUESTION)] == answer
    with reopen(tmp_path) as grimoire:
        assert grimoire.stats()["hot"]["restored"] == COUNT + 1


def test_forgetting_takes_the_snapshot_along(tmp_path: Path) -> None:
    filled(tmp_path)
    with reopen(tmp_path) as grimoire:
        gone = grimoire.episodes.list(limit=1)[0]
        grimoire.forget(gone, reason="test")
        assert not (tmp_path / "hot.snapshot").exists()
    with reopen(tmp_path) as grimoire:
        assert grimoire.stats()["hot"]["refused"] is None
        assert gone.id not in grimoire._session.hot


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_snapshot_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    grimoire = reopen(tmp_path / "agent")
    grimoire.remember([f"event {n}" for n in range(COUNT)])
    grimoire.path.chmod(0o500)
    with pytest.warns(RuntimeWarning, match="Nothing is lost"):
        grimoire.close()
    grimoire.path.chmod(0o700)


def test_a_snapshot_in_a_folder_that_is_gone_is_refused_by_name(tmp_path: Path) -> None:
    with reopen(tmp_path / "agent") as grimoire:
        grimoire.remember([f"event {n}" for n in range(600)])
        opened = snapshot.LoadReport(restored=0, replayed=0, refused=None)
        keeper = snapshot.Snapshot(
            tmp_path / "missing" / "x", grimoire._session.log, grimoire._session.hot, opened
        )
        with pytest.warns(RuntimeWarning, match="Nothing is lost"):
            assert keeper.save_if_due() == 0
        assert HotSet().cold_upto == 0
