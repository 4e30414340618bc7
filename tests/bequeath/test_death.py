"""An agent killed in any phase of its death continues it when it is next opened, and leaves one testament."""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import os
import random
import shutil
import signal
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dying_child import PHASES, SLOW, die, opened

import bardo
from bardo.bequeath.lineage import Lineage, is_dead
from bardo.bequeath.testament import testament
from bardo.errors import BardoWarning, GrimoireClosedError, InvalidInputError, StoreUnavailableError

#: Kills in each phase, half of them at operations on files and half at random times. The specification asks for 50.
KILLS = int(os.environ.get("BARDO_DEATH_KILLS", "4"))
#: Seconds after which a step of a death counts as a hang.
PATIENCE = 60
LEARNT = "The vault opens at noon"


@dataclass
class Told:
    """Reports of a dying process before its end."""

    phase: int = 0
    settled: list[str] = field(default_factory=list)
    remembered: bool = False
    counts: tuple[int, ...] = ()
    seconds: tuple[float, ...] = ()


def awake(folder: Path) -> bardo.Grimoire:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        return opened(folder)


@pytest.fixture(scope="module")
def server() -> Any:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(SLOW)
    return context


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("life") / "ann"
    folder.mkdir()
    # Without the parser of English, which takes seconds to load.
    (folder / "bardo.toml").write_text('agent = "ann"\n[curator]\ntexts = false\nlanguage = ""\n')
    with opened(folder) as ann:
        ann.learn(LEARNT, confidence=0.9)
        ann.remember("the vault was open at noon", verified=True)
    return folder


def killed(
    server: Any,
    folder: Path,
    path: Path,
    *,
    steps: bool,
    fatal: tuple[int, int] = (-1, 0),
    after: tuple[int, float] | None = None,
) -> Told:
    """Lets a process die; it is killed at an operation of a phase, or from outside some time after a phase began."""
    ours, theirs = server.Pipe()
    env = {name: os.environ[name] for name in os.environ if name.startswith("BARDO_")}
    child = server.Process(
        target=die, args=(folder, path, theirs), kwargs={"steps": steps, "fatal": fatal, "env": env}
    )
    child.start()
    theirs.close()
    told, began = Told(), [time.perf_counter()]
    try:
        while True:
            assert ours.poll(PATIENCE), f"the process hangs in phase {PHASES[told.phase]}"
            name, value = ours.recv()
            if name == "phase":
                told.phase = value
                began += [time.perf_counter()] * (value > 0)
                if after is not None and after[0] == value:
                    time.sleep(after[1])
                    with contextlib.suppress(ProcessLookupError):  # it was faster
                        os.kill(child.pid, signal.SIGKILL)
                if value == 0:
                    began[0] = time.perf_counter()
            elif name == "settled":
                told.settled.append(value)
            elif name == "remembered":
                told.remembered = True
            else:
                told.counts = tuple(value)
                began.append(time.perf_counter())
                told.seconds = tuple(end - start for start, end in itertools.pairwise(began))
    except EOFError:
        child.join()
    assert child.exitcode in {0, -signal.SIGKILL}
    return told


def places(tmp_path: Path, living: Path) -> Iterator[tuple[Path, Path]]:
    """Copies of a life, each with the path of its testament; a copy is deleted when the next is made."""
    number = 0
    while True:
        place = tmp_path / str(number)
        shutil.copytree(living, place / "ann")
        yield place / "ann", place / "left.testament"
        shutil.rmtree(place)
        number += 1


