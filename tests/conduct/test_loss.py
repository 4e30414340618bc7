"""A gate that cannot tell what was rejected does not allow: in another agent's folder, or without its record."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import bardo
from bardo import errors
from bardo.conduct.gate import Gate
from bardo.conduct.storage import mark
from bardo.conduct.storage.store import FILE_NAME
from helpers.models import flat

REJECTED = "short ETH on weekends"
ACTION = "Short 3 ETH this weekend"


def made(folder: Path, agent: str = "trader") -> Path:
    model = flat()
    bardo.open(folder, agent=agent, embedder=model).close()
    return folder


def gated(folder: Path, agent: str | None = None) -> Gate:
    return bardo.gate(folder, agent=agent, words_only=True)


def verdict(folder: Path) -> str:
    with gated(folder) as gate:
        return gate.before(ACTION).decision


def delete(folder: Path) -> None:
    for path in folder.glob(f"{FILE_NAME}*"):
        path.unlink()


def empty(folder: Path) -> None:
    delete(folder)
    (folder / FILE_NAME).touch()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory whose agent rejected something."""
    folder = made(tmp_path / "agent")
    with gated(folder) as gate:
        gate.reject(REJECTED, by="anna")
    assert verdict(folder) == "block"
    return folder


def test_a_gate_refuses_a_name_that_is_not_the_folders_agent(home: Path) -> None:
    with pytest.raises(errors.StoreForeignError, match=r'belongs to the agent "trader", not to "tradr"'):
        gated(home, "tradr")


def test_a_gate_in_a_renamed_folder_without_settings_refuses_and_names_the_agent(home: Path) -> None:
    (home / "bardo.toml").unlink()
    with pytest.raises(errors.StoreForeignError, match=r'"trader".*bardo\.toml'):
        gated(home)
    with gated(home, "trader") as gate:
        assert gate.before(ACTION).decision == "block"


def test_a_visitor_refuses_what_a_gate_refuses(home: Path) -> None:
    model = flat()
    with pytest.raises(errors.StoreForeignError, match=r'"trader"'):
        bardo.visit(home, agent="tradr", embedder=model)
    (home / "facts.db").unlink()
    for opener in (lambda: bardo.visit(home, embedder=model), lambda: gated(home)):
        with pytest.raises(errors.NotFoundError, match="there are no facts"):
            opener()


