"""The inbox: a process that does not own a memory leaves episodes for its owner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo import errors
from bardo.ports import Embedder, ManualClock

NOW = 1_700_000_000_000_000
CALLS = [{"function": {"name": "swap"}}]


@pytest.fixture
def owner(tmp_path: Path, minilm: Embedder) -> Callable[[], bardo.Grimoire]:
    return lambda: bardo.open(tmp_path / "agent", embedder=minilm, clock=ManualClock(NOW), seed=1)


@pytest.mark.parametrize(
    "what",
    [
        "a string",
        bardo.Episode("an episode", kind="note", tick=7, subjects=("x",)),
        {
            "role": "assistant",
            "content": "a message",
            "tool_calls": CALLS,
            "timestamp": "2023-11-14T00:00:00",
        },
        ["a string", bardo.Episode("an episode"), {"role": "user", "name": "Mira", "content": "a message"}],
        "x" * 70_000,
    ],
    ids=["string", "episode", "message", "batch", "too long"],
)
def test_a_dropped_text_becomes_the_same_episode_as_a_remembered_one(
    owner: Callable[[], bardo.Grimoire], tmp_path: Path, minilm: Embedder, what: Any
) -> None:
    fields: dict[str, Any] = {
        "tick": 9, "kind": "trade", "role": "tool", "speaker": "Tom", "subjects": ["gas"], "payload": {"lag": 2},
        "thread": "t", "session": "s", "mode": "code", "curiosity": 0.5, "importance": 0.25, "verified": True,
        "pad": (0.5, 0.0, 0.0), "truncate": True,
    }  # fmt: skip
    with bardo.open(tmp_path / "other", embedder=minilm, clock=ManualClock(NOW)) as other:
        other.remember(what, **fields)
        expected = list(other.episodes.list())
    with owner() as opened:
        ids = bardo.drop(opened.path, what, now=NOW, **fields)
        assert opened.maintenance.drain_inbox() == len(ids) == len(expected)
        dropped = [opened.episodes.get(id_) for id_ in ids]
    apart = {"id": "", "event_index": 0}
    assert [replace(episode, **apart) for episode in dropped] == [
        replace(episode, **apart) for episode in expected
    ]


def test_the_same_seed_gives_the_same_ids(owner: Callable[[], bardo.Grimoire]) -> None:
    with owner() as opened:
        first, second = (bardo.drop(opened.path, ["one", "two"], now=NOW, seed=5) for _ in range(2))
        assert first == second
        assert len(set(first)) == 2
        assert opened.maintenance.drain_inbox() == 2


def test_nothing_is_dropped_into_a_folder_that_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(errors.NotFoundError, match="no grimoire"):
            bardo.drop(folder, "nobody will ever take this")
    assert [path.name for path in tmp_path.rglob("*")] == ["archive"]


def test_nothing_is_dropped_for_the_dead(owner: Callable[[], bardo.Grimoire], tmp_path: Path) -> None:
    with owner() as opened:
        opened.remember("the only thing that ever happened")
        opened.bequeath(tmp_path / "left")
    with pytest.raises(errors.GrimoireClosedError, match="agent has died"):
        bardo.drop(opened.path, "too late")
    assert list((opened.path / "inbox").iterdir()) == []


def test_a_drop_waits_while_the_log_is_lost(owner: Callable[[], bardo.Grimoire], tmp_path: Path) -> None:
    with owner() as opened:
        opened.remember("before the loss")
    log = opened.path / "episodes.redb"
    log.rename(tmp_path / "aside")
    (id_,) = bardo.drop(opened.path, "after the loss")
    (tmp_path / "aside").rename(log)
    with owner() as again:
        assert again.episodes.get(id_).text == "after the loss"


def test_drops_of_one_moment_arrive_in_the_order_of_the_calls(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with bardo.open(folder):
        pass
    texts = [f"Step {number}" for number in range(50)]
    for text in texts:
        bardo.drop(folder, text, now=1_750_000_000_000_000)

    with bardo.open(folder) as g:
        assert [episode.text for episode in g.episodes.list()] == texts
