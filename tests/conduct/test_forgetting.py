"""Law 11 for what was decided: what was taken from a forgotten episode goes with it, and what was not stays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bardo
from bardo import _database, errors
from bardo._core import traces
from helpers.models import letter_vectors, letters

SECRET = "the vault code of the relayer is nine-four-two-seven"
WHY = "whispered behind the third door on the left"


@pytest.fixture
def opener(tmp_path: Path) -> Callable[[], bardo.Grimoire]:
    model = letters()
    return lambda: bardo.open(tmp_path / "agent", agent="trader", embedder=model, seed=1)


@pytest.fixture
def grimoire(opener: Callable[[], bardo.Grimoire]) -> Iterator[bardo.Grimoire]:
    with opener() as opened:
        yield opened


@pytest.fixture
def gate(grimoire: bardo.Grimoire) -> Iterator[bardo.Gate]:
    with bardo.gate(grimoire.path, embedder=letters()) as opened:
        yield opened


def holders(folder: Path, text: str) -> list[str]:
    """The files that hold a text or its vector, as SQLite's or any other."""
    forms = [text.encode(), json.dumps(text)[1:-1].encode(), letter_vectors([text])[0].tobytes()]
    return [path.name for path in folder.rglob("*") if path.is_file() and traces(str(path), forms)[0]]