def test_a_gate_through_a_link_is_the_gate_of_the_folder(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    assert verdict(tmp_path / "link") == "block"
    (home / "bardo.toml").unlink()
    with pytest.raises(errors.StoreForeignError):
        gated(tmp_path / "link")


@pytest.mark.parametrize("lose", [delete, empty])
def test_a_lost_file_shuts_the_gate_and_is_not_made_again(home: Path, lose: Callable[[Path], None]) -> None:
    lose(home)
    before = sorted((path.name, path.stat().st_size) for path in home.glob(f"{FILE_NAME}*"))
    with gated(home) as gate:
        for verb in (
            lambda: gate.before(ACTION),
            lambda: gate.reject("anything"),
            lambda: gate.after(ACTION, passed=True),
            lambda: gate.rule("anything"),
            lambda: gate.forget("s1"),
            gate.state,
            gate.rules,
        ):
            with pytest.raises(errors.ConductLostError, match="accept_loss"):
                verb()
    assert sorted((path.name, path.stat().st_size) for path in home.glob(f"{FILE_NAME}*")) == before


@pytest.mark.parametrize("lose", [delete, empty])
def test_a_loss_is_accepted_by_name_and_on_record(home: Path, lose: Callable[[Path], None]) -> None:
    lose(home)
    with gated(home) as gate:
        with pytest.raises(errors.InvalidInputError, match="only a person"):
            gate.accept_loss(by=" ")
        with pytest.raises(errors.ConductLostError):
            gate.before(ACTION)
        accepted = gate.accept_loss(by="anna", why="the disk failed")
        assert (accepted.kind, accepted.by, accepted.detail) == ("decision", "anna", "the disk failed")
        assert "lost" in accepted.summary
        assert gate.before(ACTION).decision == "allow"
        assert gate.state() == [accepted]
        gate.reject(REJECTED)
        with pytest.raises(errors.InvalidInputError, match="nothing is lost"):
            gate.accept_loss(by="anna")
    assert verdict(home) == "block"
    delete(home)
    with pytest.raises(errors.ConductLostError):
        verdict(home)


def test_an_older_copy_shuts_the_gate_until_it_is_accepted(home: Path, tmp_path: Path) -> None:
    shutil.copy(home / FILE_NAME, tmp_path / "older")
    with gated(home) as gate:
        gate.reject("email customers")
    delete(home)
    shutil.copy(tmp_path / "older", home / FILE_NAME)
    with gated(home) as gate:
        with pytest.raises(errors.ConductLostError, match="older copy"):
            gate.before(ACTION)
        gate.accept_loss(by="anna")
        assert gate.before(ACTION).decision == "block"
        assert gate.before("email customers").decision == "allow"


def test_another_folders_file_shuts_the_gate(home: Path, tmp_path: Path) -> None:
    for agent, error in (("trader", errors.ConductLostError), ("other", errors.StoreForeignError)):
        other = made(tmp_path / f"of {agent}", agent)
        with gated(other) as gate:
            gate.note("task", "water the tomatoes")
        delete(home)
        shutil.copy(other / FILE_NAME, home / FILE_NAME)
        with gated(home) as gate:
            for verb in (lambda: gate.before(ACTION), lambda: gate.reject(REJECTED)):
                with pytest.raises(error):
                    verb()
    with gated(home) as gate, pytest.raises(errors.StoreForeignError, match="Move it away"):
        gate.accept_loss(by="anna")


def test_a_link_to_another_agents_file_shuts_the_gate(home: Path, tmp_path: Path) -> None:
    other = made(tmp_path / "other", "other")
    with gated(other) as gate:
        gate.note("task", "water the tomatoes")
    delete(home)
    (home / FILE_NAME).symlink_to(other / FILE_NAME)
    with pytest.raises(errors.StoreForeignError):
        verdict(home)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
@pytest.mark.parametrize("lose", [delete, lambda folder: os.truncate(folder / FILE_NAME, 0)])
def test_a_gate_that_is_open_sees_that_its_file_was_lost(home: Path, lose: Callable[[Path], None]) -> None:
    with gated(home) as gate:
        assert gate.before(ACTION).decision == "block"
        lose(home)
        for verb in (lambda: gate.before(ACTION), lambda: gate.reject("anything"), gate.state):
            with pytest.raises(errors.ConductLostError):
                verb()


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced there")
def test_a_gate_that_is_open_follows_a_file_that_was_restored(home: Path, tmp_path: Path) -> None:
    shutil.copy(home / FILE_NAME, tmp_path / "copy")
    with gated(home) as gate:
        assert gate.before(ACTION).decision == "block"
        delete(home)
        shutil.copy(tmp_path / "copy", home / FILE_NAME)
        assert gate.before(ACTION).decision == "block"
        gate.reject("email customers")
    with gated(home) as gate:
        assert gate.before("email customers").decision == "block", "it was written to a file without a name"


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_write_to_a_file_deleted_meanwhile_is_not_reported_as_kept(home: Path) -> None:
    def write_and_delete(gate: Gate) -> None:
        with gate._store.writing():
            gate.note("task", "port the parser")
            delete(home)

    with gated(home) as gate:
        with pytest.raises(errors.ConductLostError):
            write_and_delete(gate)
        with pytest.raises(errors.ConductLostError):
            gate.state()


CRASH = """
import os, sys
from bardo.conduct.storage import mark, store
def stop(*_): os._exit(9)
setattr({target}, {name!r}, stop)
import bardo
bardo.gate(sys.argv[1], words_only=True).reject("short ETH on weekends")
"""


@pytest.mark.parametrize(
    ("target", "name", "kept"), [("mark.Mark", "keep", 0), ("store.ConductStore", "put", 0)]
)
def test_a_crash_before_the_first_entry_loses_nothing_and_shuts_nothing(
    tmp_path: Path, target: str, name: str, kept: int
) -> None:
    folder = made(tmp_path / "agent")
    done = subprocess.run(
        [sys.executable, "-c", CRASH.format(target=target, name=name), str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 9
    with gated(folder) as gate:
        assert len(gate.state()) == kept
        assert gate.before(ACTION).decision == "allow"
        gate.reject(REJECTED)
        assert gate.before(ACTION).decision == "block"
    delete(folder)
    with pytest.raises(errors.ConductLostError):
        verdict(folder)


def test_a_file_is_marked_before_its_first_entry_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "agent")
    with gated(folder) as gate:
        monkeypatch.setattr(
            mark.Mark, "keep", lambda *_: (_ for _ in ()).throw(errors.StoreUnavailableError("full"))
        )
        with pytest.raises(errors.StoreUnavailableError):
            gate.reject(REJECTED)
        monkeypatch.undo()
        assert gate.state() == []


LATER_COLUMNS = [
    ("state", "superseded_by"), ("state", "corrections"), ("rules", "uses"), ("rules", "failures"),
    ("rules", "retired_why"), ("rules", "corrections"),
]  # fmt: skip

LATER_TABLES = ["versions", "outcomes", "flows", "capabilities", "missions", "outputs", "grants", "snapshot"]


def of_version_1(folder: Path, agent: str) -> None:
    """Makes a file of the earlier version: no owner, no record in the mark, and no checksums."""
    with sqlite3.connect(folder / FILE_NAME) as connection:
        for table in ("state", "rules", "vectors"):
            for column in ("intact", "checksum"):
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("DROP TABLE made")
        for table, column in LATER_COLUMNS:
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        for table in LATER_TABLES:
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE state SET agent = ?", (agent,))
        connection.execute("PRAGMA user_version = 1")
    connection.close()


@pytest.mark.parametrize("agent", ["trader", "tradr"])
def test_a_file_of_an_earlier_bardo_is_taken_over_with_what_a_wrong_name_kept(
    home: Path, tmp_path: Path, agent: str
) -> None:
    of_version_1(home, agent)
    fresh = made(tmp_path / "fresh")
    shutil.copy(home / FILE_NAME, fresh / FILE_NAME)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert verdict(fresh) == "block"
    assert [str(warning.message) for warning in said if "'tradr'" in str(warning.message)] == [
        str(warning.message) for warning in said
    ]
    assert len(said) == (agent == "tradr")
    with sqlite3.connect(fresh / f"{FILE_NAME}.v1") as kept:
        assert kept.execute("SELECT agent FROM state").fetchall() == [(agent,)]
    kept.close()
    delete(fresh)
    with pytest.raises(errors.ConductLostError):
        verdict(fresh)


def without_tables(folder: Path) -> None:
    delete(folder)
    with sqlite3.connect(folder / FILE_NAME) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()


@pytest.mark.parametrize("lose", [delete, empty, without_tables])
def test_a_deletion_goes_on_where_the_file_is_lost(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    folder = tmp_path / "agent"
    model = flat()
    with bardo.open(folder, agent="trader", embedder=model) as grimoire:
        doomed = grimoire.remember("the vault code of the relayer is nine-four-two-seven")
        with gated(folder) as gate:
            gate.reject(REJECTED)
        lose(folder)
        assert grimoire.forget(doomed.id, reason="asked for").conduct == ()
    with pytest.raises(errors.ConductLostError):
        verdict(folder)


def test_a_deletion_is_known_to_the_mark(home: Path, tmp_path: Path) -> None:
    model = flat()
    with bardo.open(home, embedder=model) as grimoire:
        doomed = grimoire.remember("the vault code of the relayer is nine-four-two-seven")
        with gated(home) as gate:
            gate.reject("tell the vault code", episode=doomed.id)
        shutil.copy(home / FILE_NAME, tmp_path / "older")
        assert len(grimoire.forget(doomed.id, reason="asked for").conduct) == 1
        assert verdict(home) == "block"
    delete(home)
    shutil.copy(tmp_path / "older", home / FILE_NAME)
    with pytest.raises(errors.ConductLostError, match="older copy"):
        verdict(home)


def test_a_gate_beside_the_owner_and_its_sleep_stays_shut(home: Path) -> None:
    model = flat()
    with bardo.open(home, embedder=model) as grimoire:
        grimoire.remember("gas doubled before the close", verified=True)
        grimoire.sleep()
        assert verdict(home) == "block"
        delete(home)
        with pytest.raises(errors.ConductLostError):
            verdict(home)
