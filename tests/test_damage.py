"""Flipped bits: the same answers, or an error that names the place, and a check that finds it; never other words."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

import bardo
from bardo import _database, errors
from bardo._core import check_facts
from bardo.conduct.storage.store import FILE_NAME
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app
from helpers.models import letters

#: Bits that are flipped in each file, one at a time.
FLIPS = 60


MODEL = letters()
LESSONS = [f"Pool {place} pays the {place}th keeper before the oracle moves" for place in range(12)]
REJECTED = [f"sell token{place} to the {place}th market maker" for place in range(12)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with facts, links, names and triples, and a record of conduct."""
    folder = tmp_path_factory.mktemp("damage") / "agent"
    with bardo.open(folder, agent="trader", embedder=MODEL, seed=1) as grimoire:
        for text in LESSONS:
            grimoire.learn(text, subjects=["pools"], confidence=0.6)
        grimoire.entities.relate("Pool 1", "pays", "Alice Smith")
    with bardo.gate(folder, words_only=True) as gate:
        for place, text in enumerate(REJECTED):
            gate.reject(text, why=f"it went wrong {place} times")
        gate.rule("Look twice", forbids="open the vault")
    return folder


def answers(folder: Path) -> list[object]:
    """Everything that the facts of a memory answer, read without its log."""
    with bardo.visit(folder, embedder=MODEL) as visitor:
        found = visitor.recall("which pool pays the keeper", limit=20)
        # Confidence fades by the clock while the bits are flipped.
        told = [(memory.text, round(memory.confidence, 2)) for memory in found]
        return [told, [(fact.text, fact.subjects, fact.payload) for fact in visitor.facts.list()]]


def verdicts(folder: Path) -> list[object]:
    """Everything that a gate answers."""
    with bardo.gate(folder, words_only=True) as gate:
        kept = [(entry.summary, entry.detail) for entry in gate.state(every=True)]
        ruled = [(rule.text, rule.forbids) for rule in gate.rules(every=True)]
        return [kept, ruled, [gate.before(text).decision for text in (*REJECTED, "open the vault")]]


