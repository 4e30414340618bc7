"""Law 11: what is forgotten is gone from every store and file, and does not come back."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bardo
from bardo import errors
from bardo._core import traces
from bardo.capture import archive, inbox
from bardo.grimoire.erasure import Eraser
from bardo.model import Episode
from bardo.ports import ManualClock
from helpers.models import letter_vectors, letters

START = 1_700_000_000_000_000
MINUTE = 60_000_000
SECRET = "the vault code of the relayer is nine-four-two-seven"
PAYLOAD = {"note": "whispered behind the third door on the left", "n": 7.5}
CHILD = Path(__file__).with_name("forgetting_child.py")


@pytest.fixture
def opener(tmp_path: Path) -> Callable[..., bardo.Grimoire]:
    clock = ManualClock(START)

    def open_(**options: object) -> bardo.Grimoire:
        clock.advance(90)
        return bardo.open(
            tmp_path / "agent", **{"clock": clock, "seed": 1, "embedder": letter_vectors, **options}
        )

    return open_


def holders(folder: Path, text: str) -> Iterator[str]:
    """The files that hold a text, in any of the ways we write it."""
    forms = [
        text.encode(),
        json.dumps(text)[1:-1].encode(),
        letter_vectors([text])[0].astype(np.float16).tobytes(),
    ]
    for path in folder.rglob("*"):
        if path.is_file() and traces(str(path), forms)[0]:
            yield path.name


def test_law_11_what_is_forgotten_is_in_no_file_and_no_answer(opener, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with opener() as grimoire:
        kept = [grimoire.remember(f"the market was quiet on day {day}", tick=day + 1) for day in range(30)]
        doomed = grimoire.remember(
            SECRET, tick=40, subjects=["relayer"], thread="vault", payload=PAYLOAD, verified=True
        )
        grimoire.sleep()
        derived = grimoire.learn(
            bardo.Fact("The vault opens to a spoken code", evidence=(doomed.id,), support=1)
        )
        archive.write_days(grimoire._session.log, folder / "archive", START + 5 * 24 * 60 * MINUTE)
        assert {"episodes.redb", "facts.db"} & set(holders(folder, SECRET))
        assert any(name.endswith(".json") for name in holders(folder, SECRET))

        report = grimoire.forget(doomed, reason="it was told in confidence")

        assert report.episodes == (doomed.id,)
        assert derived.id in report.facts
        assert report.rows == 1
        assert report.rewritten == ("archive/2023-11-14.json",)
        assert {look.place for look in report.looked} >= {
            "log",
            "facts",
            "hot set",
            "episodes.redb",
            "facts.db",
        }
        assert list(holders(folder, SECRET)) == []
        assert list(holders(folder, PAYLOAD["note"])) == []
        with pytest.raises(errors.NotFoundError):
            grimoire.episodes.get(doomed.id)
        assert SECRET not in [
            memory.text for memory in grimoire.recall("vault code of the relayer", limit=40)
        ]
        assert [episode.id for episode in grimoire.episodes.list()] == [episode.id for episode in kept]
        assert (
            list(grimoire.episodes.list(subject="relayer"))
            == list(grimoire.episodes.list(thread="vault"))
            == []
        )
    with opener() as again:
        assert again.resumed == ()
        assert len(list(again.episodes.list())) == 30
        # Running numbers go on: nothing is counted twice, and LanceDB is up to date.
        after = again.remember("a new day", tick=41, verified=True)
        again.sleep()
        assert again.episodes.get(after.id).text == "a new day"


def test_a_source_that_is_read_again_does_not_bring_it_back(opener, tmp_path: Path) -> None:
    with opener() as grimoire:
        doomed = grimoire.remember(SECRET, tick=1)
        fact = grimoire.learn("Relayers talk too much")
        grimoire.forget([doomed, fact], reason="asked to")
        with pytest.raises(errors.ForgottenError, match="on purpose"):
            grimoire.remember(SECRET, tick=2)
        with pytest.raises(errors.ForgottenError):
            grimoire.learn("relayers talk  too much")
        with pytest.warns(errors.ForgottenWarning, match="1 of 2"):
            stored = grimoire.remember([SECRET, "something else"], tick=3)
        assert [episode.text for episode in stored] == ["something else"]
        bardo.drop(tmp_path / "agent", [Episode(SECRET, tick=2), Episode("dropped beside it", tick=2)])
        with pytest.warns(errors.ForgottenWarning):
            assert grimoire.maintenance.drain_inbox() == 1
    with opener() as again:
        with pytest.raises(errors.ForgottenError):
            again.remember(SECRET, tick=9)
        assert {episode.text for episode in again.episodes.list()} == {"something else", "dropped beside it"}
    assert list(holders(tmp_path / "agent", SECRET)) == []


def test_a_deleted_text_that_may_return_gets_a_new_id(opener) -> None:
    with opener() as grimoire:
        first = grimoire.remember(SECRET, tick=1)
        grimoire.forget(first, reason="by mistake", allow_again=True)
        second = grimoire.remember(SECRET, tick=1)
        assert second.id != first.id
        assert SECRET in [memory.text for memory in grimoire.recall(SECRET)]


def test_a_fact_with_other_support_loses_just_the_episode(opener) -> None:
    with opener() as grimoire:
        one, two = (grimoire.remember(f"gas doubled on Monday {n}", tick=n) for n in (1, 2))
        fact = grimoire.learn(bardo.Fact("Gas doubles on Mondays", evidence=(one.id, two.id), support=2))
        report = grimoire.forget(one, reason="wrong")
        left = grimoire.facts.get(fact.id)
        assert (report.facts, report.loosened) == ((), (fact.id,))
        assert (left.evidence, left.support) == ((two.id,), 1)
        assert grimoire.forget(two, reason="wrong as well").facts == (fact.id,)


def test_the_one_that_was_superseded_by_a_forgotten_fact_holds_again(opener) -> None:
    with opener() as grimoire:
        old = grimoire.learn("The office is in Kyiv", tick=1)
        episode = grimoire.remember("We moved to Lviv, they said", tick=2)
        new = bardo.Fact("The office is in Lviv", evidence=(episode.id,), support=1)
        new_id = grimoire._session.facts.supersede(old.id, new, tick=2, now=START)
        assert grimoire.forget(episode, reason="a joke").facts == (new_id,)
        assert (grimoire.facts.get(old.id).status, grimoire.facts.get(old.id).superseded_by) == (
            "active",
            None,
        )


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    numbers=st.lists(st.floats(-1e6, 1e6), min_size=5, max_size=12),
    gone=st.sets(st.integers(0, 11), min_size=1, max_size=6),
)
def test_statistics_are_those_of_what_is_left(tmp_path_factory, numbers: list[float], gone: set[int]) -> None:
    clock = ManualClock(START)
    folder = tmp_path_factory.mktemp("baseline") / "agent"
    with bardo.open(folder, clock=clock, seed=1, embedder=letter_vectors) as grimoire:
        stored = [
            grimoire.remember(
                f"observation {n}", tick=n + 1, subjects=["gas"], payload={"x": x}, verified=True
            )
            for n, x in enumerate(numbers)
        ]
        grimoire.sleep()
        doomed = [episode for n, episode in enumerate(stored) if n in gone]
        if not doomed:
            return
        grimoire.forget(doomed, reason="measured wrongly")
        left = [x for n, x in enumerate(numbers) if n not in gone]
        baselines = grimoire.facts.list(kind="baseline")
        if len(left) < 3:
            assert baselines == []
        else:
            assert baselines[0].payload["n"] == len(left)
            assert baselines[0].payload["mean"] == pytest.approx(statistics.fmean(left), rel=1e-9, abs=1e-6)
            assert (baselines[0].payload["min"], baselines[0].payload["max"]) == (min(left), max(left))
        grimoire.remember("one more", tick=50, subjects=["gas"], payload={"x": 1.0}, verified=True)
        report = grimoire.sleep()
        assert report.episodes == 1


def test_copies_and_files_of_others_lose_it_too(opener, tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    with opener() as grimoire:
        doomed = grimoire.remember(SECRET, tick=1)
        (folder / "facts.db.v1").write_bytes(b"an old copy: " + SECRET.encode())
        inbox.drop(folder, [Episode("stays", tick=1)])
        inbox.drop(folder, [Episode(SECRET, id=doomed.id, tick=1), Episode("stays as well", tick=1)])
        waiting = inbox.waiting(folder)
        grimoire.maintenance.drain_inbox()
        (folder / "inbox" / "rejected").mkdir()
        (folder / "inbox" / "rejected" / "odd.jsonl").write_text(f"broken {SECRET}")
        report = grimoire.forget(doomed.id, reason="asked to")
        assert set(report.removed) == {"facts.db.v1", "inbox/rejected/odd.jsonl"}
        assert not any(path.exists() for path in waiting)
    assert list(holders(folder, SECRET)) == []


@pytest.mark.parametrize("allow_again", [True, False])
def test_drops_of_others_survive_an_interrupted_deletion(
    opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allow_again: bool
) -> None:
    folder = tmp_path / "agent"

    def crash(*_: object) -> None:
        raise RuntimeError

    with opener() as grimoire:
        doomed = grimoire.remember(SECRET, payload=PAYLOAD, role="user", speaker="Bob")
        with monkeypatch.context() as patched:
            patched.setattr(Eraser, "_finish", crash)
            with pytest.raises(RuntimeError):
                grimoire.forget(doomed, reason="asked to", allow_again=allow_again)
    bardo.drop(folder, PAYLOAD["note"], role="user", speaker="Ann")
    bardo.drop(folder, [SECRET, "and something else"], role="user", speaker="Ann")
    bardo.drop(folder, SECRET, payload=PAYLOAD, role="user", speaker="Bob")
    with opener() as again:
        (report,) = again.resumed
        assert report.shared > 0
        said = [(episode.speaker, episode.text) for episode in again.episodes.list()]
    of_ann = [("Ann", PAYLOAD["note"]), ("Ann", SECRET), ("Ann", "and something else")]
    assert said == of_ann + [("Bob", SECRET)] * allow_again


def test_a_deletion_tells_how_far_it_has_come(opener) -> None:
    told: list[tuple[str, int, int]] = []
    with opener() as grimoire:
        doomed = grimoire.remember(SECRET)
        grimoire.sleep()
        report = grimoire.forget(doomed, reason="asked to", progress=lambda *step: told.append(step))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages == ["facts", "lance", "files", "write again", "look again"]
    assert told[-1][1] == told[-1][2] > len(report.looked) // 2
    assert len([stage for stage, _, _ in told if stage == "look again"]) == told[-1][2] + 1


def test_the_curator_waits_for_nothing_that_was_forgotten(opener) -> None:
    with opener() as grimoire:
        grimoire.remember("the market was quiet", verified=True)
        grimoire.sleep()
        grimoire.forget(grimoire.remember("the market was loud", verified=True), reason="asked to")
        report = grimoire.sleep()
        assert (report.episodes, report.pending) == (0, 0)
        grimoire.remember("the market was quiet again", verified=True)
        assert grimoire.sleep().episodes == 1


def test_a_text_that_another_memory_holds_is_no_trace(opener) -> None:
    with opener() as grimoire:
        first = grimoire.remember(SECRET, tick=1, thread="a")
        grimoire.remember(SECRET, tick=1, thread="b")
        report = grimoire.forget(first, reason="one copy is enough")
        assert report.shared > 0
        assert [episode.thread for episode in grimoire.episodes.list()] == ["b"]


def test_the_vector_of_another_text_is_no_trace(opener) -> None:
    def deaf(texts: list[str]) -> np.ndarray:
        return letter_vectors([text.lower() for text in texts])

    with opener(embedder=deaf) as grimoire:
        first = grimoire.remember(SECRET, tick=1)
        grimoire.remember(SECRET.upper(), tick=1)
        grimoire.sleep()
        assert grimoire.forget(first, reason="said too softly").shared > 0


def test_a_trace_that_cannot_be_removed_is_told_and_the_next_opening_goes_on(opener, tmp_path: Path) -> None:
    stray = tmp_path / "agent" / "my notes.txt"
    with opener() as grimoire:
        doomed = grimoire.remember(SECRET, tick=1)
        stray.write_text(f"copied by hand: {SECRET}")
        with pytest.raises(errors.StoreError, match=r"my notes\.txt"):
            grimoire.forget(doomed, reason="asked to")
    stray.unlink()
    with opener() as again:
        assert [report.episodes for report in again.resumed] == [(doomed.id,)]
    with opener() as settled:
        assert settled.resumed == ()


def test_an_unknown_id_or_no_reason_forgets_nothing(opener) -> None:
    with opener() as grimoire:
        episode = grimoire.remember(SECRET, tick=1)
        with pytest.raises(errors.NotFoundError, match="nothing was forgotten"):
            grimoire.forget([episode.id, "0190b6a2-7f4e-7cc3-98c4-dc0c0c07398f"], reason="x")
        with pytest.raises(errors.InvalidInputError, match="reason"):
            grimoire.forget(episode, reason=" ")
        with pytest.raises(errors.InvalidInputError):
            grimoire.forget([], reason="x")
        assert grimoire.episodes.get(episode.id).text == SECRET


@pytest.mark.parametrize("seed", range(3))
def test_a_deletion_that_is_killed_is_finished_at_the_next_opening(tmp_path: Path, seed: int) -> None:
    """kill -9 at moments spread over the whole deletion: before it began, in the middle, after it."""
    folder = tmp_path / "agent"
    model = letters()
    seen = set()
    for step in range(4):
        with bardo.open(folder, embedder=model, seed=step) as grimoire:
            for report in grimoire.resumed:
                seen.add("resumed")
                assert report.looked
            text = f"{SECRET} {seed} {step}"
            grimoire.remember([f"padding {seed} {step} {n}" for n in range(50)])
            doomed = grimoire.remember(text)
            if step == 0:
                grimoire.sleep()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.Popen(
            [sys.executable, str(CHILD), str(folder), doomed.id], stdout=subprocess.PIPE, env=environment
        )
        assert child.stdout is not None
        with child.stdout:
            assert child.stdout.readline() == b"ready\n"
            time.sleep(0.004 * seed + 0.011 * step)
            child.send_signal(signal.SIGKILL)
            finished = b"done" in child.stdout.read()
            child.wait()
        with bardo.open(folder, embedder=model, seed=9) as again:
            there = any(episode.id == doomed.id for episode in again.episodes.list())
            assert not (finished and there)
            seen.add("before" if there else "after")
            if there:
                again.forget(doomed.id, reason="again")
            assert list(holders(folder, text)) == []
            assert len(list(again.episodes.list())) == 50 * (step + 1)
    assert seen


def test_a_deleted_text_does_not_return_as_a_replacement(tmp_path: Path) -> None:
    with bardo.open(tmp_path / "a", embedder=letter_vectors) as grimoire:
        gone = grimoire.learn("Bob lives at 5 Elm Street")
        known = grimoire.learn("Trains are fast")
        grimoire.forget(gone, reason="asked to")
        with pytest.raises(errors.ForgottenError, match="forgotten on purpose"):
            grimoire.facts.supersede(known, "Bob lives at 5 Elm Street")
        assert [fact.text for fact in grimoire.facts.list()] == ["Trains are fast"]
        with pytest.warns(errors.ForgottenWarning, match="1 of 2 facts"):
            stored = grimoire.learn(["Bob lives at 5 Elm Street", "Ships are slow"])
        assert [fact.text for fact in stored] == ["Ships are slow"]
