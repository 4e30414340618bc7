"""Population of rules: near-duplicates merge, the least used leave above the soft limit, critical ones never."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bardo
from bardo import errors
from bardo.conduct.model.entries import CRITICAL, Rule
from bardo.conduct.state.rules import GRACE, SOFT_LIMIT, alike, surplus
from bardo.ports import Embedder, ManualClock

NOW = 1_700_000_000_000_000
DAY = 86_400 * 1_000_000


def test_near_duplicates_by_words_merge_and_the_better_wording_gains(
    gate: bardo.Gate, clock: ManualClock
) -> None:
    first = gate.rule("Look at the gas price before each swap")
    clock.advance(60)
    merged = gate.rule("Look at the current gas price before each swap")
    assert (merged.id, merged.score) == (first.id, 5.5)
    assert merged.text == "Look at the current gas price before each swap"
    assert gate.rule("Look at the gas price before each swap").text == merged.text
    assert next(rule.text for rule in gate.history("r1")) == first.text
    assert len(gate.rules()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Keep leverage under 5x on the ETH desk", "Keep leverage under 2x on the ETH desk"),
        ("Look at the gas price before each swap", "Never look at the gas price before each swap"),
        ("Buy the vault tokens after the audit report", "Sell the vault tokens after the audit report"),
        ("Ask Anna before each release of the site", "Ask Boris before each release of the site"),
        ("Run the smoke tests on staging", "Run the smoke tests on production"),
        ("Water the tomatoes", "Look at the gas price first"),
    ],
)
def test_rules_that_a_word_tells_apart_stay_two(gate: bardo.Gate, one: str, other: str) -> None:
    gate.rule(one)
    gate.rule(other)
    assert [rule.text for rule in gate.rules()] == [one, other]
    assert gate.consolidate() == ([], [])


def test_rules_of_the_same_meaning_merge_with_a_model(
    home: Path, clock: ManualClock, minilm: Embedder
) -> None:
    one = "Run the database backup before every migration of the schema"
    other = "Before each schema migration, make a database backup"
    with bardo.gate(home, clock=clock, words_only=True) as gate:
        gate.rule(one)
        gate.rule(other)
        gate.rule("Water the tomatoes in the evening")
        assert len(gate.rules()) == 3
        assert gate.consolidate() == ([], []), "the words alone do not show it"
    with bardo.gate(home, clock=clock, embedder=minilm) as gate:
        merged, left = gate.consolidate()
        assert [rule.id for rule in merged] == ["r2"]
        assert merged[0].retired_why == "says the same as r1"
        assert left == []
        assert sorted(rule.text for rule in gate.rules()) == [one, "Water the tomatoes in the evening"]
        assert gate.rules()[0].score == 5.5
        assert gate.consolidate() == ([], []), "a second pass finds nothing"


def test_a_rule_of_a_person_absorbs_and_is_not_reworded_by_the_agent(gate: bardo.Gate) -> None:
    gate.rule("Look at the gas price before each swap", by="anna")
    again = gate.rule("Look at the current gas price before each swap")
    assert (again.id, again.text, again.score) == ("r1", "Look at the gas price before each swap", 9.5)
    other = gate.rule("Ask before each deploy to the live cluster")
    by_anna = gate.rule("Ask before each deploy to the live cluster of Berlin", by="anna")
    assert by_anna.id != other.id, "another name is another rule"


def test_prohibitions_do_not_merge_with_other_prohibitions(gate: bardo.Gate) -> None:
    gate.rule("Look at the gas price before each swap", forbids="swap blindly")
    gate.rule("Look at the current gas price before each swap", forbids="swap on mainnet")
    assert sorted(rule.forbids for rule in gate.rules()) == ["swap blindly", "swap on mainnet"]


def test_a_merged_rule_holds_nothing_of_a_deleted_episode(gate: bardo.Gate) -> None:
    gate.rule("Look at the gas price before each swap")
    merged = gate.rule("Look at the secret gas price before each swap", episode="e1")
    assert (merged.text, merged.episode) == ("Look at the gas price before each swap", "")
    other = gate.rule("Call the auditor before each release", episode="e1")
    better = gate.rule("Call the external auditor before each release", episode="e2")
    assert (better.id, better.episode) == (other.id, "e2")
    gate._store.erase(["e1"])
    assert "Call the auditor before each release" not in gate._store.texts()
    assert better.text in gate._store.texts()


def test_the_least_used_leave_above_the_soft_limit_and_critical_ones_never(
    gate: bardo.Gate, clock: ManualClock
) -> None:
    for number in range(10):
        gate.rule(f"Never sell item{number}", by="anna")
    used = gate.rule("Look at the gas price first")
    gate.after("swap", passed=True, rules=[used.id])
    for number in range(SOFT_LIMIT):
        gate.rule(f"Look at gauge{number} before step{number}")
    assert len(gate.rules()) == SOFT_LIMIT + 11, "in the first two days no rule leaves"
    clock.advance(3 * 86_400)
    gate.rule("Say good morning to the desk")
    rules = gate.rules()
    assert len(rules) == SOFT_LIMIT
    texts = {rule.text for rule in rules}
    assert {f"Never sell item{number}" for number in range(10)} <= texts
    assert {used.text, "Say good morning to the desk"} <= texts
    left = [rule for rule in gate.rules(every=True) if rule.retired_by]
    assert {rule.retired_why for rule in left} == {"the least used of more than 80 rules in force"}
    assert [rule.text for rule in left] == [
        f"Look at gauge{number} before step{number}" for number in range(12)
    ]


rules = st.builds(
    Rule,
    id=st.integers(1, 10_000).map(lambda number: f"r{number}"),
    text=st.just("x"),
    score=st.sampled_from([1.0, 3.0, 5.0, 8.5, 9.0, 10.0]),
    at=st.integers(NOW - 20 * DAY, NOW),
    confirmed_at=st.integers(NOW - 20 * DAY, NOW),
    uses=st.integers(0, 5),
    failures=st.integers(0, 5),
)


@given(st.lists(rules, max_size=130, unique_by=lambda rule: rule.id))
def test_the_surplus_is_the_least_used_and_never_critical_or_new(population: list[Rule]) -> None:
    gone = surplus(population, now=NOW)
    assert all(rule.score < CRITICAL and NOW - rule.at >= GRACE for rule in gone)
    assert len(gone) <= max(0, len(population) - SOFT_LIMIT)
    stays = [
        rule for rule in population if rule not in gone and rule.score < CRITICAL and NOW - rule.at >= GRACE
    ]
    if len(population) > SOFT_LIMIT and stays:
        assert len(gone) == len(population) - SOFT_LIMIT
        assert max((rule.uses - rule.failures for rule in gone), default=0) <= min(
            rule.uses - rule.failures for rule in stays
        )
    assert surplus(population[::-1], now=NOW) == gone, "the order of reading does not matter"


@given(st.integers(0, 100), st.floats(1, 10), st.integers(0, DAY - 1))
def test_law_4_decay_is_a_function_of_time_alone(days: int, score: float, moment: int) -> None:
    rule = Rule("r1", "x", score=score, confirmed_at=NOW)
    now = NOW + days * DAY + moment
    lost = 0 if score >= CRITICAL or days < 7 else 0.5 * (days - 6)
    assert rule.score_at(now) == max(0.0, score - lost)
    assert replace(rule).score_at(now) == rule.score_at(now)
    assert rule.score_at(now) >= rule.score_at(now + DAY)


def test_alike_asks_for_no_vectors_where_words_decide() -> None:
    def never(_texts: object) -> None:
        raise AssertionError("no vectors are needed")

    known = ["Water the tomatoes", "Look at the gas price before each swap"]
    assert alike(known, "Look at the current gas price before each swap", never) == [1]
    assert alike(known, "Feed the cat", never) == []


def test_an_entry_supersedes_another_but_no_rejection(gate: bardo.Gate, clock: ManualClock) -> None:
    old = gate.note("decision", "the oracle of record is Chainlink")
    new = gate.note("decision", "the oracle of record is Pyth", supersedes=old.id, by="anna")
    assert gate.state() == [new]
    archived = gate.state(every=True)[1]
    assert (archived.status, archived.superseded_by, archived.closed_by) == ("archived", new.id, "anna")
    rejected = gate.reject("short ETH on weekends")
    with pytest.raises(errors.InvalidInputError, match="A person lifts it"):
        gate.note("decision", "short ETH after all", supersedes=rejected.id)
    with pytest.raises(errors.NotFoundError):
        gate.note("decision", "go with Band", supersedes=old.id)
    assert len(gate.state()) == 2


def test_done_entries_are_archived_after_three_days_and_listed_by_domain(
    gate: bardo.Gate, clock: ManualClock
) -> None:
    task = gate.note("task", "port the parser to Rust", domain="work")
    gate.note("task", "water the tomatoes", domain="garden")
    gate.finish(task.id)
    statuses = []
    for _ in range(4):
        statuses.append(gate.state(every=True, domain="work")[0].status)
        clock.advance(86_400)
    assert statuses == ["done", "done", "done", "archived"]
    assert [entry.domain for entry in gate.state(domain="garden")] == ["garden"]


def test_a_similar_entry_is_updated_and_not_doubled(gate: bardo.Gate) -> None:
    first = gate.note("task", "write the report about the outage of the gateway")
    again = gate.note("task", "write the short report about the outage of the gateway")
    assert (again.id, again.summary) == (
        first.id,
        "write the short report about the outage of the gateway",
    )
    assert gate.note("task", "write the report about the outage of the database").id != first.id
    assert len(gate.state()) == 2


def test_a_critical_prohibition_is_not_changed_without_a_person(gate: bardo.Gate) -> None:
    kept = gate.rule("Never log tokens", forbids="log the token", by="anna")
    for change in ({"forbids": "log anything"}, {"approval": "log to disk"}):
        with pytest.raises(errors.InvalidInputError, match="only a person changes what the critical rule r1"):
            gate.rule("Never log tokens", **change)  # type: ignore[arg-type]
    assert gate.rules() == [kept]
    assert gate.rule("Never log tokens", forbids="log anything", by="ben").forbids == "log anything"