def test_law_11_what_was_taken_from_an_episode_goes_with_it(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    kept, doomed = grimoire.remember("the market was quiet"), grimoire.remember(SECRET)
    stays = [
        gate.reject("short ETH on weekends", episode=kept.id),
        gate.reject("sell the vault tokens"),
    ]
    gone = [
        gate.reject(SECRET, why=WHY, episode=doomed.id),
        gate.note("discovery", f"heard: {SECRET}", episode=doomed.id),
        gate.rule(WHY, forbids=SECRET, by="anna", episode=doomed.id),
        gate.after("open the vault", passed=True, note=SECRET, episode=doomed.id).outcome,
        gate.flows.add("vault", [SECRET], triggers=[WHY], episode=doomed.id),
        gate.capabilities.add("vault", WHY, usage=SECRET, episode=doomed.id),
        gate.missions.set(SECRET, episode=doomed.id),
        gate.bridges.publish(WHY, SECRET, episode=doomed.id),
    ]
    gate.lift(gone[0].id, by="anna", why=SECRET)
    assert gate.before(SECRET).findings
    report = grimoire.forget(doomed, reason="it was told in confidence")
    assert set(report.conduct) == {each.id for each in gone}
    assert "conduct.db" in {look.place for look in report.looked}
    assert gate.state(every=True) == stays[::-1]
    assert gate.rules(every=True) == gate.flows.list(every=True) == gate.capabilities.list() == []
    assert gate.missions.list() == gate.bridges.outputs() == []
    gate.close()
    assert holders(grimoire.path, SECRET) == holders(grimoire.path, WHY) == []
    assert grimoire.forget(kept, reason="all of it").conduct == (stays[0].id,)


def test_the_same_words_that_were_not_taken_from_it_stay(grimoire: bardo.Grimoire, gate: bardo.Gate) -> None:
    doomed = grimoire.remember(SECRET)
    own = gate.reject(SECRET, by="anna")
    taken = gate.note("discovery", SECRET, episode=doomed.id)
    report = grimoire.forget(doomed, reason="asked to")
    assert report.conduct == (taken.id,)
    assert report.shared > 0
    assert gate.state() == [own]
    assert not gate.before(SECRET).allowed


def test_an_earlier_version_of_an_entry_is_deleted_with_its_episode(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    doomed = grimoire.remember(SECRET)
    taken = gate.note("discovery", "the relayer has a vault", detail=WHY, episode=doomed.id)
    by_hand = gate.note("discovery", "the relayer has a vault", detail="as anybody knows")
    assert gate.history(taken.id) == [taken, by_hand]
    grimoire.forget(doomed, reason="asked to")
    assert gate.history(taken.id) == [by_hand]
    gate.close()
    assert holders(grimoire.path, WHY) == []


def test_a_rejection_that_a_caller_also_stated_survives_its_episode(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    first, second = grimoire.remember(f"{WHY}, they said"), grimoire.remember("and again on Monday")
    for doomed, say in (
        (first, [{"why": WHY, "episode": first.id}, {"by": "anna"}]),
        (second, [{"by": "anna"}, {"why": WHY, "episode": second.id}]),
    ):
        for told in say:
            entry = gate.reject("short ETH on weekends", **told)
            gate.rule("Do not short", **({"forbids": WHY, "episode": doomed.id} if "why" in told else {}))
        assert (entry.id, entry.detail, entry.episode, entry.by) == ("s1", "", "", "anna")
        assert grimoire.forget(doomed, reason="asked to").conduct == ()
    assert not gate.before("short ETH on weekends").allowed
    assert [(rule.id, rule.forbids) for rule in gate.rules()] == [("r1", "")]
    gate.close()
    assert holders(grimoire.path, WHY) == []


def test_a_rejection_of_two_episodes_belongs_to_the_later_one(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    first, second = grimoire.remember(f"{WHY}, they said"), grimoire.remember("and again on Monday")
    gate.reject("short ETH on weekends", why=WHY, episode=first.id)
    entry = gate.reject("on weekends, short ETH", episode=second.id)
    assert (entry.id, entry.summary, entry.detail) == ("s1", "on weekends, short ETH", "")
    assert grimoire.forget(first, reason="asked to").conduct == ()
    assert gate.state() == [entry]
    assert grimoire.forget(second, reason="asked to").conduct == ("s1",)


@pytest.mark.parametrize(
    "write",
    [
        lambda gate: gate.reject("short ETH", why=SECRET),
        lambda gate: gate.reject("short ETH", domain=SECRET),
        lambda gate: gate.reject("short ETH", by=SECRET),
        lambda gate: gate.lift(gate.reject("short ETH").id, by=SECRET),
        lambda gate: gate.lift(gate.reject("short ETH").id, by="anna", why=SECRET),
        lambda gate: gate.rule(SECRET),
        lambda gate: gate.rule("Look twice", approval=SECRET),
        lambda gate: gate.rule("Look twice", by=SECRET),
        lambda gate: gate.retire(gate.rule("Look twice").id, by=SECRET),
    ],
)
def test_a_deletion_is_not_stopped_by_words_that_people_wrote_into_any_field(
    grimoire: bardo.Grimoire, gate: bardo.Gate, write: Callable[[bardo.Gate], object]
) -> None:
    write(gate)
    report = grimoire.forget(grimoire.remember(SECRET), reason="asked to")
    assert report.shared > 0
    assert report.conduct == ()


def test_a_vector_of_words_that_no_rule_has_any_more_is_no_trace(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    doomed = grimoire.remember(SECRET)
    gate.rule("Look twice", forbids=SECRET, episode=doomed.id)
    gate.before("open the vault")
    gate.rule("Look twice", forbids="open the vault")
    assert holders(grimoire.path, SECRET)
    assert grimoire.forget(doomed, reason="asked to").conduct == ()
    gate.close()
    assert holders(grimoire.path, SECRET) == []


def test_a_reader_that_keeps_the_old_pages_is_told_of_and_the_next_opening_goes_on(
    opener: Callable[[], bardo.Grimoire], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_database, "PATIENCE", 0.1)
    with opener() as grimoire, bardo.gate(grimoire.path, words_only=True) as gate:
        doomed = grimoire.remember(SECRET)
        gate.reject(SECRET, episode=doomed.id)
        reader = sqlite3.connect(grimoire.path / "conduct.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT number FROM state").fetchall()
        with pytest.raises(errors.StoreError, match=r"conduct\.db"):
            grimoire.forget(doomed, reason="asked to")
        assert gate.state() == []
        reader.close()
    with opener() as again:
        assert [report.episodes for report in again.resumed] == [(doomed.id,)]
        assert holders(again.path, SECRET) == []


def test_a_damaged_file_is_told_and_the_deletion_goes_on_without_it(
    opener: Callable[[], bardo.Grimoire], tmp_path: Path
) -> None:
    with opener() as grimoire:
        doomed = grimoire.remember(SECRET)
        (grimoire.path / "conduct.db").write_bytes(b"no database " * 1_000)
        with pytest.raises(errors.StoreDamagedError, match="move it away"):
            grimoire.forget(doomed, reason="asked to")
    (tmp_path / "agent" / "conduct.db").rename(tmp_path / "aside")
    with opener() as again:
        assert [report.episodes for report in again.resumed] == [(doomed.id,)]


def test_a_memory_without_a_gate_forgets_as_before(grimoire: bardo.Grimoire) -> None:
    assert grimoire.forget(grimoire.remember(SECRET), reason="asked to").conduct == ()
    assert not (grimoire.path / "conduct.db").exists()


def test_a_gate_forgets_what_it_is_told_and_nothing_else(grimoire: bardo.Grimoire, gate: bardo.Gate) -> None:
    entry, rule = gate.reject(SECRET, why=WHY), gate.rule(WHY, forbids=SECRET, by="anna")
    kept = gate.reject("short ETH on weekends")
    gate.before(SECRET)
    assert gate.forget(["s77", entry.id, "nonsense"], by="anna") == [entry.id]
    assert gate.forget(rule.id, by="anna") == [rule.id]
    assert gate.forget([]) == gate.forget(entry.id) == []
    assert gate.state(every=True) == [kept]
    assert not gate.before("short ETH on weekends").allowed
    gate.close()
    assert holders(grimoire.path, SECRET) == holders(grimoire.path, WHY) == []
    with bardo.gate(grimoire.path, words_only=True) as again:
        assert again.reject(SECRET).id == "s3", "an id names one entry for ever"


def test_a_person_who_is_forgotten_leaves_no_name_in_the_gate(
    grimoire: bardo.Grimoire, gate: bardo.Gate
) -> None:
    grimoire.remember("Mallory Finch phoned", subjects=["Mallory Finch"])
    task = gate.note("task", "call Mallory Finch back")
    rule = gate.rule("Greet Mallory Finch by name", by="anna")
    flow = gate.flows.add("finch", ["ring MALLORY FINCH"], triggers=["update the finch file"])
    outcome = gate.after("rang Mallory Finch", passed=True).outcome
    renamed = gate.note("decision", "The offer goes out", detail="as Mallory Finch asked")
    gate.note("decision", "The offer goes out", detail="on Monday")
    kept = gate.note("task", "feed the finches of Mallorya Finch-Hatton")
    gone = grimoire.forget(about="Mallory Finch", reason="her request").conduct
    assert {task.id, rule.id, flow.id, outcome.id} <= set(gone)
    assert {entry.id for entry in gate.state(every=True)} == {kept.id, renamed.id}
    assert len(gate.history(renamed.id)) == 1
    assert "Mallory Finch" not in str(grimoire.boot()) + str(grimoire.context("what is next?"))
