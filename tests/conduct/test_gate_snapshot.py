"""The snapshot of the index: the same verdicts as without it, nothing of deleted entries, and two writers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import bardo
from bardo._database import checksum
from bardo.conduct.match import index as index_module
from bardo.conduct.match.index import ConductIndex
from bardo.conduct.model.entries import StateEntry
from bardo.ports import ManualClock

NOW = 1_700_000_000_000_000
WORDS = [
    "deploy",
    "redis",
    "moment",
    "production",
    "index",
    "delete",
    "bucket",
    "Friday",
    "use",
    "the",
    "force-push",
]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
KINDS = ["rejected", "decision", "task", "rule", "forget", "done"]
ROWS = st.lists(st.tuples(st.sampled_from(KINDS), TEXTS), max_size=14)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores a snapshot after few changes."""
    monkeypatch.setattr(index_module, "SNAPSHOT_ROWS", 3)


@contextmanager
def opened(home: Path) -> Iterator[bardo.Gate]:
    with bardo.gate(home, clock=ManualClock(NOW), words_only=True) as gate:
        yield gate


def change(gate: bardo.Gate, rows: list[tuple[str, str]]) -> None:
    for kind, text in rows:
        ids = [entry.id for entry in gate.state()]
        if kind == "forget":
            gate.forget(ids[:1], by="ana")
        elif kind == "done":
            gate.finish(gate.note("task", text).id)
        elif kind == "rule":
            gate.rule(text, forbids=text, by="ana")
        else:
            gate._store.put(StateEntry("", kind, text, at=NOW, changed_at=NOW))  # type: ignore[arg-type]


def answers(gate: bardo.Gate, actions: list[str]) -> list[object]:
    told = []
    for action in actions:
        verdict = gate.before(action)
        told.append((verdict.decision, verdict.findings, verdict.state, verdict.rules, verdict.candidates))
    return told


def snapshots(home: Path) -> list[bytes]:
    with sqlite3.connect(home / "conduct.db") as connection:
        connection.create_function("row_checksum", -1, checksum, deterministic=True)
        found = [content for (content,) in connection.execute("SELECT content FROM snapshot")]
    connection.close()
    return found


@settings(
    max_examples=30,
    deadline=None,
    # Each example opens four gates, so that shrinking would take minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(ROWS, ROWS, st.lists(TEXTS, min_size=1, max_size=4))
def test_a_gate_with_a_snapshot_decides_as_one_that_reads_every_row(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[tuple[str, str]],
    second: list[tuple[str, str]],
    actions: list[str],
) -> None:
    home = tmp_path_factory.mktemp("home") / "agent"
    bardo.open(home, agent="trader", embedder=None).close()
    with opened(home) as gate:
        change(gate, first)
        gate.before("store a snapshot")
    with opened(home) as gate:
        change(gate, second)
    with opened(home) as gate, pytest.MonkeyPatch.context() as patch:
        by_snapshot = answers(gate, actions)
        patch.setattr(ConductIndex, "_load", lambda _: None)
        with opened(home) as other:
            assert by_snapshot == answers(other, actions)


def save_snapshot(home: Path) -> None:
    """Rejects three things, so that the first check stores a snapshot."""
    with opened(home) as gate:
        for thing in ("redis", "moment", "leaflet"):
            gate.reject(f"use {thing}")
        gate.before("use redis")
    assert len(snapshots(home)) == 1


def test_a_snapshot_is_read_in_place_of_the_rows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_snapshot(home)
    added: list[object] = []
    monkeypatch.setattr(ConductIndex, "_add", lambda _, row: added.append(row))
    with opened(home) as gate:
        assert gate.before("use redis").decision == "block"
    assert not added


def test_a_deletion_deletes_the_snapshot_with_its_words(home: Path) -> None:
    with opened(home) as gate, opened(home) as other:
        ids = [gate.reject(f"use {thing}").id for thing in ("redis", "zanzibarlib", "leaflet")]
        for each in (gate, other):
            each.before("use redis")
        gate.forget(ids[1], by="ana")
        assert not snapshots(home)
        assert b"zanzibarlib" not in b"".join(path.read_bytes() for path in home.glob("conduct.db*"))
        for number in range(4):
            gate.reject(f"call service {number}")
        other.before("use redis")
        (content,) = snapshots(home)
        assert b"zanzibar" not in content


def test_a_snapshot_of_another_build_is_made_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_snapshot(home)
    monkeypatch.setattr("bardo.conduct.match.packed_rows.build", lambda: "another")
    with opened(home) as gate:
        assert gate._store.snapshot("another") is None
        assert gate.before("use redis").decision == "block"
        assert gate._store.snapshot("another") is not None
    assert len(snapshots(home)) == 1


def test_a_snapshot_of_rows_that_changed_meanwhile_is_not_stored(home: Path) -> None:
    with opened(home) as gate:
        gate.reject("use redis")
        stamp = gate._store.stamp()
        gate.reject("use moment")
        gate._store.put_snapshot("build", stamp, b"old")
        assert gate._store.snapshot("build") is None


@pytest.mark.parametrize("is_changed", [False, True])
def test_damage_after_a_snapshot_does_not_let_an_action_pass(home: Path, *, is_changed: bool) -> None:
    with opened(home) as gate:
        for thing in ("redis", "moment", "leaflet"):
            gate.reject(f"use {thing}")
        gate.before("use redis")
        if is_changed:
            gate.note("task", "write the report")
    with sqlite3.connect(home / "conduct.db") as connection:
        known = dict(connection.execute("SELECT number, checksum FROM state"))
        # The checksums stay those of the rows in force.
        connection.create_function(
            "row_checksum", -1, lambda _, number, *row: known[number], deterministic=True
        )
        connection.create_function("row_intact", -1, lambda *_: 1, deterministic=True)
        connection.execute("UPDATE state SET status = 'done'")
    connection.close()
    with opened(home) as gate:
        if not is_changed:
            assert gate.before("use redis").decision == "block"
            return
        with pytest.raises(bardo.errors.StoreDamagedError):
            gate.before("use redis")
