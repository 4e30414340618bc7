"""Episodes that other processes hand over."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bardo import errors
from bardo._core import EpisodeLog, Recorded
from bardo.capture import inbox
from bardo.model import Episode

NOW = 1_700_000_000_000_000


def open_log(folder: Path) -> EpisodeLog:
    return EpisodeLog(folder / "episodes.redb", agent="a", seed=1, now=NOW)


def absorb(log: EpisodeLog, folder: Path) -> tuple[list[Recorded], list[inbox.Batch]]:
    """Records everything that waits, as an owner does; returns what was recorded and what was rejected."""
    recorded: list[Recorded] = []
    rejected: list[inbox.Batch] = []
    for batch in inbox.drain(folder):
        if batch.problem is not None:
            rejected.append(batch)
            continue
        try:
            recorded += log.record(batch.episodes, now=NOW, out_of_order=True)
        except errors.InvalidInputError as error:
            rejected.append(inbox.reject(batch.path, str(error)))
    return recorded, rejected


def test_dropped_episodes_are_recorded_once_even_if_older_than_the_last_tick(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.record([Episode("own", tick=100)], now=NOW)
    inbox.drop(tmp_path, [Episode("раз", tick=3), Episode("два\u2028строки\n", tick=4, subjects=("x",))])
    (path,) = inbox.waiting(tmp_path)
    content = path.read_bytes()
    recorded, rejected = absorb(log, tmp_path)
    assert [one.fresh for one in recorded] == [True, True]
    assert rejected == []
    assert not path.exists()
    assert [episode.text for episode in log.latest(3)] == ["раз", "два\u2028строки\n", "own"]
    # The owner died before it deleted the file.
    path.write_bytes(content)
    recorded, _ = absorb(log, tmp_path)
    assert [one.fresh for one in recorded] == [False, False]
    assert len(log) == 3
    assert log.last_tick == 100
    log.close()


def test_a_consumer_that_fails_leaves_the_file(tmp_path: Path) -> None:
    inbox.drop(tmp_path, [Episode("kept")])

    def consume() -> None:
        for _ in inbox.drain(tmp_path):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        consume()
    assert [batch.episodes[0].text for batch in inbox.drain(tmp_path)] == ["kept"]
    assert list(inbox.drain(tmp_path)) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not json",
        b"\xff\xfe",
        b"[]\n",
        b'{"format": "bardo inbox", "version": 2, "episodes": 0}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 2}\n{"text": "a"}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 1}\n{"text": "no id"}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 1}\n{"text": "a", "id": "../x"}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 1}\n{"text": "a", "id": 7}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 1}\n{"text": "a", "spell": 7}\n',
        b'{"format": "bardo inbox", "version": 1, "episodes": 1}\n"text"\n',
    ],
)
def test_a_malformed_file_is_moved_aside_with_its_reason_and_the_rest_goes_on(
    tmp_path: Path, content: bytes
) -> None:
    log = open_log(tmp_path)
    inbox.drop(tmp_path, [Episode("good")])
    (tmp_path / "inbox" / "00000000.jsonl").write_bytes(content)
    recorded, (rejected,) = absorb(log, tmp_path)
    assert len(recorded) == 1
    assert rejected.problem
    assert rejected.path == tmp_path / "inbox" / "rejected" / "00000000.jsonl"
    assert rejected.path.read_bytes() == content
    assert rejected.path.with_suffix(".reason.txt").read_text().strip() == rejected.problem.strip()
    assert inbox.waiting(tmp_path) == []
    log.close()


def test_an_id_that_is_taken_by_other_content_is_rejected(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    (recorded,) = log.record([Episode("first")], now=NOW)
    inbox.drop(tmp_path, [Episode("second", id=recorded.id)])
    taken, (rejected,) = absorb(log, tmp_path)
    assert taken == []
    assert "other content" in str(rejected.problem)
    log.close()


def test_a_drop_that_the_log_would_refuse_is_refused_at_once(tmp_path: Path) -> None:
    for bad in (Episode(""), Episode("x", tick=-1), Episode("x" * 70_000)):
        with pytest.raises(errors.InvalidInputError):
            inbox.drop(tmp_path, [Episode("good"), bad])
    with pytest.raises(errors.StoreUnavailableError):
        inbox.drop(tmp_path / "absent", [Episode("x")])
    assert inbox.waiting(tmp_path) == []


def test_a_large_drop_is_split_and_keeps_its_order(tmp_path: Path) -> None:
    count = inbox.EPISODES_PER_FILE * 2 + 1
    inbox.drop(tmp_path, [Episode(str(number), tick=number) for number in range(count)], now=NOW)
    assert len(inbox.waiting(tmp_path)) == 3
    log = open_log(tmp_path)
    assert len(absorb(log, tmp_path)[0]) == count
    assert [episode.text for episode in log.range(0, count, limit=count)] == [str(n) for n in range(count)]
    log.close()


payloads = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
episodes = st.builds(
    Episode,
    text=st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip())),
    tick=st.integers(0, 2**63 - 1),
    event_index=st.integers(1, 2**32 - 1),
    at=st.integers(1, 253_402_300_799_999_999),
    role=st.sampled_from(["user", "agent", "system", "environment", "tool"]),
    speaker=st.none() | st.text(min_size=1, max_size=20),
    subjects=st.lists(st.text(min_size=1, max_size=20), max_size=4).map(tuple),
    payload=payloads,
    curiosity=st.floats(0, 1, width=32),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(episodes, min_size=1, max_size=5))
def test_an_episode_is_the_same_after_the_inbox(given_episodes: list[Episode]) -> None:
    # Bidirectional controls, line separators and lone quotes must all survive a file of lines.
    with tempfile.TemporaryDirectory() as folder:
        inbox.drop(folder, given_episodes)
        (batch,) = inbox.drain(folder)
        for before, after in zip(given_episodes, batch.episodes, strict=True):
            expected = dataclasses.replace(
                before, id=after.id, content_hash=after.content_hash, curiosity=after.curiosity
            )
            assert json.dumps(dataclasses.asdict(after)) == json.dumps(dataclasses.asdict(expected))
            assert after.curiosity == pytest.approx(before.curiosity)
