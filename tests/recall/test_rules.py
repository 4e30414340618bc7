"""Rules reach decisions: those that apply take reserved seats, and those that do not are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.errors import InvalidInputError
from bardo.model import Episode, Fact
from bardo.ports import ManualClock
from bardo.recall.decision_questions import asks_for_fact
from bardo.recall.options import OwnerRecallOptions
from bardo.recall.rules import RuleBook
from bardo.recall.situation import Condition, Situation, parse_conditions
from bardo.surfaces.cli.declared import given_fields, options_of

NOON = 1_772_712_000_000_000


def rule(condition: str, action: str, *, effect: float = 0.41, **fields: Any) -> Fact:
    """A heuristic as the Curator states it."""
    words = " and ".join(part for part in (condition, action) if part)
    direction = "higher" if effect > 0 else "lower"
    payload = {
        "type": "heuristic", "condition": condition, "action": action, "outcome": f"pnl is {direction}", "n": 3000,
        "effect": effect, "interval": [effect - 0.06, effect + 0.06],
    }  # fmt: skip
    text = f"When {words}, pnl is {direction} by {abs(effect)}"
    return Fact(
        text, kind="heuristic", category="heuristics", confidence=0.9, support=100, payload=payload, **fields
    )


LONG = rule("volatility <= 0.3", "action is long", subjects=("ETH",))
SHORT = rule("volatility >= 0.7", "action is short", effect=0.3, subjects=("ETH",))


@pytest.fixture
def memory(tmp_path: Path, minilm: object) -> bardo.Grimoire:
    """Two hundred trades, notes of another sort, and two rules."""
    g = bardo.open(tmp_path / "trader", embedder=minilm, clock=ManualClock(NOON), seed=1)
    g.remember(
        [
            Episode(
                f"ETH trade {n}: went {('long', 'short')[n % 2]} at volatility {n % 10 / 10}",
                tick=n + 1, kind="trade", subjects=("ETH",), verified=True,
                payload={"volatility": n % 10 / 10, "action": ("long", "short")[n % 2], "pnl": (n % 7 - 3) / 3},
            )
            for n in range(200)
        ]
    )  # fmt: skip
    g.remember(["Nadia lives in Lisbon", "The office closes at six on Fridays"])
    g.learn([LONG, SHORT])
    return g


def stated(found: Any) -> list[str]:
    return [memory.text for memory in found if memory.layer == "fact"]


def test_a_rule_whose_condition_holds_reaches_the_first_five_and_the_other_is_left_out(memory) -> None:
    found = memory.recall("what now?", limit=5, situation={"volatility": 0.2})
    assert LONG.text in stated(found)
    assert SHORT.text not in stated(memory.recall("what now?", limit=100, situation={"volatility": 0.2}))
    seated = next(memory for memory in found if memory.text == LONG.text)
    assert seated.why.is_seated
    assert "a rule that applies here" in str(seated.why)


def test_a_decision_question_brings_rules_without_a_situation(memory) -> None:
    found = memory.recall("Should I go long on ether?", limit=5)
    assert stated(found)[0] == LONG.text
    assert found[0].layer == "episode", "the best memory keeps its place"


def test_a_question_of_fact_gives_no_seat_to_a_rule(memory) -> None:
    assert not stated(memory.recall("Where does Nadia live?", limit=5))
    assert not stated(memory.recall("Should I visit Nadia in Lisbon?", limit=2))


def test_a_rule_of_which_the_action_is_impossible_takes_no_seat(memory) -> None:
    situation = {"volatility": 0.2, "actions": ["short", "hold"]}
    assert LONG.text not in stated(memory.recall("what now?", limit=5, situation=situation))
    assert LONG.text in stated(
        memory.recall("what now?", limit=5, situation={**situation, "actions": ["long"]})
    )


def test_a_prompt_states_the_rule_with_its_evidence(memory) -> None:
    prompt = memory.context("Should I go long on ETH?", situation={"volatility": 0.2}, budget=1_500)
    assert (
        "ETH: when volatility is at most 0.3 and action is long, pnl is higher by 0.41 "
        "(in 100 of 3000 decisions, 95 % 0.35 to 0.47)" in str(prompt)
    )
    assert "<learned_rules" in str(prompt)
    assert "short" not in str(prompt).split("<learned_rules")[1].split("</learned_rules")[0]
    rules = [each for each in prompt.memories if each.layer == "fact"]
    assert [each.text for each in rules] == [LONG.text]
    before = memory.facts.confidence(rules[0].id)
    memory.outcome(prompt, value=-0.5)
    assert memory.facts.confidence(rules[0].id) < before


def test_a_small_budget_still_has_the_rule(memory) -> None:
    prompt = memory.context("Should I go long on ETH?", situation={"volatility": 0.2}, budget=600)
    assert "pnl is higher by 0.41" in str(prompt)


def test_a_visitor_gets_the_same_rules(memory) -> None:
    memory.sleep()
    with bardo.visit(memory.path) as visitor:
        found = visitor.recall("what now?", limit=5, situation={"volatility": 0.9})
        assert SHORT.text in stated(found)
        assert LONG.text not in stated(found)
        assert "action is short" in str(visitor.context("Long or short?", situation={"volatility": 0.9}))


def test_a_warning_in_words_comes_to_a_decision_about_its_subject(memory) -> None:
    memory.learn("Never trade ETH in the hour of a network upgrade", kind="warning", subjects=["ETH"])
    found = memory.recall("Trade ETH?", limit=5, situation={"subjects": ["ETH"], "volatility": 0.5})
    assert any("network upgrade" in text for text in stated(found))


def test_a_filter_that_excludes_facts_excludes_rules(memory) -> None:
    found = memory.recall("Should I go long?", limit=5, layers=["episode"], situation={"volatility": 0.2})
    assert not stated(found)


@pytest.mark.parametrize(
    "situation", [["volatility"], {"volatility": float("nan")}, {"x": object()}, {"subjects": "ETH"}]
)
def test_a_situation_that_cannot_be_read_is_refused(memory, situation) -> None:
    with pytest.raises(InvalidInputError):
        memory.recall("what now?", situation=situation)


def test_conditions_hold_contradict_or_are_left_open() -> None:
    situation = Situation.of(
        {"pool": {"fee": 30}, "venue": "South", "side": ["buy", "sell"], "hot": True, "subjects": ["ETH"]}
    )

    def holds(words: str) -> list[bool | None]:
        return [condition.holds(situation) for condition in parse_conditions(words)]

    assert holds("pool.fee >= 30 and venue is south and hot is true") == [True, True, True]
    assert holds("pool.fee > 30 and venue is north and venue != south") == [False, False, False]
    assert holds("side is buy and gas <= 3 and the moon is full") == [None, None, None]
    assert holds("side is hold and subject is ETH and subject is BTC") == [False, True, False]
    assert parse_conditions("momentum >= -1.5e-3") == (Condition("momentum", ">=", -0.0015),)


def test_questions_of_fact_are_told_from_decisions_by_their_form() -> None:
    for text in (
        "Who signs the contract?",
        "What is the storage fee?",
        "How many tokens are left?",
        "Can you list them?",
    ):
        assert asks_for_fact(text), text
    for text in (
        "Should I buy?",
        "What do we do?",
        "Is it worth it?",
        "The queue is long, what now?",
        "Merge?",
        "go long",
    ):
        assert not asks_for_fact(text), text


def test_the_command_line_reads_features_as_numbers_words_and_lists() -> None:
    options = options_of(OwnerRecallOptions)
    values: dict[str, Any] = {each.parameter.name: None for each in options}
    values["field_situation"] = ["volatility=0.3", "venue=south", 'side=["buy", "sell"]', "pool.fee=30"]
    given = given_fields(options, values)
    assert given == {
        "situation": {"volatility": 0.3, "venue": "south", "side": ["buy", "sell"], "pool.fee": 30}
    }
    with pytest.raises(InvalidInputError, match="KEY=VALUE"):
        given_fields(options, {**values, "field_situation": ["volatility"]})
    values["field_situation"] = ["subjects=ETH, BTC", 'actions=["long"]']
    assert given_fields(options, values)["situation"] == {"subjects": ["ETH", "BTC"], "actions": ["long"]}


def test_a_prompt_with_the_dossier_states_the_rules_that_apply(memory) -> None:
    memory.pages.dossier()
    prompt = memory.context("Do we go long?", dossier=True, situation={"volatility": 0.2})
    assert [block.name for block in prompt.blocks].count("learned_rules") == 1
    assert 'source="dossier"' in prompt.text
    assert stated(prompt.memories) == [LONG.text]
    plain = memory.context("Who lives in Lisbon?", dossier=True)
    assert not stated(plain.memories)


def test_rules_are_read_again_after_knowledge_changed_and_not_after_a_recall(memory: bardo.Grimoire) -> None:
    book = RuleBook(memory._session.facts)
    first, _ = book.rules()
    assert "fact" in {found.layer for found in memory.recall("Should I go long on ETH?")}
    assert book.rules()[0] is first
    memory.learn(rule("hour >= 20", "action is wait"))
    assert len(book.rules()[0]) == len(first) + 1
