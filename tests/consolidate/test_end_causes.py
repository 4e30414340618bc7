"""Causes of the ends of facts, and the report of the pass that ended them; with the real parser and store."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import bardo
from bardo.consolidate import languages
from bardo.consolidate.attributes import AttributeTable
from bardo.consolidate.clause import Speech
from bardo.consolidate.corrections import correction_rules, corrections
from bardo.errors import ConfigError
from bardo.grimoire.results import Act
from bardo.model import CorrectionRule

START = 1_760_000_000_000_000
DAY = 86_400


def night(memory: bardo.Grimoire, clock: bardo.ManualClock, message: str) -> bardo.CuratorCycleComplete:
    """Report of the pass after one message of Nadia, a day before the next."""
    memory.remember(message, role="user", kind="turn", speaker="Nadia")
    report = memory.sleep()
    clock.advance(DAY)
    return report


def ends(act: Act) -> list[str]:
    return [change.what for change in act.changes if change.what.startswith(("ended", "archived"))]


@pytest.mark.parametrize(
    ("before", "after", "cause"),
    [
        ("I live in Bern.", "I moved to Basel.", "slot"),
        (
            "My office days at Kestrel are Monday and Thursday.",
            "My office days at Kestrel are now Tuesday and Friday.",
            "now",
        ),
        ("I play tennis with Ines.", "I stopped playing tennis.", "ending"),
    ],
)
def test_a_pass_counts_the_fact_that_a_text_ends_and_names_its_act(
    memory: bardo.Grimoire, clock: bardo.ManualClock, before: str, after: str, cause: str
):
    assert night(memory, clock, before).facts_superseded == 0
    known = len(memory.facts.list(status=None))
    report = night(memory, clock, after)
    (ended,) = memory.facts.list(status="superseded")
    assert (ended.ended_by, report.facts_superseded) == (cause, 1)
    assert [episode.text for episode in memory.facts.why(ended).corrections] == [after]
    assert report.facts_new == len(memory.facts.list(status=None)) - known
    by_number = {act.number: act for act in memory.journal.list()}
    assert [end for act in report.acts for end in ends(by_number[act])] == [f"ended by {cause}"]


def test_a_pass_names_every_act_that_it_made(memory: bardo.Grimoire, clock: bardo.ManualClock):
    memory.learn("Nadia lives in Bern")
    clock.advance(DAY)
    memory.learn("Nadia lives in Porto")
    for tick in range(6):
        memory.remember(f"Gas at {tick}", subjects=["gas"], payload={"gwei": 20 + tick}, verified=True)
    report = night(memory, clock, "I am allergic to walnuts.")
    made = {act.number for act in memory.journal.list()}
    assert set(report.acts) == made
    assert len(report.acts) == len(made) > 2
    assert report.facts_superseded == len(memory.facts.list(status="superseded")) == 1


def test_a_learned_sentence_that_settles_a_slot_can_be_taken_back(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    older = memory.learn("Nadia lives in Bern")
    clock.advance(DAY)
    memory.learn("Nadia lives in Porto")
    report = memory.sleep()
    assert memory.facts.get(older.id).ended_by == "slot"
    (act,) = [act for act in memory.journal.list() if "ended by slot" in ends(act)]
    assert act.number in report.acts
    memory.journal.undo(act.number)
    assert (memory.facts.get(older.id).status, memory.facts.get(older.id).ended_by) == ("active", None)


def test_a_caller_an_expiry_and_an_undo_are_causes_of_their_own(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    replaced = memory.learn("The office is in Berlin")
    memory.facts.supersede(replaced, "The office is in Paris")
    dreamt = memory.learn(bardo.Fact("Perhaps gas falls at noon", source="dream"))
    clock.advance(15 * DAY)
    report = memory.sleep()
    causes = [memory.facts.get(fact.id).ended_by for fact in (replaced, dreamt)]
    assert (causes, report.entries_pruned) == (["supersede", "expiry"], 1)
    night(memory, clock, "I am allergic to walnuts.")
    born = next(act for act in memory.journal.list() if act.name == "texts")
    memory.journal.undo(born.number)
    assert [fact.ended_by for fact in memory.facts.list(status="archived")] == ["expiry", "undo"]


def test_an_archived_fact_that_is_confirmed_again_has_no_cause_of_an_end(
    memory: bardo.Grimoire, clock: bardo.ManualClock
):
    for tick in range(6):
        memory.remember(f"Gas at {tick}", subjects=["gas"], payload={"gwei": 20 + tick}, verified=True)
    memory.sleep()
    (baseline,) = memory.facts.list(kind="baseline")
    clock.advance(400 * DAY)
    memory.sleep()
    assert (memory.facts.get(baseline.id).status, memory.facts.get(baseline.id).ended_by) == (
        "archived",
        "decay",
    )
    for tick in range(6):
        memory.remember(f"Gas again {tick}", subjects=["gas"], payload={"gwei": 21 + tick}, verified=True)
    memory.sleep()
    assert (memory.facts.get(baseline.id).status, memory.facts.get(baseline.id).ended_by) == ("active", None)


def test_pairs_that_texts_dispute_are_counted(tmp_path: Path, clock: bardo.ManualClock):
    config = {"curator": {"rules_off": list(get_args(CorrectionRule))}}
    with bardo.open(tmp_path / "careful", clock=clock, seed=1, config=config) as memory:
        night(memory, clock, "The support hours are 9 to 17.")
        report = night(memory, clock, "The support hours are now 8 to 18.")
        assert (report.facts_superseded, report.facts_contradicted) == (0, 1)


def test_the_rules_that_can_be_switched_off_are_those_that_judgements_name():
    assert set(get_args(CorrectionRule)) == {*correction_rules.RULES, corrections.READ, "value"}


@pytest.mark.parametrize("wrong", ["endign", "slot", ""])
def test_a_rule_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path, wrong: str):
    with pytest.raises(ConfigError, match=rf"rules_off is '{wrong}'\. Use one of: judged slot, denial, "):
        bardo.open(tmp_path / "m", config={"curator": {"rules_off": [wrong]}})


@pytest.mark.parametrize(("own", "status"), [({}, "superseded"), ({"home": "many"}, "active")])
def test_the_setting_of_an_attribute_reaches_statements_of_texts(
    tmp_path: Path, clock: bardo.ManualClock, own: dict[str, str], status: str
):
    config = {"curator": {"attributes": own}}
    with bardo.open(tmp_path / "m", clock=clock, seed=1, config=config) as memory:
        night(memory, clock, "I live in Bern.")
        (bern,) = memory.facts.list()
        report = night(memory, clock, "I moved to Basel.")
        assert memory.facts.get(bern.id).status == status
        assert report.facts_contradicted == 0
        memory.curator.lint()
        assert not memory.facts.links(bern) or status == "superseded"


@pytest.mark.parametrize(("own", "functional"), [({}, True), ({"Concurrency": "many"}, False)])
def test_the_setting_of_an_attribute_reaches_lines_of_records(own: dict[str, str], functional: bool):
    rules = languages.reader("english", AttributeTable(own))
    assert rules is not None
    (clause,) = rules.read(Speech("worker.concurrency 8 -> 24", "", START, "record"))
    assert clause.statement is not None
    assert clause.statement.functional is functional
