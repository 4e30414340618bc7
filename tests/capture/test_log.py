"""The episode log as Python sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bardo import errors
from bardo._core import EpisodeLog
from bardo.model import Episode, Fingerprint

NOW = 1_700_000_000_000_000
MODEL = Fingerprint("model", "1", "none", 3)


def open_log(folder: Path, **options: object) -> EpisodeLog:
    settings: dict[str, object] = {"agent": "trader-7", "seed": 7, "now": NOW, **options}
    return EpisodeLog(folder / "episodes.redb", **settings)  # type: ignore[arg-type]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EpisodeLog]:
    log = open_log(tmp_path)
    yield log
    log.close()


def test_an_episode_comes_back_as_it_was_given(log: EpisodeLog) -> None:
    given = Episode(
        "清算在预言机更新之后 — ликвидации, تصفية, 🙂",
        tick=19_000_123,
        event_index=4,
        at=NOW,
        kind="trade",
        role="tool",
        speaker="Оля",
        subjects=("ааве", "借贷"),
        payload={"lag": 2, "price": 2.5, "нет": None, "list": [True, {"x": "y"}]},
        thread="t",
        session="s",
        mode="m",
        curiosity=0.8,
        importance=0.3,
        verified=True,
        pad=(0.1, -0.2, 0.3),
    )
    (recorded,) = log.record([given], now=0)
    (found,) = log.get([recorded.id])
    assert found is not None
    fields = set(Episode.__slots__) - {"id", "content_hash"}
    assert {name: getattr(found, name) for name in fields} == {name: getattr(given, name) for name in fields}
    assert (recorded.seq, recorded.fresh, recorded.event_index, recorded.at) == (1, True, 4, NOW)
    assert log.last_tick == 19_000_123


def test_the_same_seed_and_clock_give_the_same_ids(tmp_path: Path) -> None:
    ids = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        log = open_log(tmp_path / name)
        ids.append([recorded.id for recorded in log.record([Episode("x"), Episode("y")], now=NOW)])
        log.close()
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (lambda: Episode(""), errors.InvalidInputError),
        (lambda: Episode("я" * 5_000_000), errors.InvalidInputError),
        (lambda: Episode("x", tick=-1), errors.InvalidInputError),
        (lambda: Episode("x", tick=2**63), errors.InvalidInputError),
        (lambda: Episode("x", tick=1.5), errors.InvalidInputError),
        (lambda: Episode("x", tick=2), errors.DecreasingTickError),
        (lambda: Episode(b"x"), errors.InvalidInputError),
        (lambda: Episode("x", id="../../etc"), errors.InvalidInputError),
        (lambda: Episode("x", role="wizard"), errors.InvalidInputError),
        (lambda: Episode("x", subjects="one"), errors.InvalidInputError),
        (lambda: Episode("x", subjects=(1,)), errors.InvalidInputError),
        (lambda: Episode("x", curiosity=float("nan")), errors.InvalidInputError),
        (lambda: Episode("x", payload={1: 2}), errors.InvalidInputError),
        (lambda: Episode("x", payload=object()), errors.InvalidInputError),
        (lambda: Episode("x", payload=10**30), errors.InvalidInputError),
        (lambda: Episode("x", payload="x" * 2_000_000), errors.InvalidInputError),
    ],
)
def test_bad_input_is_a_typed_error_and_nothing_is_recorded(
    log: EpisodeLog, wrong: Callable[[], Episode], error: type[Exception]
) -> None:
    log.record([Episode("before", tick=5)], now=NOW)
    with pytest.raises(error):
        log.record([Episode("beside it", tick=5), wrong()], now=NOW)
    assert [episode.text for episode in log.latest(10)] == ["before"]


def test_nan_in_a_payload_survives(log: EpisodeLog) -> None:
    (recorded,) = log.record([Episode("x", payload={"nan": float("nan"), "inf": float("inf")})], now=NOW)
    (found,) = log.get([recorded.id])
    assert found is not None
    assert np.isnan(found.payload["nan"])
    assert found.payload["inf"] == float("inf")


def test_many_threads_record_and_read_at_once(log: EpisodeLog) -> None:
    problems: list[BaseException] = []
    syncs = log.stats()["syncs"]

    def work(thread: int) -> None:
        try:
            for number in range(20):
                (recorded,) = log.record([Episode(f"{thread}/{number}", thread=str(thread))], now=NOW)
                (found,) = log.get([recorded.id])
                assert found is not None
                assert found.text == f"{thread}/{number}"
                assert len(log.by_thread(str(thread))) == number + 1
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(log) == 32 * 20
    assert log.stats()["syncs"] - syncs < 32 * 20 / 2, "concurrent callers should share syncs"


def test_vectors_are_kept_in_half_precision_for_one_model_only(log: EpisodeLog) -> None:
    ids = [recorded.id for recorded in log.record([Episode("a"), Episode("b")], now=NOW)]
    whole = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    sentences = np.linspace(0, 1, 9, dtype=np.float32).reshape(3, 3)
    log.put_vectors(ids, whole, sentences, [1, 2], MODEL)
    back = log.vectors(ids)
    np.testing.assert_array_equal(back[0], whole.astype(np.float16).astype(np.float32))
    np.testing.assert_array_equal(back[1], sentences.astype(np.float16).astype(np.float32))
    assert back[2] == [1, 2]
    assert log.fingerprint == MODEL
    assert log.without_vectors() == []
    other = Fingerprint("other", "1", "none", 3)
    with pytest.raises(errors.EmbeddingMismatchError, match="other"):
        log.put_vectors(ids, whole, sentences, [1, 2], other)
    for bad in (
        whole[:1],
        np.full_like(whole, np.nan),
        np.full_like(whole, np.inf),
        np.zeros((2, 4), np.float32),
    ):
        with pytest.raises(errors.InvalidInputError):
            log.put_vectors(ids, np.ascontiguousarray(bad), np.zeros((0, 3), np.float32), [0, 0], MODEL)
    with pytest.raises(errors.InvalidInputError, match="contiguous"):
        log.put_vectors(ids, np.asfortranarray(whole), sentences, [1, 2], MODEL)
    with pytest.raises(errors.NotFoundError):
        log.vectors(["0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f"])


def test_a_second_process_is_told_who_holds_the_log(tmp_path: Path) -> None:
    holder = json.dumps({"pid": os.getpid(), "host": "here", "since": NOW})
    log = open_log(tmp_path, holder=holder)
    program = (
        "import sys; from bardo import errors; from bardo._core import EpisodeLog\n"
        "try: EpisodeLog(sys.argv[1], agent='trader-7', seed=1, now=1)\n"
        "except errors.StoreLockedError as error: print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    path = str(tmp_path / "episodes.redb")
    run = subprocess.run(
        [sys.executable, "-c", program, path], env=environment, capture_output=True, text=True, check=True
    )
    assert f"open in another process (pid {os.getpid()} on here since 2023-11-14 22:13:20 UTC)" in run.stdout
    with pytest.raises(errors.StoreLockedError, match="open in a process with the id of this one"):
        open_log(tmp_path)
    log.close()
    with pytest.raises(errors.StoreUnavailableError, match="closed"):
        log.latest(1)
    assert not (tmp_path / "lease.json").exists()


def test_records_that_are_not_there_are_none_or_a_key_error(log: EpisodeLog) -> None:
    absent = "0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f"
    assert log.get([absent]) == [None]
    with pytest.raises(errors.InvalidInputError):
        log.get(["yesterday"])
    for call in (
        lambda: log.verify([(absent, 0.5)]),
        lambda: log.mark_replayed([absent]),
        lambda: log.range(0, 10, after=absent),
        lambda: log.by_subject("x", after=absent),
    ):
        with pytest.raises(errors.NotFoundError):
            call()
    assert log.by_subject("") == []
    assert log.range(5, 2) == []
    with pytest.raises(errors.InvalidInputError):
        log.range(-1, 2)
