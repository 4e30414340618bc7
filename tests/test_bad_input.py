"""Whatever is handed in, the answer is a typed error that says what to do, and what was stored stays as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bardo
from bardo import errors
from bardo.ports import Embedder, ManualClock


@pytest.fixture
def grimoire(tmp_path: Path, minilm: Embedder) -> Iterator[bardo.Grimoire]:
    with bardo.open(
        tmp_path / "agent", clock=ManualClock(1_700_000_000_000_000), seed=1, embedder=minilm
    ) as opened:
        opened.remember("what was there before", tick=100)
        yield opened
        assert [episode.text for episode in opened.episodes()] == ["what was there before"]


@pytest.mark.parametrize(
    "what",
    [
        42,
        None,
        b"bytes",
        "",
        "   \n\t ",
        ["fine", 7],
        {"content": "no role"},
        {"role": "wizard", "content": "x"},
        {"role": "user", "content": 5},
        "x" * 10_000_000,
        "a lone surrogate \ud800",
        ["fine", "", "fine too"],
    ],
    ids=lambda what: repr(what)[:24],
)
def test_what_cannot_be_remembered_is_refused_whole(grimoire: bardo.Grimoire, what: Any) -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        grimoire.remember(what, tick=101)
    assert len(str(refused.value)) > 20


@pytest.mark.parametrize(
    "fields",
    [
        {"tick": -1},
        {"tick": 99},
        {"tick": 2**63},
        {"tick": 1.5},
        {"tick": True},
        {"tick": "now"},
        {"importance": 1.5},
        {"importance": float("nan")},
        {"curiosity": -0.1},
        {"pad": (0.0, 2.0, 0.0)},
        {"pad": (0.0, float("inf"), 0.0)},
        {"pad": (0.0, 0.0)},
        {"role": "nobody"},
        {"kind": ""},
        {"kind": "k" * 300},
        {"thread": ""},
        {"subjects": "one string"},
        {"subjects": [""]},
        {"subjects": ["s"] * 257},
        {"subjects": ["s" * 257]},
        {"subjects": [1]},
        {"payload": {1: "a key that is no string"}},
        {"payload": {"n": 2**80}},
        {"payload": {"o": object()}},
        {"payload": {"blob": "x" * 2_000_000}},
        {"payload": "\ud800"},
        {"at": "yesterday"},
    ],
    ids=lambda fields: repr(fields)[:40],
)
def test_fields_out_of_range_are_refused(grimoire: bardo.Grimoire, fields: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidInputError) as refused:
        grimoire.remember("something happened", **{"tick": 101, **fields})
    assert len(str(refused.value)) > 20


def test_a_payload_nested_without_end_is_refused(grimoire: bardo.Grimoire) -> None:
    payload: list[Any] = []
    payload.append(payload)
    with pytest.raises(errors.InvalidInputError, match="nested"):
        grimoire.remember("a loop", tick=101, payload=payload)


def test_a_text_over_the_limit_can_be_cut_on_demand(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        episode = opened.remember("界" * 100_000, truncate=True)
        assert len(episode.text.encode()) <= 64 * 1024
        assert set(episode.text) == {"界"}


@pytest.mark.parametrize(
    ("vectors", "error"),
    [
        (lambda texts: np.full((len(texts), 8), np.nan, np.float32), errors.InvalidVectorError),
        (lambda texts: np.full((len(texts), 8), np.inf, np.float32), errors.InvalidVectorError),
        (lambda texts: np.ones((len(texts), 9), np.float32), errors.InvalidVectorError),
        (lambda texts: np.ones((len(texts) + 1, 8), np.float32), errors.InvalidVectorError),
        (lambda texts: np.zeros((len(texts), 8), np.float32), errors.InvalidVectorError),
        (lambda texts: "not an array", errors.InvalidVectorError),
    ],
    ids=["nan", "infinite", "dimensions", "one too many", "zero", "not an array"],
)
def test_bad_vectors_are_refused_and_the_words_are_still_found(
    tmp_path: Path, vectors: Callable[[list[str]], Any], error: type[Exception]
) -> None:
    from bardo.index.embedders import from_callable

    broken = from_callable(vectors, name="broken", dims=8)
    with bardo.open(tmp_path / "agent", embedder=broken) as opened:
        opened.remember("the relayer ran out of gas")
        with pytest.raises(error):
            opened.recall("gas")
        assert opened.get(next(opened.episodes()).id).text == "the relayer ran out of gas"


def test_vectors_of_two_models_never_meet(tmp_path: Path, minilm: Embedder) -> None:
    from bardo.index.embedders import from_callable

    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("made with the first model")
        opened.recall("first")
    other = from_callable(lambda texts: np.eye(len(texts), 384, dtype=np.float32), name="other", dims=384)
    with pytest.raises(errors.EmbeddingMismatchError, match="other"):
        bardo.open(tmp_path / "agent", embedder=other)
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        assert len(opened.recall("first model")) == 1


def test_a_path_that_is_a_file_is_refused(tmp_path: Path, minilm: Embedder) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    with pytest.raises(errors.StoreUnavailableError, match=r"notes\.txt"):
        bardo.open(file, embedder=minilm)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", ["episodes.redb", "facts.db"])
@pytest.mark.parametrize(
    "content", [b"", b"hello, this is a text file of somebody else\n" * 200, os.urandom(8192)]
)
def test_a_broken_file_is_named_and_left_as_it_is(
    tmp_path: Path, minilm: Embedder, name: str, content: bytes
) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("before the damage")
    broken = tmp_path / "agent" / name
    for extra in (tmp_path / "agent").glob(f"{name}-*"):
        extra.unlink()
    broken.write_bytes(content)
    with pytest.raises(errors.StoreError, match=name.replace(".", r"\.")):
        bardo.open(tmp_path / "agent", embedder=minilm)
    assert broken.read_bytes() == content


def test_the_files_of_another_agent_are_refused(tmp_path: Path, minilm: Embedder) -> None:
    for agent in ("anna", "boris"):
        with bardo.open(tmp_path / agent, embedder=minilm) as opened:
            opened.remember(f"this is {agent}'s")
    for name in ("episodes.redb", "facts.db"):
        mine, theirs = tmp_path / "anna" / name, tmp_path / "boris" / name
        kept = mine.read_bytes()
        mine.write_bytes(theirs.read_bytes())
        with pytest.raises(errors.StoreForeignError, match="boris"):
            bardo.open(tmp_path / "anna", embedder=minilm)
        mine.write_bytes(kept)


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("mine")
        script = textwrap.dedent(f"""
            import bardo
            try:
                bardo.open({str(tmp_path / "agent")!r})
            except bardo.BardoError as refused:
                print(type(refused).__name__, refused)
        """)
        said = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    assert said.startswith("StoreLockedError")
    assert str(os.getpid()) in said


def test_what_another_process_drops_into_the_inbox_is_taken_over_once(
    tmp_path: Path, minilm: Embedder
) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("mine")
        script = f"import bardo\nbardo.drop({str(tmp_path / 'agent')!r}, bardo.Episode('dropped by a hook'))"
        subprocess.run([sys.executable, "-c", script], check=True)
        assert [memory.text for memory in opened.recall("dropped by a hook", limit=1)] == [
            "dropped by a hook"
        ]
        assert opened.drain_inbox() == 0


def test_an_inbox_file_that_cannot_be_read_is_set_aside_and_named(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        (tmp_path / "agent" / "inbox" / "broken.jsonl").write_text("not of ours")
        with pytest.warns(errors.BardoWarning, match=r"broken\.jsonl was set aside"):
            assert opened.drain_inbox() == 0
        assert (tmp_path / "agent" / "inbox" / "rejected" / "broken.jsonl").exists()


def test_a_fork_refuses_to_work(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        opened.remember("before the fork")
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                opened.remember("in the child")
                said = "nothing"
            except errors.GrimoireClosedError as refused:
                said = str(refused)
            os.write(writing, said.encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert "fork" in os.read(reading, 10_000).decode()
        os.close(reading)
        os.close(writing)
        opened.remember("after the fork")


def test_a_setting_that_does_not_exist_is_named_with_the_nearest_one(
    tmp_path: Path, minilm: Embedder
) -> None:
    with pytest.raises(errors.ConfigError, match="budget"):
        bardo.open(tmp_path / "agent", embedder=minilm, config={"assemble": {"budgte": 5}})
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bardo.toml").write_text("agent = ")
    with pytest.raises(errors.ConfigError, match=r"bardo\.toml"):
        bardo.open(tmp_path / "bad", embedder=minilm)


def test_ticks_may_begin_at_nought(tmp_path: Path, minilm: Embedder) -> None:
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        assert [opened.remember(f"step {tick}", tick=tick).tick for tick in range(3)] == [0, 1, 2]


def test_a_chat_that_is_captured_afterwards_keeps_its_own_times(tmp_path: Path, minilm: Embedder) -> None:
    days = ("2024-01-03", "2024-01-02", "2024-01-05")
    with bardo.open(tmp_path / "agent", embedder=minilm) as opened:
        told = opened.remember(
            [{"role": "user", "content": day, "timestamp": f"{day}T00:00:00"} for day in days]
        )
        assert [episode.tick for episode in told] == [1_704_240_000, 1_704_240_000, 1_704_412_800]


def test_a_closed_grimoire_says_so(tmp_path: Path, minilm: Embedder) -> None:
    opened = bardo.open(tmp_path / "agent", embedder=minilm)
    opened.close()
    opened.close()
    with pytest.raises(errors.GrimoireClosedError, match="closed"):
        opened.remember("too late")
