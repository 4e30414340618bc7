"""Killed at any step of its death, an agent leaves one testament; it lives, or its next opening completes the death."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import bardo
from bardo.bequeath import testament
from bardo.bequeath.lineage import Lineage, is_dead
from bardo.errors import BardoWarning, GrimoireClosedError, StoreUnavailableError

#: Operations on files at the end of a death in which the journal, the testament and the tombstone are written.
AFTER = 24
CHILD = Path(__file__).with_name("dying_child.py")


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.0] for _ in texts]


def opened(folder: Path) -> bardo.Grimoire:
    model = bardo.index.embedding.embedders.from_callable(embed, name="__main__.<lambda>")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        return bardo.open(folder, embedder=model)


def killed(folder: Path, path: Path, fatal: int) -> int:
    """Lets a child bequeath and die at its n-th operation on a file; how many there were if it lived."""
    done = subprocess.run(
        [sys.executable, str(CHILD), str(folder), str(path), str(fatal)],
        env={"PYTHONPATH": ":".join(sys.path), "BARDO_CONFIG": str(folder.parent / "config")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return int(done.stdout) if done.returncode == 0 else 0


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life") / "ann"
    with opened(folder) as ann:
        ann.learn("The vault opens at noon", confidence=0.9)
        ann.remember("the vault was open at noon", verified=True)
    return folder


def test_a_kill_at_every_step_of_a_death_leaves_one_testament(tmp_path: Path, living: Path) -> None:
    shutil.copytree(living, tmp_path / "whole" / "ann")
    steps = killed(tmp_path / "whole" / "ann", tmp_path / "whole" / "left.testament", 0)
    assert steps > 20
    finished, alive = 0, 0
    # Before the journal any step is as good as another; around and after it each one counts.
    for fatal in (*range(1, steps - AFTER, 6), *range(steps - AFTER, steps + 1)):
        place = tmp_path / str(fatal)
        shutil.copytree(living, place / "ann")
        left, other = place / "left.testament", place / "other.testament"
        assert killed(place / "ann", left, fatal) == 0, fatal
        published = testament.read(left).hash if left.exists() else None
        with opened(place / "ann") as again:
            if again.lineage.is_dead:
                finished += 1
                with pytest.raises(GrimoireClosedError):
                    again.bequeath(other)
                written = testament.read(left)
            else:
                alive += 1
                assert published is None, fatal
                written = again.bequeath(other)
            assert again.lineage.is_dead
        assert published in {None, written.hash}, fatal
        found = {testament.read(path).hash for path in place.glob("*.testament")}
        assert found == {written.hash}, fatal
        assert not written.replaces
        stone = is_dead(place / "ann")
        assert stone is not None
        assert stone.testament == written.hash
        assert not (place / "ann" / "death.json").exists()
        assert not list((place / "ann" / "testaments").iterdir())
        shutil.rmtree(place)
    assert finished > 2, "no kill came between the journal and the tombstone"
    assert alive > 2, "no kill came before the journal"


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory, living: Path) -> Path:
    """Folder of an agent that was killed between its journal and its tombstone, and whose place is gone."""
    root = tmp_path_factory.mktemp("dying")
    shutil.copytree(living, root / "whole" / "ann")
    steps = killed(root / "whole" / "ann", root / "whole" / "left.testament", 0)
    for fatal in range(steps, 0, -1):
        place = root / str(fatal)
        shutil.copytree(living, place / "ann")
        (place / "usb").mkdir()
        killed(place / "ann", place / "usb" / "left.testament", fatal)
        if (place / "ann" / "death.json").exists() and not is_dead(place / "ann"):
            break
    shutil.rmtree(place / "usb")
    return place / "ann"


def test_a_death_whose_place_is_gone_waits_for_another_place(tmp_path: Path, dying: Path) -> None:
    place = tmp_path
    shutil.copytree(dying, place / "ann")
    model = bardo.index.embedding.embedders.from_callable(embed, name="__main__.<lambda>")
    with pytest.warns(BardoWarning, match="interrupted the death of ann"):
        again = bardo.open(place / "ann", embedder=model)
    with again:
        with pytest.raises(GrimoireClosedError, match="is dying"):
            again.remember("still here")
        signed = json.loads((place / "ann" / "death.json").read_text())["tombstone"]["testament"]
        assert again.bequeath(place / "other.testament").hash == signed
        assert again.lineage.is_dead


def test_a_testament_that_cannot_be_written_leaves_a_living_agent(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.learn("The vault opens at noon", confidence=0.9)
        with pytest.raises(StoreUnavailableError):
            ann.bequeath(tmp_path / "absent" / "left.testament")
        assert not ann.lineage.is_dead
        ann.remember("still here")
        written = ann.bequeath(tmp_path / "left.testament")
    assert not written.replaces


def test_forgetting_what_a_signed_testament_holds_takes_that_testament_back(
    tmp_path: Path, dying: Path
) -> None:
    place = tmp_path
    shutil.copytree(dying, place / "ann")
    with opened(place / "ann") as again:
        (fact,) = again.facts.list(kind="insight")
        again.forget(fact, reason="asked for")
    model = bardo.index.embedding.embedders.from_callable(embed, name="__main__.<lambda>")
    with pytest.warns(BardoWarning, match="deleted with what it held"):
        bardo.open(place / "ann", embedder=model).close()
    with opened(place / "ann") as again:
        again.remember("alive")
        written = again.bequeath(place / "left.testament")
    assert len(written.replaces) == 1
    assert fact.text.encode() not in written.path.read_bytes()
    family = Lineage.load(place / "ann")
    assert family is not None
    assert family.life.testament == written.hash
    assert np.isfinite(written.written_at)
