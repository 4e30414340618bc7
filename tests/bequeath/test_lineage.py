"""The family tree, the tombstone and the signing key on disk."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bardo.bequeath.family.family import FamilyTree
from bardo.bequeath.lineage import Life, Lineage, Parent, Tombstone, is_dead, mark_dead
from bardo.bequeath.testament import signing
from bardo.errors import StoreDamagedError, StoreUnavailableError


def left_by(lineage, testament, **died):
    """A testator's lineage as its testament tells it."""
    dead = lineage.died(**({"tick": 10, "cause": "age"} | died))
    fields = {name: getattr(dead.life, name) for name in Life.__dataclass_fields__}
    return Lineage(Life(**(fields | {"testament": testament})), dead.ancestors)


def test_a_lineage_survives_the_disk(tmp_path):
    assert Lineage.load(tmp_path) is None
    parent = left_by(Lineage.founder("ann"), "aa")
    heir = Lineage.founder("bob", birth_tick=3).heir_of([parent]).tried(confirmed=2, refuted=1)
    heir.save(tmp_path)
    assert Lineage.load(tmp_path) == heir
    assert heir.life.parents == (Parent("ann", 0, "aa"),)
    assert (heir.life.generation, heir.life.confirmed, heir.life.refuted) == (1, 2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["lineage.json"]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"life": 3, "ancestors": []}', '{"life": {"parents": []}}', "\xff"]
)
def test_a_damaged_lineage_is_refused(tmp_path, content):
    (tmp_path / "lineage.json").write_text(content, encoding="latin-1")
    with pytest.raises(StoreDamagedError, match=r"lineage\.json is damaged"):
        Lineage.load(tmp_path)


def test_a_generation_is_one_more_than_the_eldest_parents(tmp_path):
    old = left_by(Lineage(Life("old", generation=5)), "aa")
    young = left_by(Lineage.founder("young"), "bb")
    heir = Lineage.founder("heir").heir_of([young, old])
    assert heir.life.generation == 6
    assert heir.heir_of([young]) == heir


def test_the_tree_is_asked_for_parents_and_children():
    ann = left_by(Lineage.founder("ann"), "aa", cause="economic")
    ben = left_by(Lineage.founder("ben").heir_of([ann]), "bb")
    cat = Lineage.founder("cat").heir_of([ann, ben])
    tree = FamilyTree.of([cat, ben])
    assert [life.agent for life in tree.lives] == ["ann", "ben", "cat"]
    assert [life.agent for life in tree.children(tree.lives[0])] == ["ben", "cat"]
    assert [life.agent for life in tree.parents(tree.lives[2])] == ["ann", "ben"]
    lines = tree.render().splitlines()
    assert lines[0] == "ann (generation 0): born at 0, died at 10 (economic)"
    assert lines[1].startswith("  ben (generation 1)")
    assert lines[2] == "  cat (generation 2): alive; confirmed 0, refuted 0; also from ben"


@given(st.integers(0, 40))
def test_a_long_line_keeps_every_ancestor_nearest_first(generations):
    lineage = Lineage.founder("0")
    for number in range(generations):
        lineage = Lineage.founder(str(number + 1)).heir_of([left_by(lineage, f"hash {number}")])
    assert lineage.life.generation == generations
    assert [life.generation for life in lineage.ancestors] == list(reversed(range(generations)))
    assert len(FamilyTree.of([lineage]).render().splitlines()) == generations + 1


def test_the_dead_stay_dead_by_their_first_tombstone(tmp_path):
    assert is_dead(tmp_path) is None
    stone = Tombstone("ann", 10, 11, "economic", "aa", "ann.testament")
    mark_dead(tmp_path, stone)
    mark_dead(tmp_path, Tombstone("ann", 99, 99, "other", "bb", "x"))
    assert is_dead(tmp_path) == stone


def test_a_broken_tombstone_is_not_taken_for_a_life(tmp_path):
    (tmp_path / "tombstone.json").write_text("{}")
    with pytest.raises(StoreDamagedError):
        is_dead(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StoreUnavailableError, match=r"cannot write .*lineage\.json"):
        Lineage.founder("ann").save(tmp_path / "absent")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailableError):
        Lineage.founder("ann").save(tmp_path / "file")


def test_the_signing_key_is_made_once_and_private(tmp_path):
    first, again = signing.signing_key(tmp_path), signing.signing_key(tmp_path)
    assert first.private_bytes_raw() == again.private_bytes_raw()
    path = tmp_path / signing.KEY_PATH
    assert [one.name for one in path.parent.iterdir()] == ["signing.key"]
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_seed_makes_the_key_repeatable_but_never_replaces_one(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    one, same = (signing.signing_key(tmp_path / name, seed=b"7") for name in "ab")
    assert one.private_bytes_raw() == same.private_bytes_raw()
    made = signing.signing_key(tmp_path / "c")
    assert signing.signing_key(tmp_path / "c", seed=b"7").private_bytes_raw() == made.private_bytes_raw()


def test_a_file_that_is_no_key_is_refused_and_kept(tmp_path):
    path = tmp_path / signing.KEY_PATH
    path.parent.mkdir()
    path.write_text("hello")
    with pytest.raises(StoreDamagedError):
        signing.signing_key(tmp_path)
    assert path.read_text() == "hello"