def places(content: bytes, words: list[str], count: int, chance: random.Random) -> list[int]:
    """Bits of a file: half of them in texts, half of them anywhere."""
    at = [
        place
        for word in words
        for place in range(content.find(word.encode()), content.find(word.encode()) + len(word))
    ]
    assert min(at) >= 0
    chosen = [chance.choice(at) for _ in range(count // 2)]
    chosen += [chance.randrange(100, len(content)) for _ in range(count - len(chosen))]
    return [byte * 8 + chance.randrange(8) for byte in chosen]


class Case(NamedTuple):
    """A file, texts in it, and how it is read and checked."""

    name: str
    words: list[str]
    read: Callable[[Path], list[object]]
    check: Callable[[Path], list[object]]


CASES = [
    Case("facts.db", LESSONS, answers, lambda path: check_facts(str(path), repair=False)),
    Case(FILE_NAME, REJECTED, verdicts, _database.damage),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_flipped_bit_never_gives_other_words(made: Path, tmp_path: Path, case: Case) -> None:
    name, words, read, check = case
    whole = (made / name).read_bytes()
    expected = read(made)
    assert not check(made / name)
    told, named = 0, set()
    for bit in places(whole, words, FLIPS, random.Random(7)):
        folder = tmp_path / f"bit{bit}"
        shutil.copytree(made, folder)
        content = bytearray(whole)
        content[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(content)
        damaged = bool(check(folder / name))
        try:
            found = read(folder)
        except errors.StoreError as error:
            told += 1
            named.add(name in str(error))
        else:
            # The check finds each record that an answer lacks; no record is returned in other words.
            assert found == expected or damaged, bit
            known = repr(expected)
            assert all(repr(each) in known for part in found for each in part), bit
        shutil.rmtree(folder)
    assert named == {True}
    assert told >= FLIPS // 3


def flip(path: Path, word: str) -> None:
    """Flips a bit in a text, which stays readable."""
    content = bytearray(path.read_bytes())
    place = content.index(word.encode())
    content[place] ^= 1
    path.write_bytes(content)


def test_the_error_names_file_table_and_row_and_the_way_out(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    flip(folder / "facts.db", LESSONS[3])
    with pytest.raises(
        errors.StoreDamagedError,
        match=r"facts\.db is damaged: row 4/.* of the table facts.*bardo maintenance check",
    ):
        answers(folder)
    flip(folder / FILE_NAME, REJECTED[3])
    with pytest.raises(
        errors.StoreDamagedError,
        match=r"conduct\.db is damaged: row 4 of the table state.*bardo maintenance check",
    ):
        verdicts(folder)


def test_one_flipped_bit_of_a_fact_is_put_back(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    flip(folder / "facts.db", LESSONS[3])
    path = str(folder / "facts.db")
    assert [
        (table, repair) for table, _, _, repair in check_facts(path, repair=False) if table == "facts"
    ] == [("facts", "")]
    assert "put back" in check_facts(path, repair=True)[0][3]
    assert check_facts(path, repair=False) == []
    assert answers(folder) == answers(made)


def test_a_check_reads_every_file_and_says_what_is_damaged(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    with bardo.open(folder, embedder=MODEL) as grimoire:
        grimoire.remember("Liquidations followed")
        grimoire.context("What followed?")
        report = grimoire.maintenance.check()
        assert report.sound
        assert not report.damaged
    bardo.drop(folder, "Gas doubled")
    before = {path: path.read_bytes() for path in folder.glob("*.db")}
    names = {each.partition(":")[0].split("/")[0] for each in bardo.check(folder).files}
    assert {"episodes.redb", "facts.db", "conduct.db", "feedback.db", "inbox"} <= names
    assert before == {path: path.read_bytes() for path in folder.glob("*.db")}

    flip(folder / "facts.db", LESSONS[3])
    flip(folder / FILE_NAME, REJECTED[3])
    waiting = next((folder / "inbox").glob("*.jsonl"))
    waiting.write_bytes(waiting.read_bytes()[:-30])
    with pytest.raises(errors.StoreDamagedError):
        answers(folder)
    report = bardo.check(folder)
    assert {(each.file.split("/")[0], each.table) for each in report.damaged} >= {
        ("facts.db", "facts"),
        ("conduct.db", "state"),
        ("inbox", ""),
    }
    assert not report.sound
    assert "conduct.db" in report.notes[-1]
    report = bardo.check(folder, repair=True)
    assert all(each.repair for each in report.damaged if each.file == "facts.db")
    assert LESSONS[3].encode() not in (folder / "facts.db.damaged").read_bytes()
    assert answers(folder) == answers(made)


def test_the_command_line_checks_and_repairs(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    shell = CliRunner()
    assert shell.invoke(app, ["maintenance", "check", "--at", str(folder)]).exit_code == 0
    flip(folder / "facts.db", LESSONS[3])
    told = shell.invoke(app, ["maintenance", "check", "--at", str(folder), "--json"])
    assert told.exit_code == exits.STORE
    assert json.loads(told.stdout)["damaged"][0]["table"] == "facts"
    mended = shell.invoke(app, ["maintenance", "check", "--repair", "--at", str(folder)])
    assert mended.exit_code == 0, mended.output
    assert "put back" in mended.output


@pytest.mark.parametrize("lost", ["episodes.redb", "facts.db", FILE_NAME])
@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_check_finds_a_file_that_was_lost_and_makes_none(
    made: Path, tmp_path: Path, lost: str, is_emptied: bool
) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    (folder / lost).unlink()
    if is_emptied:
        (folder / lost).touch()
    report = bardo.check(folder)
    assert not report.sound
    assert lost in {each.file for each in report.damaged}
    assert (folder / lost).exists() == is_emptied


def test_a_check_finds_a_file_of_conduct_that_is_an_older_copy(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    with bardo.gate(folder, words_only=True) as gate:
        gate.reject("paint the gate")
    for path in folder.glob(f"{FILE_NAME}*"):
        path.unlink()
    shutil.copy2(made / FILE_NAME, folder / FILE_NAME)
    assert "an older copy" in " ".join(each.what for each in bardo.check(folder).damaged)


def test_a_check_finds_damage_in_the_header_of_the_facts(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    content = bytearray((folder / "facts.db").read_bytes())
    content[60] ^= 2
    (folder / "facts.db").write_bytes(content)
    assert not bardo.check(folder).sound


@pytest.mark.parametrize("bit", [0, 4, 8, 31])
def test_a_damaged_version_of_the_facts_is_told_from_a_newer_one(
    made: Path, tmp_path: Path, bit: int
) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    content = bytearray((folder / "facts.db").read_bytes())
    content[63 - bit // 8] ^= 1 << bit % 8
    (folder / "facts.db").write_bytes(content)
    (told,) = [each.what for each in bardo.check(folder).damaged]
    assert "its header says schema version" in told
    assert "pgrade" not in told
    with pytest.raises(errors.StoreDamagedError, match="its header says schema version"):
        bardo.open(folder, embedder=MODEL)


def test_an_heir_is_sound(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    shutil.copytree(made, folder)
    with bardo.open(folder, embedder=MODEL) as grimoire:
        grimoire.bequeath(tmp_path / "left.testament")
    bardo.inherit(tmp_path / "left.testament", tmp_path / "heir", embedder=MODEL).close()
    assert bardo.check(tmp_path / "heir").damaged == ()
