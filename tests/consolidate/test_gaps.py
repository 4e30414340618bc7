"""Open questions: found by lint, at most ten, kept once confirmed, gone when answered or forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bardo
from bardo.consolidate.lint import Gap
from bardo.model import Fact
from bardo.ports import ManualClock
from helpers.models import letters

OTHERS = ("Apples ripen in autumn", "Boats need varnish", "Clocks drift", "Drums echo", "Eels migrate")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    clock = ManualClock(1_700_000_000_000_000)
    with bardo.open(tmp_path / "agent", clock=clock, seed=1, embedder=letters(512)) as grimoire:
        grimoire.learn(list(OTHERS), tick=1)
        yield grimoire


def questions(grimoire: bardo.Grimoire, kind: str) -> list[Gap]:
    return [gap for gap in grimoire.curator.gaps() if gap.kind == kind]


def test_lint_asks_about_entities_mentioned_often_without_facts(opened: bardo.Grimoire) -> None:
    opened.remember([f"the {n}th vault was filled by Zanzibar Keeper" for n in range(6)], subjects=["aave"])
    opened.remember("Once Quentin Marlow came by")
    opened.learn("The aave pool opens at noon", subjects=["aave"])
    opened.sleep()
    opened.curator.lint()
    (gap,) = questions(opened, "unknown")
    assert gap.question == "What is known of Zanzibar Keeper?"
    assert (gap.entity, gap.confirmed, gap.facts) == ("Zanzibar Keeper", False, ())
    opened.learn("Zanzibar Keeper refills vaults at dawn")
    opened.curator.lint()
    assert questions(opened, "unknown") == []


def test_a_lint_of_few_facts_still_collects_questions(opened: bardo.Grimoire) -> None:
    opened.forget(opened.facts.list()[0], reason="leaves four")
    for _ in range(3):
        opened.recall("xylophone tuner pitch")
    report = opened.curator.lint()
    assert (report.looked, report.open_questions) == (0, 1)
    (gap,) = questions(opened, "unanswered")
    assert gap.question == "xylophone tuner pitch"


def test_lint_asks_which_of_two_facts_holds_and_whether_a_heuristic_helps(opened: bardo.Grimoire) -> None:
    rises = opened.learn("Gas rises before the oracle update")
    falls = opened.learn("Gas falls before the oracle update")
    rule = opened.learn("When gas is above 80, wait for the night", kind="heuristic")
    opened.tick(20)
    report = opened.curator.lint()
    assert report.open_questions == 2
    (gap,) = questions(opened, "contradiction")
    assert gap.question == f"Which holds: “{rises.text}” or “{falls.text}”?"
    assert gap.facts == (rises.id, falls.id)
    (gap,) = questions(opened, "untried")
    assert gap.facts == (rule.id,)
    # Answers close them.
    opened.outcome(opened.recall(rule.text, layers=("fact",), limit=1), value=0.4)
    opened.facts.contradict(rises, falls)
    opened.curator.lint()
    assert opened.curator.gaps() == []


def test_at_most_ten_are_open_and_what_is_confirmed_keeps_its_place(opened: bardo.Grimoire) -> None:
    def rules(first: int, last: int, sure: float) -> list[bardo.Fact]:
        return [
            opened.learn(
                Fact(f"Rule {n}: turn {'left ' * n}at the {n}th buoy", kind="heuristic", confidence=sure)
            )
            for n in range(first, last)
        ]

    early = rules(0, 4, 0.3)
    opened.tick(20)
    opened.curator.lint()
    assert not any(gap.confirmed for gap in opened.curator.gaps())
    assert opened.curator.lint().open_questions == 4
    assert not any(gap.confirmed for gap in opened.curator.gaps()), "the same tick confirms nothing"
    opened.tick(21)
    opened.curator.lint()
    assert [gap.facts[0] for gap in opened.curator.gaps() if gap.confirmed] == [fact.id for fact in early]
    rules(10, 30, 0.9)
    opened.tick(60)
    assert opened.curator.lint().open_questions == 10
    gaps = opened.curator.gaps()
    assert {gap.facts[0] for gap in gaps[:4]} == {fact.id for fact in early}
    assert (gaps[0].first_tick, len(gaps)) == (20, 10)
    before = opened.curator.gaps()
    opened.curator.lint()
    assert opened.curator.gaps() == before


@pytest.mark.parametrize("what", ["the fact", "the entity"])
def test_nothing_of_what_is_forgotten_stays_in_a_question(opened: bardo.Grimoire, what: str) -> None:
    episodes = opened.remember([f"the {n}th vault was filled by Zanzibar Keeper" for n in range(6)])
    rule = opened.learn("When the relayer whispers nine-four-two-seven, open the vault", kind="heuristic")
    opened.sleep()
    opened.tick(opened.now_tick + 20)
    opened.curator.lint()
    assert {gap.kind for gap in opened.curator.gaps()} == {"untried", "unknown"}
    opened.forget(rule if what == "the fact" else [episode.id for episode in episodes], reason="asked to")
    assert {gap.kind for gap in opened.curator.gaps()} == {"unknown" if what == "the fact" else "untried"}


def test_looking_for_questions_in_a_dry_run_changes_none(opened: bardo.Grimoire) -> None:
    opened.learn("When gas is above 80, wait for the night", kind="heuristic")
    opened.tick(20)
    assert opened.curator.lint(dry_run=True).open_questions == 1
    assert opened.curator.gaps() == []


def test_a_query_unanswered_twice_is_a_gap_until_a_memory_answers(opened: bardo.Grimoire) -> None:
    assert not opened.recall("Who repairs the lighthouse?")
    opened.curator.lint()
    assert questions(opened, "unanswered") == [], "once is chance"
    assert not opened.recall("who repairs the lighthouse")
    opened.recall("Apples ripen when?")
    opened.recall("Apples ripen when?")
    opened.tick(10)
    opened.curator.lint()
    (gap,) = questions(opened, "unanswered")
    assert (gap.question, gap.facts, gap.entity, gap.confirmed) == (
        "Who repairs the lighthouse?",
        (),
        None,
        False,
    )
    opened.tick(20)
    opened.curator.lint()
    (gap,) = questions(opened, "unanswered")
    assert (gap.confirmed, gap.first_tick, gap.last_tick) == (True, 10, 20)
    opened.remember("Tove repairs the lighthouse every spring")
    opened.curator.lint()
    assert questions(opened, "unanswered") == []
    assert opened._session.facts.unanswered_questions() == []


def test_questions_are_few_and_short_and_those_with_conditions_do_not_count(opened: bardo.Grimoire) -> None:
    for _ in range(2):
        opened.recall("Who repairs the lighthouse?", kinds=["trade"])
        opened.recall("lighthouse " * 40)
        opened.recall("?!")
    opened.curator.lint()
    assert opened.curator.gaps() == []
    for number in range(100):
        for _ in range(2):
            opened.recall(f"Zyxwv{number}?")
    assert len(opened._session.facts.unanswered_questions(1_000)) == 64
    opened.curator.lint()
    kept = [gap.question for gap in opened.curator.gaps()]
    assert len(kept) == 10
    opened.tick(50)
    opened.curator.lint()
    for number in range(100, 300):
        opened.recall(f"Zyxwv{number}?")
    assert [gap.question for gap in opened.curator.gaps() if gap.confirmed] == kept, "the open ones are kept"


def test_a_question_is_forgotten_with_what_it_shares_a_word_with(opened: bardo.Grimoire) -> None:
    for _ in range(2):
        opened.recall("Where did Quentin Marlow hide the ledgers?")
        opened.recall("Who repairs the lighthouse?")
    opened.curator.lint()
    assert len(questions(opened, "unanswered")) == 2
    episode = opened.remember("Quentin came by at noon with a heavy bag of papers")
    opened.forget(episode, reason="asked to")
    (gap,) = questions(opened, "unanswered")
    assert gap.question == "Who repairs the lighthouse?"
    assert opened._session.facts.unanswered_questions() == [(gap.question, False)]
    assert b"Marlow" not in (opened.path / "facts.db").read_bytes()


def test_a_dead_agent_learns_of_no_gap(opened: bardo.Grimoire, tmp_path: Path) -> None:
    opened.bequeath(tmp_path / "last.testament")
    for _ in range(2):
        opened.recall("Who repairs the lighthouse?")
    assert opened._session.facts.unanswered_questions() == []


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("Closed BRENT at {n} for the desk, 14:0{n} UTC", "BRENT"),
        ("Then we Opened Valve {n} and told Opened Valve crew", "Valve"),
        ("At noon GMT the agent noted run {n}", "run"),
    ],
)
def test_lint_asks_nothing_about_the_template_of_a_record(
    opened: bardo.Grimoire, line: str, subject: str
) -> None:
    """A known subject with a word before it, a time zone and the agent itself are no unknown things."""
    opened.learn(f"{subject} is on the list", subjects=[subject])
    opened.remember([line.format(n=n) for n in range(8)], subjects=[subject])
    opened.remember([f"At {n} in the night {opened.agent.title()} woke up" for n in range(8)])
    opened.remember([f"at {n} in the night, on the hour, kestrel Quentin Marlow woke up" for n in range(8)])
    opened.sleep()
    opened.curator.lint()
    assert [gap.question for gap in questions(opened, "unknown")] == ["What is known of Quentin Marlow?"]
