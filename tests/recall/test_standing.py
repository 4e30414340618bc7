"""How far recalled memories still hold, in Python, prompts and the command line; with real stores and parser."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bardo
from bardo.consolidate.corrections.correction_rules import RULES
from bardo.model import Episode, Fact
from bardo.surfaces.cli.app import app

#: 9 October 2025.
START = 1_760_000_000_000_000
DAY = 86_400


@pytest.fixture
def clock() -> bardo.ManualClock:
    return bardo.ManualClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: bardo.ManualClock):
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as opened:
        yield opened


def say(memory: bardo.Grimoire, clock: bardo.ManualClock, text: str) -> Episode:
    """One message of Nadia, a day after the last, and a pass of the Curator."""
    clock.advance(DAY)
    episode = memory.remember(text, role="user", kind="turn", speaker="Nadia")
    memory.sleep()
    return episode


def found(memory: bardo.Grimoire, query: str, id_: str) -> bardo.Memory:
    return next(item for item in memory.recall(query, limit=10) if item.id == id_)


def test_a_corrected_turn_names_its_correction_and_the_day(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "I'm allergic to nuts.")
    newer = say(memory, clock, "I'm not allergic to nuts after all!")
    item = found(memory, "Is Nadia allergic to nuts?", older.id)
    assert (item.corrected_by, item.disputed_by, item.outdated) == ((newer.id,), (), True)
    assert item.standing == "corrected on 11 October 2025"
    current = found(memory, "Is Nadia allergic to nuts?", newer.id)
    assert (current.corrected_by, current.outdated, current.standing) == ((), False, "")


def test_a_correction_in_few_words_comes_before_what_it_corrects(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "The drone firmware in the field is drone-fw 3.4.1.")
    clock.advance(DAY)
    newer = memory.remember("bump drone-fw from 3.4.1 to 3.6.0", kind="commit", verified=True)
    memory.sleep()
    order = [item.id for item in memory.recall("What firmware do the drones in the field run?", limit=10)]
    assert order.index(newer.id) < order.index(older.id)


def test_a_prompt_tells_a_corrected_turn_from_the_current_one(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    say(memory, clock, "I'm allergic to nuts.")
    say(memory, clock, "I'm not allergic to nuts after all!")
    lines = str(memory.context("May Nadia eat nuts?", window=1)).splitlines()
    labelled = [line for line in lines if 'status="corrected on 11 October 2025"' in line]
    assert len(labelled) == 1
    assert 'date="2025-10-10' in labelled[0]


def test_a_statement_said_outright_corrects_the_turn_behind_the_older_one(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "I live in Bern.")
    (bern,) = [fact for fact in memory.facts.list() if "Bern" in fact.text]
    assert bern.statement is not None
    clock.advance(DAY)
    newer = memory.learn(
        subject=bern.statement.subject, attribute=bern.statement.attribute, value="Porto",
        condition=bern.statement.condition,
    )  # fmt: skip
    assert memory.facts.get(bern.id).superseded_by == newer.id
    item = found(memory, "Where does Nadia live? In Bern?", older.id)
    assert item.corrected_by == (newer.id,)
    assert item.standing == "corrected on 11 October 2025"


def test_disputed_memories_are_not_called_corrected(memory: bardo.Grimoire, clock: bardo.ManualClock) -> None:
    one = memory.learn("The pool pays its fees daily", subjects=["pool"])
    clock.advance(DAY)
    other = memory.learn("The pool never pays its fees daily", subjects=["pool"])
    memory.facts.contradict(one.id, other.id)
    item = found(memory, "When does the pool pay its fees?", one.id)
    assert (item.corrected_by, item.disputed_by, item.outdated) == ((), (other.id,), False)
    assert item.standing == "disputed on 10 October 2025"
    assert not found(memory, "When does the pool pay its fees?", other.id).disputed_by


def test_a_dispute_of_two_turns_is_no_correction_of_the_older_one(
    tmp_path: Path, clock: bardo.ManualClock
) -> None:
    config = {"curator": {"rules_off": list(RULES)}}
    with bardo.open(tmp_path / "careful", clock=clock, seed=1, config=config) as memory:
        older = say(memory, clock, "The nightly backup starts at 02:30 on the old server.")
        newer = say(memory, clock, "We moved the start of the nightly backup from 02:30 to 04:15.")
        item = found(memory, "When does the nightly backup start?", older.id)
        assert (item.corrected_by, item.outdated) == ((), False)
        assert item.disputed_by == (newer.id,)
        assert item.standing == "disputed on 11 October 2025"
    with bardo.open(tmp_path / "bold", clock=clock, seed=1) as memory:
        older = say(memory, clock, "The nightly backup starts at 02:30 on the old server.")
        newer = say(memory, clock, "We moved the start of the nightly backup from 02:30 to 04:15.")
        assert found(memory, "When does the nightly backup start?", older.id).corrected_by == (newer.id,)


def test_a_statement_with_an_end_is_shown_with_it_and_left_out_once_another_is_current(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    march = datetime(2026, 3, 14, tzinfo=UTC)
    memory.learn("Nadia lives in Bern", subject="Nadia", attribute="home", value="Bern")
    memory.learn("Nadia lives in Porto", subject="Nadia", attribute="home", value="Porto", since=march)
    standings = {item.text: item.standing for item in memory.recall("Where does Nadia live?")}
    assert standings == {
        "Nadia lives in Bern": "until 14 March 2026",
        "Nadia lives in Porto": "from 14 March 2026",
    }
    prompt = str(memory.context("Where does Nadia live?"))
    assert 'status="until 14 March 2026"' in prompt
    assert "Porto" in prompt
    # No pass has run since, but the time of the older fact is over.
    clock.set(int(march.timestamp()) * 1_000_000 + 1)
    outdated = {item.text: item.outdated for item in memory.recall("Where does Nadia live?")}
    assert outdated == {"Nadia lives in Porto": False}
    made = memory.context("Where does Nadia live?")
    assert "Porto" in str(made)
    assert "Bern" not in str(made)


def test_what_is_forgotten_corrects_nothing(memory: bardo.Grimoire, clock: bardo.ManualClock) -> None:
    older = say(memory, clock, "I'm allergic to nuts.")
    newer = say(memory, clock, "I'm not allergic to nuts after all!")
    assert found(memory, "allergic to nuts", older.id).outdated
    memory.forget([newer.id], reason="asked to")
    item = found(memory, "allergic to nuts", older.id)
    assert (item.corrected_by, item.standing) == ((), "")


def test_a_query_about_the_past_knows_no_later_correction(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "I'm allergic to nuts.")
    tick = memory.now_tick
    say(memory, clock, "I'm not allergic to nuts after all!")
    (item,) = [item for item in memory.recall("allergic to nuts", as_of=tick) if item.id == older.id]
    assert not item.outdated


def test_another_process_sees_the_same_corrections(
    memory: bardo.Grimoire, clock: bardo.ManualClock, tmp_path: Path
) -> None:
    older = say(memory, clock, "I'm allergic to nuts.")
    newer = say(memory, clock, "I'm not allergic to nuts after all!")
    memory.sleep()
    with bardo.visit(tmp_path / "nadia", clock=clock) as visitor:
        seen = {item.id: item for item in visitor.recall("Is Nadia allergic to nuts?", limit=10)}
    assert seen[older.id].corrected_by == (newer.id,)
    assert seen[older.id].standing == "corrected on 11 October 2025"


def test_older_tiers_keep_their_corrections(tmp_path: Path, clock: bardo.ManualClock) -> None:
    with bardo.open(tmp_path / "small", clock=clock, seed=1, config={"index": {"hot_limit": 10}}) as memory:
        older = say(memory, clock, "I'm allergic to nuts.")
        newer = say(memory, clock, "I'm not allergic to nuts after all!")
        for number in range(30):
            clock.advance(60)
            memory.remember(f"The weather of day {number} was mild", kind="note")
        memory.sleep()
        assert memory._session.hot.cold_upto >= 2, "both turns are in LanceDB alone"
        item = found(memory, "Is Nadia allergic to nuts?", older.id)
        assert item.corrected_by == (newer.id,)
        assert item.standing == "corrected on 11 October 2025"


def test_the_command_line_shows_the_standing_and_its_json_has_it(tmp_path: Path) -> None:
    folder = tmp_path / "shell"
    with bardo.open(folder, seed=1) as memory:
        memory.learn(
            "Nadia lives in Bern", subject="Nadia", attribute="home", value="Bern",
            until=datetime(2099, 3, 14, tzinfo=UTC),
        )  # fmt: skip
    asked = ["recall", "--at", str(folder), "Where does Nadia live?"]
    assert "until 14 March 2099" in " ".join(CliRunner().invoke(app, asked).stdout.split())
    (item,) = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)["memories"]
    assert item["standing"] == "until 14 March 2099"
    assert item["outdated"] is False
    assert item["corrected_by"] == item["disputed_by"] == []


def test_every_standing_of_a_record_has_words() -> None:
    from bardo.recall import standing

    fact = Fact("Nadia lives in Bern", status="superseded")
    assert standing.in_words(fact, [], 1, "english") == "replaced"
    assert standing.in_words(fact, [("a", None, False)], 1, "english") == "corrected later"
    assert (
        standing.in_words(Episode("x"), [("a", 1, True), ("b", START, False)], 1, "english")
        == "corrected on 9 October 2025"
    )
    assert standing.day(-(2**62)) == "an unknown day"


def test_undoing_a_wrong_end_repairs_the_turn_behind_the_fact(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "I'm allergic to nuts.")
    newer = say(memory, clock, "I'm not allergic to nuts after all!")
    (ended,) = memory.facts.list(status="superseded")
    act = next(act for act in memory.journal.list() if any(change.fact == ended.id for change in act.changes[:1])
               or any(change.fact == ended.id and change.before for change in act.changes))  # fmt: skip
    memory.journal.undo(act, facts=ended)
    assert memory.facts.get(ended.id).status == "active"
    for _ in range(2):
        item = found(memory, "Is Nadia allergic to nuts?", older.id)
        assert (item.corrected_by, item.standing, item.outdated) == ((), "", False)
        say(memory, clock, "The weather is fine today.")
    assert not found(memory, "Is Nadia allergic to nuts?", newer.id).corrected_by


def test_undoing_one_end_leaves_the_turn_corrected_for_another(
    memory: bardo.Grimoire, clock: bardo.ManualClock
) -> None:
    older = say(memory, clock, "I live in Bern. My car is a Volvo.")
    say(memory, clock, "I live in Porto now. My car is a Fiat now, not the Volvo.")
    ended = memory.facts.list(status="superseded")
    if len(ended) < 2:
        pytest.skip("the rules ended one of the two facts alone")
    act = next(act for act in memory.journal.list()
               if {fact.id for fact in ended} <= {change.fact for change in act.changes if change.before})  # fmt: skip
    memory.journal.undo(act, facts=ended[0])
    assert found(memory, "Where does Nadia live?", older.id).standing.startswith("corrected")
    memory.journal.undo(act, facts=ended[1])
    assert found(memory, "Where does Nadia live?", older.id).standing == ""


@pytest.mark.parametrize(
    ("text", "standing"),
    [
        ("I'm flying to Lisbon on 20 October 2025.", "until 20 October 2025"),
        ("I work at the museum until 20 October 2025.", "until 20 October 2025"),
        ("My exam is on 20 October 2025 and my sister lives in Rome.", ""),
        ("We booked Crete, 15 to 20 October 2025. My dog is called Bruno.", ""),
    ],
)
def test_a_turn_that_told_a_plan_alone_is_over_with_it(
    memory: bardo.Grimoire, clock: bardo.ManualClock, text: str, standing: str
) -> None:
    turn = say(memory, clock, text)
    assert found(memory, text, turn.id).standing == ""
    clock.advance(20 * DAY)
    for _ in range(2):
        item = found(memory, text, turn.id)
        assert (item.standing, item.outdated) == (standing, bool(standing))
        memory.sleep()
    tick = memory.now_tick - 15 * DAY
    earlier = next(one for one in memory.recall(text, as_of=tick) if one.id == turn.id)
    assert earlier.standing == ""


def test_confidence_now_is_that_of_the_last_confirmation_times_the_retention(
    memory: bardo.Grimoire, clock: bardo.ManualClock, tmp_path: Path
) -> None:
    memory.learn("Nadia works at Helvion", subject="Nadia", attribute="employer", value="Helvion")
    clock.advance(200 * DAY)
    fact = memory.recall("Where does Nadia work?").memories[0]
    assert isinstance(fact.record, Fact)
    assert fact.record.confidence == pytest.approx(0.7)
    assert 0.5 < fact.retention < 0.9
    assert fact.confidence == pytest.approx(fact.record.confidence * fact.retention, rel=1e-5)
    assert memory.facts.retention(fact.id) == pytest.approx(fact.retention)
    told = json.loads(
        CliRunner().invoke(app, ["facts", "list", "--at", str(tmp_path / "nadia"), "--json"]).stdout
    )
    (listed,) = told["facts"]
    assert listed["confidence"] == pytest.approx(0.7)
    assert listed["confidence_now"] == pytest.approx(listed["confidence"] * listed["retention"], rel=1e-5)
    recalled = CliRunner().invoke(
        app, ["recall", "Where does Nadia work?", "--at", str(tmp_path / "nadia"), "--json"]
    )
    assert "retention" in json.loads(recalled.stdout)["memories"][0]