def fatal_points(whole: Told, phase: int, seed: int) -> list[dict[str, Any]]:
    """Kills in a phase: half at operations spread over it, half at random times."""
    rng = random.Random(seed)
    count = whole.counts[phase]
    at = sorted({1 + round(each * (count - 1) / max(1, KILLS // 2 - 1)) for each in range(KILLS // 2)})
    points: list[dict[str, Any]] = [{"fatal": (phase, number)} for number in at if number <= count]
    while len(points) < KILLS:
        points.append({"after": (phase, rng.uniform(0, whole.seconds[phase]))})
    return points


def complete(folder: Path, left: Path, told: Told) -> None:
    """Checks an agent that was killed, lets it complete its death, and checks that it has left one testament."""
    published = left.read_bytes() if left.exists() else None
    with awake(folder) as again:
        texts = [episode.text for episode in again.episodes.list()]
        assert "the vault was open at noon" in texts
        assert not told.remembered or "the short was closed at market" in texts
        status = again.death.status()
        if status is not None:
            assert PHASES.index(status.phase) >= min(told.phase, 2)
            assert again.life.vitality().death == status.phase == again.stats()["death"]["phase"]
            tasks = {task.id: task for task in again.death.checklist()}
            assert len(tasks) == 2
            assert all(tasks[id_].status == "done" for id_ in told.settled)
            with bardo.gate(folder, words_only=True) as gate, pytest.raises(GrimoireClosedError):
                gate.note("task", "Buy the dip")
            again.remember("still settling")
            with pytest.raises(InvalidInputError, match="open"):
                again.death.complete()
            again.death.complete(abandon=True)
        elif not again.lineage.is_dead:
            assert told.phase <= 1, "only an agent whose death was not journaled lives on"
            assert published is None
            again.bequeath(left)
        assert again.lineage.is_dead
    written = testament.read(left)
    assert published in {None, left.read_bytes()}
    assert LEARNT in {fact.text for fact in written.facts}
    assert not written.replaces
    stone = is_dead(folder)
    assert stone is not None
    assert stone.testament == written.hash
    assert not list(folder.glob("*death.json*"))
    assert not list((folder / "testaments").iterdir())
    assert list(folder.parent.glob("*.testament")) == [left]
    content = left.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened(folder).close()
    assert left.read_bytes() == content


@pytest.mark.parametrize("steps", [True, False], ids=["step by step", "in one call"])
def test_kills_in_each_phase_of_a_death_leave_one_testament(
    tmp_path: Path, living: Path, server: Any, *, steps: bool
) -> None:
    copies = places(tmp_path, living)
    whole = killed(server, *next(copies), steps=steps)
    assert whole.phase == len(PHASES) - 1
    assert all(whole.counts)
    reached = dict.fromkeys(range(len(PHASES)), 0)
    for phase in range(len(PHASES)):
        for point in fatal_points(whole, phase, seed=phase):
            folder, left = next(copies)
            told = killed(server, folder, left, steps=steps, **point)
            reached[told.phase] += 1
            complete(folder, left, told)
    assert all(reached.values()), f"no process died in one of the phases: {reached}"


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory, living: Path, server: Any) -> Path:
    """Folder of an agent that was killed in the last phase, and whose place is gone."""
    place = tmp_path_factory.mktemp("dying")
    shutil.copytree(living, place / "ann")
    (place / "usb").mkdir()
    killed(server, place / "ann", place / "usb" / "left.testament", steps=False, fatal=(4, 1))
    shutil.rmtree(place / "usb")
    return place / "ann"


def test_a_death_whose_place_is_gone_waits_for_another_place(tmp_path: Path, dying: Path) -> None:
    shutil.copytree(dying, tmp_path / "ann")
    with pytest.warns(BardoWarning, match="interrupted the death of ann"):
        again = opened(tmp_path / "ann")
    with again:
        with pytest.raises(GrimoireClosedError, match="is dying"):
            again.remember("still here")
        with pytest.raises(GrimoireClosedError, match="is dying"):
            bardo.drop(tmp_path / "ann", "still here")
        signed = json.loads((tmp_path / "ann" / "death.json").read_text())["tombstone"]["testament"]
        assert again.bequeath(tmp_path / "other.testament").hash == signed
        assert again.lineage.is_dead


def test_the_journal_of_an_earlier_version_is_completed(tmp_path: Path, dying: Path) -> None:
    shutil.copytree(dying, tmp_path / "ann")
    journal = tmp_path / "ann" / "death.json"
    fields = json.loads(journal.read_text())
    place = tmp_path / "left.testament"
    journal.write_text(json.dumps({"path": str(place), "tombstone": fields["tombstone"]}))
    with pytest.warns(BardoWarning, match="complete now"):
        opened(tmp_path / "ann").close()
    assert testament.read(place).hash == fields["tombstone"]["testament"]


def test_a_testament_that_cannot_be_written_leaves_a_living_agent(tmp_path: Path) -> None:
    with awake(tmp_path / "ann") as ann:
        ann.learn(LEARNT, confidence=0.9)
        folder = tmp_path / "absent"
        with pytest.raises(StoreUnavailableError, match="does not exist"):
            ann.bequeath(folder / "left.testament")
        folder.mkdir()
        with pytest.raises(StoreUnavailableError):
            ann.bequeath(folder / "left.testament", progress=lambda *_: folder.exists() and folder.rmdir())
        assert not ann.lineage.is_dead
        assert ann.death.status() is None
        ann.remember("still here")
        written = ann.bequeath(tmp_path / "left.testament")
    assert not written.replaces


def test_forgetting_what_a_signed_testament_holds_takes_that_testament_back(
    tmp_path: Path, dying: Path
) -> None:
    shutil.copytree(dying, tmp_path / "ann")
    with awake(tmp_path / "ann") as again:
        (fact,) = again.facts.list(kind="insight")
        again.forget(fact, reason="asked for")
    with pytest.warns(BardoWarning, match="deleted with what it held"):
        opened(tmp_path / "ann").close()
    with awake(tmp_path / "ann") as again:
        again.remember("alive")
        written = again.bequeath(tmp_path / "left.testament")
    assert len(written.replaces) == 1
    assert fact.text.encode() not in written.path.read_bytes()
    family = Lineage.load(tmp_path / "ann")
    assert family is not None
    assert family.life.testament == written.hash
    assert np.isfinite(written.written_at)
