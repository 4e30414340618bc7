"""A dying agent settles its tasks, takes on nothing new, and hands the rest to its heir; a killed one is bequeathed."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import signal
import warnings
from pathlib import Path
from typing import Any

import pytest
from dying_child import embed
from typer.testing import CliRunner

import bardo
from bardo.bequeath import death_journal
from bardo.bequeath.lineage import is_dead
from bardo.bequeath.testament import testament
from bardo.errors import (
    BardoWarning,
    GrimoireClosedError,
    InvalidInputError,
    NotFoundError,
    StoreDamagedError,
    StoreLockedError,
    StoreUnavailableError,
)
from bardo.index.embedding import embedders
from bardo.ports import ManualClock
from bardo.surfaces.cli import exits
from bardo.surfaces.cli.app import app

NOON = 1_772_712_000_000_000
HOUR = 3_600 * 1_000_000
SETTINGS: dict[str, Any] = {"curator": {"texts": False, "language": ""}}


def opened(folder: Path, clock: ManualClock | None = None, **settings: Any) -> bardo.Grimoire:
    return bardo.open(
        folder,
        embedder=embedders.function_embedder(embed, name="flat"),
        clock=clock or ManualClock(NOON),
        config=SETTINGS | settings,
    )


def test_a_death_waits_for_its_checklist_and_the_heir_takes_over_the_rest(tmp_path: Path) -> None:
    left = tmp_path / "ann.testament"
    with opened(tmp_path / "ann") as ann:
        with bardo.gate(ann.path, words_only=True) as gate:
            gate.note("task", "Pay the keeper")
            gate.note("decision", "Trade on weekdays alone")
            ann.death.begin(cause="economic", obligations=["Close the short", "Pay the keeper"], path=left)
            for kind in ("task", "decision"):
                with pytest.raises(GrimoireClosedError, match=f"takes on no new {kind}"):
                    gate.note(kind, f"a new {kind}")
            gate.note("task", "Pay the keeper", detail="on Friday")
            gate.note("learning", "The keeper answers at night")
            gate.reject("short ETH on weekends")
            keeper, short = ann.death.checklist()
            assert (keeper.summary, keeper.detail) == ("Pay the keeper", "on Friday")
            gate.finish(keeper.id, why="paid")
        with pytest.raises(InvalidInputError, match=r"1 task of the checklist is open: .* Close the short"):
            ann.death.complete()
        with pytest.raises(NotFoundError, match=f"Open are: {short.id}"):
            ann.death.settle("s99")
        assert [task.status for task in ann.death.checklist()] == ["active", "done"]
        written = ann.death.complete(abandon=True)
    assert "Left unsettled: Close the short" in written.reflection
    assert "Left unsettled: Pay the keeper" not in written.reflection
    assert "Before the end I settled 1 task: Pay the keeper (paid)." in written.reflection
    embedder = embedders.function_embedder(embed, name="flat")
    with (
        bardo.inherit(left, tmp_path / "ben", embedder=embedder),
        bardo.gate(tmp_path / "ben", words_only=True) as gate,
    ):
        assert [task.summary for task in gate.state("task")] == ["Close the short"]


def test_a_settled_checklist_completes_without_a_deadline(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.death.begin(obligations="Close the short")
        (task,) = ann.death.checklist()
        done = ann.death.settle(task.id, "at market", by="Ann")
        assert (done.status, done.closed_by, done.closed_why) == ("done", "Ann", "at market")
        with pytest.raises(InvalidInputError, match="no place"):
            ann.death.complete()
        assert ann.death.complete(tmp_path / "left").life.cause == "unspecified"
        with pytest.raises(GrimoireClosedError, match="has died"):
            ann.death.complete(tmp_path / "other")
        with pytest.raises(GrimoireClosedError, match="has died"):
            ann.death.begin()


def test_a_deadline_in_seconds_passes_by_the_clock_of_the_memory(tmp_path: Path) -> None:
    clock = ManualClock(NOON)
    with opened(tmp_path / "ann", clock) as ann:
        ann.death.begin(obligations=["Close the short"], deadline=60, path=tmp_path / "left")
        clock.advance(59)
        with pytest.raises(InvalidInputError, match="deadline"):
            ann.death.complete()
        clock.advance(1)
        assert "Left unsettled: Close the short" in ann.death.complete().reflection


def test_an_opening_after_the_deadline_completes_a_death_whose_place_is_known(tmp_path: Path) -> None:
    for name, path in (("ann", tmp_path / "left"), ("ben", None)):
        with opened(tmp_path / name) as dying:
            dying.death.begin(obligations=["Close the short"], deadline=60, path=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with opened(tmp_path / "ann", ManualClock(NOON + 59_000_000)) as ann:
            status = ann.death.status()
            assert status is not None
            assert (status.phase, ann.life.vitality().death) == ("settle", "settle")
            assert "death has begun (settle)" in ann.context("What now?").text
    with pytest.warns(BardoWarning, match="complete now"):
        assert opened(tmp_path / "ann", ManualClock(NOON + HOUR)).lineage.is_dead
    assert testament.read(tmp_path / "left").life.agent == "ann"
    with opened(tmp_path / "ben", ManualClock(NOON + HOUR)) as ben:
        assert ben.death.complete(tmp_path / "other").life.agent == "ben"


def test_a_death_begins_once_and_is_checked_before(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("a file of somebody")
    with opened(tmp_path / "ann") as ann:
        for verb in (ann.death.checklist, ann.death.complete, lambda: ann.death.settle("s1")):
            with pytest.raises(NotFoundError, match="no death of ann has begun"):
                verb()
        for wrong in ({"path": tmp_path / "there"}, {"deadline": -1}, {"obligations": [" "]}, {"cause": " "}):
            with pytest.raises(InvalidInputError):
                ann.death.begin(**wrong)
            assert ann.death.status() is None
        for unusable in (tmp_path / "absent" / "left", tmp_path / "there" / "left"):
            with pytest.raises(StoreUnavailableError, match="Make it first"):
                ann.death.begin(path=unusable)
            assert ann.death.status() is None
        ann.death.begin(deadline=5)
        with pytest.raises(InvalidInputError, match="began at tick"):
            ann.death.begin()


def test_a_testament_that_cannot_be_written_leaves_the_death_where_it_was(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.death.begin(obligations=["Close the short"])
        with pytest.raises(StoreUnavailableError):
            ann.death.complete(tmp_path / "absent" / "left", abandon=True, reflection="# Mine\n")
        with pytest.raises(InvalidInputError, match="5120"):
            ann.death.complete(tmp_path / "left", abandon=True, reflection="x" * 6_000)
        status = ann.death.status()
        assert status is not None
        assert status.phase == "settle"
        ann.remember("still settling")
        written = ann.bequeath(tmp_path / "left", cause="age")
        assert (written.life.cause, written.reflection[:6]) == ("unspecified", "# What")


def test_another_thread_writes_nothing_during_the_last_consolidation(tmp_path: Path) -> None:
    import threading

    refused: list[BaseException] = []

    def write(ann: bardo.Grimoire) -> None:
        with pytest.raises(GrimoireClosedError, match="last consolidation") as caught:
            ann.remember("too late")
        refused.append(caught.value)

    with opened(tmp_path / "ann") as ann:
        ann.remember("the vault was open at noon", verified=True)

        def consolidated(_: bardo.CuratorCycleComplete) -> None:
            thread = threading.Thread(target=write, args=(ann,))
            thread.start()
            thread.join()

        ann.on(bardo.CuratorCycleComplete, consolidated)
        ann.bequeath(tmp_path / "left")
    assert len(refused) == 1


def test_a_dying_agent_inherits_nothing(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        ann.bequeath(tmp_path / "left")
    with opened(tmp_path / "ben") as ben:
        ben.death.begin()
        with pytest.raises(GrimoireClosedError, match="inherits nothing"):
            ben.lineage.adopt([testament.read(tmp_path / "left")])
        assert ben.facts.list() == []


def test_the_state_of_a_death_is_checked_and_seen_by_visitors(tmp_path: Path) -> None:
    with opened(tmp_path / "ann") as ann:
        with bardo.visit(ann.path) as visitor:
            assert visitor.stats()["death"] is None
            ann.death.begin()
            assert visitor.stats()["death"]["phase"] == "settle"
        assert not ann.maintenance.check().damaged
        (ann.path / "death.json").write_text('{"phase": "sleep"}')
        assert [damage.file for damage in ann.maintenance.check().damaged] == ["death.json"]
        for verb in (ann.death.status, lambda: ann.remember("x"), ann.life.vitality):
            with pytest.raises(StoreDamagedError, match=r"death\.json"):
                verb()


def test_forgotten_words_leave_the_reflection_of_an_interrupted_death(tmp_path: Path) -> None:
    secret = "the code of the vault is nine four two"
    place = tmp_path / "usb"
    place.mkdir()
    with opened(tmp_path / "ann") as ann:
        ann.remember(secret)
        ann.death.begin(path=place / "left", deadline=60)
    # As a kill during the last consolidation leaves it.
    record = death_journal.load(tmp_path / "ann")
    assert record is not None
    death_journal.own_words(tmp_path / "ann", f"# Mine\n\nI knew that {secret}.\n")
    death_journal.save(tmp_path / "ann", dataclasses.replace(record, phase="reflect"))
    place.rmdir()
    with pytest.warns(BardoWarning, match="interrupted the death"):
        ann = opened(tmp_path / "ann")
    with ann:
        assert not ann.maintenance.check().damaged
        ann.forget(next(iter(ann.episodes.list())), reason="asked for")
        written = ann.death.complete(tmp_path / "left")
    assert secret not in written.reflection
    assert written.reflection.startswith("# What")


# -- posthumous testaments -----------------------------------------------------------------------------------------


def live(folder: Path, told: Any, *, begin: bool) -> None:
    memory = opened(folder, ManualClock(NOON))
    memory.learn("Never chase a falling pool", kind="anti_knowledge", confidence=0.9)
    memory.learn("The vault opens at noon", confidence=0.9)
    memory.remember("the vault was open at noon", verified=True)
    if begin:
        memory.death.begin(cause="age", obligations=["Close the short"])
    told.send("alive")
    told.recv()


@pytest.mark.parametrize("begin", [False, True])
def test_the_testament_of_a_killed_agent_is_that_of_its_last_moment(tmp_path: Path, *, begin: bool) -> None:
    folder = tmp_path / "ann"
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("forkserver").Process(
        target=live, args=(folder, theirs), kwargs={"begin": begin}
    )
    child.start()
    assert ours.poll(60)
    options = {"embedder": embedders.function_embedder(embed, name="flat"), "config": SETTINGS}
    with pytest.raises(StoreLockedError, match=f"pid {child.pid} "):
        bardo.bequeath_posthumously(folder, **options)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    # A year later, when facts would have faded.
    later = ManualClock(NOON + 365 * 24 * HOUR)
    written = bardo.bequeath_posthumously(folder, clock=later, **options)
    assert written.path == tmp_path / "ann.testament"
    assert written.life.death_tick == NOON // 1_000_000
    assert written.life.cause == ("age" if begin else "killed")
    assert {fact.text for fact in written.facts} >= {"Never chase a falling pool", "The vault opens at noon"}
    assert "the vault was open at noon" in {episode.text for episode in written.episodes}
    assert ("Left unsettled: Close the short" in written.reflection) == begin
    stone = is_dead(folder)
    assert stone is not None
    assert stone.testament == written.hash
    with pytest.raises(GrimoireClosedError, match="has died"):
        bardo.bequeath_posthumously(folder, clock=later, **options)


def test_a_posthumous_testament_needs_a_memory_and_a_free_place(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        bardo.bequeath_posthumously(tmp_path / "nobody")
    opened(tmp_path / "ann").close()
    (tmp_path / "ann.testament").write_text("a file of somebody")
    with pytest.raises(InvalidInputError, match="exists already"):
        bardo.bequeath_posthumously(
            tmp_path / "ann", embedder=embedders.function_embedder(embed, name="flat")
        )
    with opened(tmp_path / "ann") as ann:
        assert ann.death.status() is None


# -- the command line ----------------------------------------------------------------------------------------------


def run(*words: str | Path) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words], env={"BARDO_HOME": None})


def answer(*words: str | Path) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == exits.OK, result.stderr
    return json.loads(result.stdout)


def test_a_death_from_the_command_line(tmp_path: Path, minilm: object) -> None:
    at = ("--at", tmp_path / "ann")
    answer("init", tmp_path / "ann")
    assert answer("death", "show", *at) == {"death": None, "dead": False, "checklist": []}
    begun = answer(
        "death", "begin", "--cause", "age", "--obligation", "Close the short", "--deadline", "600", *at
    )
    assert (begun["death"]["phase"], begun["death"]["cause"]) == ("settle", "age")
    (task,) = begun["checklist"]
    refused = run("death", "complete", tmp_path / "left", *at)
    assert refused.exit_code == exits.USAGE
    assert "Close the short" in refused.stderr
    assert run("gate", "note", "task", "another", *at).exit_code == exits.STORE
    assert answer("death", "settle", task["id"], "--note", "at market", *at)["closed_why"] == "at market"
    assert "1 settled" in run("death", "show", *at).stdout
    assert answer("vitality", *at)["death"] == answer("stats", *at)["death"]["phase"] == "settle"
    assert answer("death", "complete", tmp_path / "left", *at)["cause"] == "age"
    assert answer("death", "show", *at)["dead"]


def test_a_posthumous_testament_from_the_command_line(tmp_path: Path, minilm: object) -> None:
    answer("init", tmp_path / "ann")
    answer("remember", "the vault opens at noon", "--at", tmp_path / "ann")
    assert run("bequeath", "--at", tmp_path / "ann").exit_code == exits.USAGE
    left = answer("bequeath", "--posthumous", tmp_path / "ann")
    assert (left["cause"], left["path"]) == ("killed", str(tmp_path / "ann.testament"))
    assert run("bequeath", "--posthumous", tmp_path / "ann").exit_code != exits.OK
