"""The file of a gate: damage, a newer schema, a full disk, and use by several threads or after a fork."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bardo
from bardo import errors
from bardo._database import checksum


def damaged(path: Path) -> None:
    path.write_bytes(b"this is no database, but it is long enough to be looked at " * 200)


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE state (anything)")
    connection.close()


def marked_but_empty(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()


@pytest.mark.parametrize("harm", [damaged, foreign, marked_but_empty])
def test_a_file_that_is_no_record_of_conduct_is_told_as_damaged_and_left_alone(
    home: Path, gate: bardo.Gate, harm: Callable[[Path], None]
) -> None:
    harm(home / "conduct.db")
    before = (home / "conduct.db").stat().st_size
    for verb in (lambda: gate.before("short ETH"), lambda: gate.reject("short ETH"), gate.rules):
        with pytest.raises(errors.StoreDamagedError, match=r"conduct\.db is damaged"):
            verb()
    assert (home / "conduct.db").stat().st_size == before
    gate.close()
    (home / "conduct.db").rename(home / "aside")
    with bardo.gate(home, words_only=True) as again:
        assert again.reject("short ETH").id == "s1"


def of_version_7(path: Path) -> None:
    """Names the corrections of entries and of their versions as the earlier bardo did, with valid checksums."""
    with sqlite3.connect(path) as connection:
        connection.create_function("row_checksum", -1, checksum, deterministic=True)
        connection.create_function(
            "row_intact", -1, lambda table, kept, *row: kept == checksum(table, *row), deterministic=True
        )
        connection.execute("DROP TABLE snapshot")
        connection.execute("ALTER TABLE state RENAME COLUMN corrections TO forbids")
        connection.execute("""UPDATE versions SET fields = replace(fields, '"corrections"', '"forbids"')""")
        connection.execute("PRAGMA user_version = 7")
    connection.close()


def test_corrections_of_a_file_of_version_7_are_read(home: Path, gate: bardo.Gate) -> None:
    entry = gate.reject("no more date libraries")
    for package in ("luxon", "zanzibarlib"):
        gate.correct(entry.id, forbids={"packages": [package]}, add=True)
    known = [str(each) for each in gate.history(entry.id)]
    gate.close()
    of_version_7(home / "conduct.db")
    with bardo.gate(home, words_only=True) as again:
        assert [str(each) for each in again.history(entry.id)] == known
        assert again.before("npm i zanzibarlib").decision == "block"
        again.correct(entry.id, forbids={"packages": ["quokkalib"]}, add=True)
        assert again.before("npm i quokkalib").decision == "block"
    assert bardo.check(home).damaged == ()
    with sqlite3.connect(home / "conduct.db.v7") as kept:
        assert kept.execute(
            "SELECT count(*) FROM pragma_table_xinfo('state') WHERE name = 'forbids'"
        ).fetchone() == (1,)
    kept.close()


def test_a_file_of_a_newer_bardo_is_not_touched(home: Path, gate: bardo.Gate) -> None:
    with sqlite3.connect(home / "conduct.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    for verb in (lambda: gate.before("short ETH"), lambda: gate.reject("short ETH")):
        with pytest.raises(errors.StoreTooNewError, match="Update bardo"):
            verb()


def test_a_file_that_cannot_be_made_or_opened_is_told(home: Path, gate: bardo.Gate) -> None:
    (home / "conduct.db").mkdir()
    for verb in (lambda: gate.before("short ETH"), lambda: gate.reject("short ETH")):
        with pytest.raises(errors.StoreUnavailableError, match="writable"):
            verb()


def test_a_full_disk_is_told_and_loses_nothing_that_was_kept(home: Path, gate: bardo.Gate) -> None:
    kept = [gate.reject("sell token0")]
    with gate._store.writing() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    gate._store._database.opened().execute(f"PRAGMA max_page_count = {pages + 3}")

    def fill() -> None:
        while len(kept) < 1_000:
            kept.append(gate.reject(f"sell token{len(kept)}", why="because " * 100))

    with pytest.raises(errors.StoreUnavailableError, match="room"):
        fill()
    assert gate.state() == kept[::-1]
    gate._store._database.opened().execute("PRAGMA max_page_count = 1000000")
    kept.append(gate.reject("buy bonds"))
    with bardo.gate(home, words_only=True) as other:
        assert other.state() == kept[::-1]


def test_threads_share_a_gate(gate: bardo.Gate) -> None:
    def work(number: int) -> list[str]:
        mine = [gate.reject(f"sell token{number}x{step}").id for step in range(6)]
        assert not gate.before(f"sell token{number}x5").allowed
        gate.reject("short ETH on weekends")
        return mine

    with ThreadPoolExecutor(8) as threads:
        ids = [id_ for mine in threads.map(work, range(8)) for id_ in mine]
    assert len(set(ids)) == 48
    assert len(gate.state()) == 49


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to_is_told(home: Path, gate: bardo.Gate) -> None:
    home.chmod(0o500)
    try:
        assert gate.before("short ETH").decision == "allow"
        with pytest.raises(errors.StoreUnavailableError, match="writable"):
            gate.reject("short ETH")
    finally:
        home.chmod(0o700)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_is_refused_clearly_and_the_parent_goes_on(gate: bardo.Gate) -> None:
    gate.reject("short ETH")
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def child() -> None:
        for verb in (lambda: gate.before("short ETH"), lambda: gate.reject("short BTC"), gate.state):
            try:
                verb()
                answers.put("it worked")
            except errors.GrimoireClosedError as error:
                answers.put(str(error))
        gate.close()
        os._exit(0)

    process = context.Process(target=child)
    process.start()
    told = [answers.get() for _ in range(3)]
    process.join()
    assert all("fork" in answer for answer in told), told
    gate.reject("short BTC")
    assert not gate.before("short BTC").allowed
    assert len(gate.state()) == 2
