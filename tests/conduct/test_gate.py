"""Gates: decisions, rejections and rules are kept, renewed, ended by the entitled, and checked before an action."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import bardo
from bardo import errors
from bardo.conduct.storage.rows import LONGEST
from bardo.ports import ManualClock
from helpers.models import flat

NOW = 1_700_000_000_000_000
DAY = 86_400 * 1_000_000


def test_a_rejection_blocks_until_a_person_lifts_it(gate: bardo.Gate) -> None:
    rejected = gate.reject("short ETH on weekends", why="funding is paid twice", by="anna", domain="trading")
    assert (rejected.id, rejected.kind, rejected.status, rejected.at) == ("s1", "rejected", "active", NOW)

    verdict = gate.before("Short 3 ETH this weekend")
    assert (verdict.decision, verdict.allowed) == ("block", False)
    (finding,) = verdict.findings
    assert (finding.id, finding.reason, finding.blocks, finding.by) == ("s1", "rejected", True, "anna")
    assert "short ETH on weekends. Why: funding is paid twice" in str(verdict)

    near = gate.before("swap ETH this weekend")
    assert (near.decision, near.allowed, near.findings[0].blocks) == ("warn", True, False)
    allowed = gate.before("water the tomatoes")
    assert allowed == bardo.Verdict("water the tomatoes", "allow", (), (), ())
    assert (allowed.text, allowed.tokens, allowed.notes) == ("", 0, ())
    assert (allowed.brief, allowed.brief_notes) == ("Nothing stands against this action.", ())

    for nobody in ("", "  "):
        with pytest.raises(errors.InvalidInputError, match="only a person lifts"):
            gate.lift("s1", by=nobody)
    assert not gate.before("Short 3 ETH this weekend").allowed
    lifted = gate.lift("s1", by="anna", why="funding was changed")
    assert (lifted.status, lifted.closed_by, lifted.closed_why) == ("archived", "anna", "funding was changed")
    assert gate.before("Short 3 ETH this weekend").decision == "allow"
    assert gate.state() == []
    assert gate.state(every=True) == [lifted]


def test_a_lifted_rejection_can_be_made_again(gate: bardo.Gate) -> None:
    gate.lift(gate.reject("short ETH on weekends").id, by="anna")
    assert gate.reject("short ETH on weekends").id == "s2"
    assert not gate.before("short ETH on weekends").allowed


@pytest.mark.parametrize(
    "again",
    [
        "short ETH on weekends",
        "  Short  ETH on weekends ",
        "On weekends: short ETH!",
        "short ETH on the weekend",
    ],
)
def test_the_same_rejected_twice_is_renewed_and_not_doubled(
    gate: bardo.Gate, clock: ManualClock, again: str
) -> None:
    first = gate.reject("short ETH on weekends", why="funding", by="anna")
    clock.advance(60)
    second = gate.reject(again)
    assert gate.state("rejected") == [second]
    assert (second.id, second.at, second.changed_at) == (first.id, NOW, clock.now())
    assert (second.detail, second.by) == ("funding", "anna")
    assert gate.reject(again, why="funding is paid twice", by="boris").detail == "funding is paid twice"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("raise leverage to 5x", "raise leverage to 2x"),
        ("sell the vault tokens", "buy the vault tokens"),
        ("go long on ETH", "go short on ETH"),
        ("pay the invoice of Anna", "pay the invoice of Boris"),
        ("deploy on Fridays", "deploy on Fridays with a person beside"),
        ("never deploy on Fridays", "deploy on Fridays"),
        ("deploy on Fridays", "never deploy on Fridays"),
    ],
)
def test_opposites_and_other_figures_and_names_are_entries_of_their_own(
    gate: bardo.Gate, one: str, other: str
) -> None:
    for kind in ("rejected", "decision"):
        assert gate.note(kind, one).id != gate.note(kind, other).id
    assert len(gate.state()) == 4


def test_the_same_words_of_another_kind_are_another_entry(gate: bardo.Gate) -> None:
    gate.note("task", "port the parser to Rust")
    gate.note("decision", "port the parser to Rust")
    assert [entry.kind for entry in gate.state()] == ["decision", "task"]


def test_a_task_that_is_finished_is_no_longer_told(gate: bardo.Gate) -> None:
    task = gate.note("task", "port the parser to Rust", detail="without unsafe", domain="work")
    assert gate.before("rewrite the parser in Rust").state == (task,)
    done = gate.finish(task.id, by="anna", why="merged")
    assert (done.status, done.closed_by, done.closed_why) == ("done", "anna", "merged")
    assert gate.before("rewrite the parser in Rust").state == ()
    with pytest.raises(errors.NotFoundError, match="done already"):
        gate.finish(task.id)


def test_a_verdict_tells_what_the_action_touches_before_the_latest_entries(gate: bardo.Gate) -> None:
    touched = gate.note("decision", "the oracle of record is Chainlink")
    others = [gate.note("task", f"task of day {day}") for day in range(9)]
    verdict = gate.before("switch the oracle from Chainlink to Pyth")
    assert verdict.decision == "allow"
    assert verdict.state == (touched, *others[:-6:-1])


def test_each_is_ended_in_its_own_way(gate: bardo.Gate) -> None:
    rejected, task = gate.reject("short ETH"), gate.note("task", "call Anna")
    rule = gate.rule("Measure twice")
    with pytest.raises(errors.InvalidInputError, match="lift"):
        gate.finish(rejected.id)
    with pytest.raises(errors.InvalidInputError, match="only a rejection"):
        gate.lift(task.id, by="anna")
    with pytest.raises(errors.InvalidInputError, match="no rule"):
        gate.retire(task.id, by="anna")
    for end in (gate.finish, lambda id_: gate.lift(id_, by="anna")):
        with pytest.raises(errors.InvalidInputError, match="retire"):
            end(rule.id)
    assert len(gate.state()) == 2
    assert gate.rules() == [rule]


def test_a_critical_rule_blocks_what_it_forbids_and_another_warns(gate: bardo.Gate) -> None:
    gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    gate.rule("Do not rename columns", forbids="rename a column")
    blocked, warned = gate.before("git push --force origin main"), gate.before("rename the column of prices")
    assert (blocked.decision, blocked.findings[0].reason) == ("block", "forbidden")
    assert (warned.decision, warned.findings[0].id) == ("warn", "r2")
    assert [rule.id for rule in blocked.rules] == ["r1"], "a rule below 8 is shown before every action"


def test_an_action_that_needs_approval_is_blocked_until_a_person_is_named(gate: bardo.Gate) -> None:
    gate.rule("Withdrawals need a person", approval="withdraw funds")
    assert gate.before("withdraw all funds from Aave").findings[0].reason == "approval"
    assert not gate.before("withdraw all funds from Aave").allowed
    assert not gate.before("withdraw all funds from Aave", approved_by=" ").allowed
    assert gate.before("withdraw all funds from Aave", approved_by="anna").decision == "allow"


def test_a_rule_starts_at_5_and_that_of_a_person_at_9(gate: bardo.Gate) -> None:
    assert gate.rule("Look at the gas price first").score == 5
    assert gate.rule("Never sign twice", by="anna").score == 9
    assert gate.rule("Say good morning", by="anna", score=3).score == 3


def test_law_15_an_agents_word_makes_no_rule_critical_and_changes_none(gate: bardo.Gate) -> None:
    with pytest.raises(errors.InvalidInputError, match="only a person gives a critical rule"):
        gate.rule("Trust me", score=9)
    assert [gate.rule("Look at the gas price first", score=8.5) for _ in range(9)][-1].score == 8.5
    gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    with pytest.raises(errors.InvalidInputError, match="only a person changes"):
        gate.rule("Never force-push to main", forbids="wash the car", approval="anything")
    (kept,) = (rule for rule in gate.rules() if rule.id == "r2")
    assert (kept.forbids, kept.approval, kept.by) == ("force-push to main", "", "anna")
    assert not gate.before("force-push to main").allowed
    with pytest.raises(errors.InvalidInputError, match="only a person retires"):
        gate.retire("r2")
    assert gate.rule("Never force-push to main", forbids="push to main", by="anna").forbids == "push to main"


def test_law_4_a_score_fades_with_time_however_often_it_is_looked_at(
    gate: bardo.Gate, clock: ManualClock
) -> None:
    rule = gate.rule("Look at the gas price first", forbids="trade blindly")
    expected = {0: 5.0, 6.99: 5.0, 7: 4.5, 7.99: 4.5, 8: 4.0, 13: 1.5, 14: 1.0, 14.9: 1.0}
    for days, score in expected.items():
        clock.set(NOW + int(days * DAY))
        assert [each.score_at(gate.now) for each in gate.rules()] == [score], f"after {days} days"
        assert gate.before("trade blindly").decision == "warn"
    clock.set(NOW + 15 * DAY)
    assert gate.rules() == []
    assert gate.before("trade blindly").decision == "allow"
    assert gate.rules(every=True) == [rule]
    assert gate.rule("Look at the gas price first").id == "r2"
    assert gate.rules(every=True)[1].retired_why == "not confirmed for too long"


def test_a_critical_rule_does_not_fade(gate: bardo.Gate, clock: ManualClock) -> None:
    gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    clock.advance(10 * 365 * 86_400)
    assert gate.rules()[0].score_at(gate.now) == 9
    assert not gate.before("force-push to main").allowed


def test_a_confirmed_rule_starts_to_fade_again(gate: bardo.Gate, clock: ManualClock) -> None:
    gate.rule("Look at the gas price first")
    clock.advance(10 * 86_400)
    again = gate.rule("Look first at the gas price")
    assert (again.id, again.score, again.confirmed_at) == ("r1", 5.0, clock.now())
    for _ in range(20):
        again = gate.rule("Look at the gas price first")
    assert again.score == 8.5, "no confirmation makes a rule critical"
    assert gate.rule("Look at the gas price first", by="anna").score == 9
    assert gate.rule("Look at the gas price first", by="anna", score=10).score == 10
    assert gate.rule("Look at the gas price first", by="anna").score == 10


def test_a_retired_rule_stays_retired_and_on_record(gate: bardo.Gate) -> None:
    gate.rule("Look at the gas price first")
    assert gate.retire("r1").retired_by == "trader"
    gate.rule("Never sign twice", by="anna")
    assert gate.retire("r2", by="boris").retired_by == "boris"
    assert gate.rules() == []
    assert [rule.id for rule in gate.rules(every=True)] == ["r2", "r1"]
    with pytest.raises(errors.NotFoundError, match="retired already by boris"):
        gate.retire("r2", by="anna")
    assert gate.rule("Never sign twice").score == 5, "an agent brings a critical rule back"


def test_a_pass_reinforces_the_rules_that_applied_and_no_other(gate: bardo.Gate, clock: ManualClock) -> None:
    gate.rule("Look at the gas price first", score=8)
    gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    gate.rule("Water the tomatoes")
    gate.rule("Withdrawals need a person", approval="withdraw funds")
    gate.rule("Look at the price of eggs in the price list of the market", score=3)
    clock.advance(60)
    kept = gate.after("swap at a gas price of 20", passed=True, note="cheap")
    assert (kept.outcome.id, kept.outcome.action, kept.outcome.note, kept.outcome.by) == (
        "o1", "swap at a gas price of 20", "cheap", "trader"
    )  # fmt: skip
    assert (kept.confirmed, kept.violated, kept.failed) == (("r1",), (), ())
    assert "only a rule?" in kept.question
    assert gate.state() == [], "an outcome takes no place among the entries"
    assert gate.after("withdraw funds", passed=True).confirmed == ("r4",)
    assert gate.after("git push origin main", passed=True).confirmed == (), (
        "a prohibition applies to no other push"
    )
    assert gate.after("push the release", passed=True, rules=["r3"]).confirmed == ("r3",)
    found = {rule.id: (rule.score, rule.uses, rule.confirmed_at - NOW) for rule in gate.rules()}
    minute = 60_000_000
    assert found == {
        "r1": (8.5, 1, minute), "r2": (9, 0, 0), "r3": (5.5, 1, minute), "r4": (5.5, 1, minute), "r5": (3, 0, 0)
    }  # fmt: skip


def test_a_failure_counts_against_the_rules_that_applied(gate: bardo.Gate, clock: ManualClock) -> None:
    gate.rule("Look at the gas price first", score=5)
    gate.rule("Look at the gas price twice", by="anna")
    clock.advance(60)
    scores = []
    for _ in range(8):
        told = gate.after("swap at a gas price of 20", passed=False)
        assert (told.confirmed, told.failed) == ((), ("r1", "r2"))
        scores.append(gate.rules()[-1].score)
    assert scores == [4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0]
    assert gate.rules()[0].score == 9, "a person's rule keeps its score"
    assert [(rule.uses, rule.failures) for rule in gate.rules()] == [(0, 8), (0, 8)]
    assert (told.outcome.passed, told.outcome.failed, told.outcome.applied) == (0, 8, "r1 r2")
    gate.after("swap at a gas price of 20", passed=False)
    assert [rule.id for rule in gate.rules()] == ["r2"]


def test_a_violation_is_counted_and_raises_the_score(gate: bardo.Gate) -> None:
    gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    for times, passed in enumerate((False, True, False), 1):
        told = gate.after("force-push to main", passed=passed)
        assert (told.confirmed, told.violated, told.failed) == ((), ("r1",), ())
        assert (gate.rules()[0].score, gate.rules()[0].violations) == (min(10, 9 + times / 2), times)
    assert (told.outcome.passed, told.outcome.failed, told.outcome.last) == (1, 2, "failed")


def test_outcomes_never_crowd_out_state(gate: bardo.Gate) -> None:
    task = gate.note("task", "port the parser to Rust")
    decision = gate.note("decision", "the oracle of record is Chainlink")
    for number in range(250):
        gate.after(f"step {number} of the long march", passed=True)
    assert gate.before("water the tomatoes").state == (decision, task)
    assert gate.before("switch the oracle from Chainlink to Pyth").state[0] == decision
    assert len(gate.outcomes()) == 250


def test_matching_sees_every_entry_in_force(gate: bardo.Gate) -> None:
    oldest = gate.note("decision", "the oracle of record is Chainlink")
    for number in range(300):
        gate.note("discovery", f"gauge {number} of the boiler shows {number} degrees")
    assert gate.before("switch the oracle from Chainlink to Pyth").state[0] == oldest


def test_before_tells_the_outcomes_of_the_same_action(gate: bardo.Gate) -> None:
    gate.after("deploy the site", passed=True)
    gate.after("deploy the site", passed=False, note="the cache was stale")
    gate.after("water the tomatoes", passed=False)
    verdict = gate.before("deploy the site")
    assert [outcome.id for outcome in verdict.outcomes] == ["o1"]
    assert "deploy the site: passed 1 times, failed 1, last failed (the cache was stale)" in verdict.text
    assert verdict.decision == "allow"


def test_the_answer_to_the_question_after_an_action_is_stored(gate: bardo.Gate) -> None:
    told = gate.after("deploy the site", passed=False)
    assert told.question
    assert gate.answer(told.outcome.id, "check").answer == "check"
    again = gate.after("deploy the site", passed=True)
    assert (again.outcome.answer, again.question) == ("check", "")
    assert gate.after("roll back", passed=True, changed="rule").outcome.answer == "rule"
    assert [outcome.answer for outcome in gate.outcomes()] == ["rule", "check"]
    gate.note("task", "port the parser")
    with pytest.raises(errors.InvalidInputError, match="no outcome"):
        gate.answer("s1", "flow")
    for id_, changed in (("o9", "flow"), ("", "flow")):
        with pytest.raises(errors.NotFoundError):
            gate.answer(id_, changed)
    with pytest.raises(errors.InvalidInputError):
        gate.answer("o1", "luck")
    with pytest.raises(errors.NotFoundError, match="no rule in force"):
        gate.after("roll back", passed=True, rules=["r9"])


def test_a_verdict_in_brief_is_what_the_action_touches_and_one_line_without(gate: bardo.Gate) -> None:
    rules = [gate.rule(f"Look at gauge {number} in the morning", score=8.5) for number in range(30)]
    gate.rule("Before a deploy, run the smoke tests twice", by="anna")
    gate.note("task", "port the parser to Rust")
    untouched = gate.before("ls -la")
    assert untouched.brief == "Nothing stands against this action."
    assert len(untouched.text) > 1_000
    assert any("did not fit" in note or len(rules) > 20 for note in [*untouched.notes, ""])
    assert untouched.brief_notes == ()
    touched = gate.before("run the smoke tests")
    assert [rule.text for rule in touched.applying] == ["Before a deploy, run the smoke tests twice"]
    assert "smoke tests twice" in touched.brief
    assert "gauge" not in touched.brief
    assert "parser" not in touched.brief
    gate.reject("deploy on Fridays", why="nobody is there")
    blocked = gate.before("deploy on Friday")
    assert "nobody is there" in blocked.brief
    assert "gauge" not in blocked.brief


def test_a_note_that_takes_the_place_of_another_loses_nothing(gate: bardo.Gate, clock: ManualClock) -> None:
    first = gate.after("deploy the site", passed=True, note="the cache was stale")
    clock.advance(60)
    second = gate.after("deploy the site", passed=True, note="the cache was warm")
    assert second.outcome.id == first.outcome.id
    assert gate.outcomes() == [second.outcome]
    assert gate.history(first.outcome.id) == [first.outcome, second.outcome]
    gate.after("deploy the site", passed=True)
    assert [outcome.note for outcome in gate.history(first.outcome.id)] == [
        "the cache was stale",
        "the cache was warm",
    ]
    rule = gate.rule("Never force-push to main", forbids="force-push to main", by="anna")
    again = gate.rule("Never force-push to main", forbids="push to main", by="boris")
    assert gate.history("r1") == [rule, again]
    with pytest.raises(errors.NotFoundError):
        gate.history("s9")
    gate.forget([first.outcome.id, "r1"], by="anna")
    with pytest.raises(errors.NotFoundError):
        gate.history("r1")
    assert gate._store.texts() == []


def test_a_folder_has_one_agent_and_no_gate_under_another_name(home: Path, gate: bardo.Gate) -> None:
    mine = gate.reject("short ETH on weekends")
    with pytest.raises(errors.StoreForeignError, match='"other"'):
        bardo.gate(home, agent="other", words_only=True)
    assert gate.state() == [mine]


def test_the_settings_of_the_folder_say_whose_gate_it_is(home: Path) -> None:
    with bardo.gate(home, words_only=True) as opened:
        assert (opened.agent, opened.path) == ("trader", home)


def test_asking_writes_nothing(home: Path, gate: bardo.Gate) -> None:
    assert gate.before("short ETH").decision == "allow"
    assert gate.state() == gate.rules() == gate.forget("s1") == []
    assert not (home / "conduct.db").exists()


def test_a_gate_stands_before_no_memory(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(errors.NotFoundError):
            bardo.gate(folder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda gate: gate.reject(""),
        lambda gate: gate.reject(" \n"),
        lambda gate: gate.reject("x" * (LONGEST + 1)),
        lambda gate: gate.reject("short ETH", why="x" * (LONGEST + 1)),
        lambda gate: gate.reject("short ETH", by="x" * (LONGEST + 1)),
        lambda gate: gate.reject("short \ud800 ETH"),
        lambda gate: gate.reject("short ETH", by="\udfff"),
        lambda gate: gate.reject("short ETH", episode="\udfff"),
        lambda gate: gate.reject(7),
        lambda gate: gate.reject("short ETH", why=b"bytes"),
        lambda gate: gate.note("wish", "short ETH"),
        lambda gate: gate.note(None, "kept already"),
        lambda gate: gate.note("", "kept already"),
        lambda gate: gate.state("wish"),
        lambda gate: gate.rule(""),
        lambda gate: gate.rule("Measure", forbids="x" * (LONGEST + 1)),
        lambda gate: gate.rule("Measure", score=0.5),
        lambda gate: gate.rule("Measure", score=11, by="anna"),
        lambda gate: gate.rule("Measure", score=float("nan")),
        lambda gate: gate.rule("Measure", score="high"),
        lambda gate: gate.before(""),
        lambda gate: gate.before(None),
        lambda gate: gate.before("short \ud800 ETH"),
        lambda gate: gate.before("kept already", budget=20),
        lambda gate: gate.after(" ", passed=True),
        lambda gate: gate.after("x" * (LONGEST + 1), passed=True),
        lambda gate: gate.after("kept already", passed=True, changed="luck"),
        lambda gate: gate.lift("s1", by="x" * (LONGEST + 1)),
        lambda gate: gate.lift("s1", by="anna", why="x" * (LONGEST + 1)),
        lambda gate: gate.lift("s1", by=7),
        lambda gate: gate.forget([["s1"]]),
    ],
)  # fmt: skip
def test_an_unusable_value_is_refused_and_changes_nothing(
    gate: bardo.Gate, call: Callable[[bardo.Gate], object]
) -> None:
    kept = gate.reject("kept already")
    with pytest.raises(errors.InvalidInputError):
        call(gate)
    assert gate.state(every=True) == [kept]
    assert gate.rules(every=True) == []


@pytest.mark.parametrize("id_", ["s9", "r9", "", "s", "nonsense", "s1 OR 1"])
def test_an_id_that_is_not_there_is_told(gate: bardo.Gate, id_: str) -> None:
    gate.reject("short ETH")
    for verb in (lambda id_: gate.lift(id_, by="anna"), gate.finish, gate.retire):
        with pytest.raises(errors.NotFoundError, match="bardo gate show"):
            verb(id_)


def test_recalled_memories_come_back_by_no_door(gate: bardo.Gate) -> None:
    gate.reject("sell BTC in a panic", why="it was regretted")
    recalled = f"short ETH {gate.before('sell BTC in a panic').text}"
    with pytest.warns(errors.BardoWarning, match="were not captured again"):
        entry = gate.reject(recalled, why=f"because {recalled}")
    with pytest.warns(errors.BardoWarning, match="were not captured again"):
        rule = gate.rule(f"Rule: {recalled}", forbids=recalled, approval=recalled)
    with pytest.warns(errors.BardoWarning, match="were not captured again"):
        lifted = gate.lift(entry.id, by="anna", why=recalled)
    after = gate.after("short ETH", passed=True, note=f"after {recalled}")
    texts = [lifted.summary, lifted.detail, lifted.closed_why, rule.text, rule.forbids, rule.approval]
    assert not any("regretted" in text for text in [*texts, after.outcome.action, after.outcome.note])
    assert "after short ETH" in after.outcome.note
    assert any("were not captured again" in note for note in after.notes)


def test_a_closed_gate_says_so(gate: bardo.Gate, home: Path) -> None:
    gate.reject("short ETH")
    gate.close()
    gate.close()
    for verb in (lambda: gate.before("short ETH"), gate.state, gate.rules, lambda: gate.reject("short BTC")):
        with pytest.raises(errors.GrimoireClosedError, match=r"bardo\.gate"):
            verb()
    with bardo.gate(home, words_only=True) as again:
        assert not again.before("short ETH").allowed


def test_the_gate_of_a_dead_agent_answers_and_takes_nothing(
    home: Path, gate: bardo.Gate, tmp_path: Path
) -> None:
    rejected, rule = gate.reject("short ETH"), gate.rule("Measure twice")
    model = flat()
    with bardo.open(home, embedder=model) as grimoire:
        grimoire.bequeath(tmp_path / "left")
    assert not gate.before("short ETH").allowed
    for verb in (
        lambda: gate.reject("short BTC"),
        lambda: gate.rule("Measure thrice"),
        lambda: gate.after("short ETH", passed=True),
        lambda: gate.lift(rejected.id, by="anna"),
        lambda: gate.finish(rejected.id),
        lambda: gate.retire(rule.id),
        lambda: gate.forget(rejected.id),
    ):
        with pytest.raises(errors.GrimoireClosedError, match="died"):
            verb()
    assert gate.state(every=True) == [rejected]


@pytest.mark.parametrize("words_only", [True, False])
def test_the_very_words_of_a_rejection_are_blocked_whatever_the_time_is(tmp_path, words_only):
    bardo.open(tmp_path / "ann").close()
    with bardo.gate(tmp_path / "ann", words_only=words_only) as gate:
        gate.reject("reboot queue-7 during business hours")
        gate.reject("run archive without backups")
        assert gate.before("reboot queue-7 during business hours").decision == "block"
        assert gate.before("run archive without any backups").decision in ("block", "warn")
        assert gate.before("run archive without backups").decision == "block"
