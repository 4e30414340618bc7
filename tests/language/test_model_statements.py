"""Statements of a language model: what the messages bear out ends the old value, and nothing else is believed."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from serving import replies, serving

import bardo
from bardo.consolidate import languages
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.llm.llm_statements import ProposedStatement, StatementChecks
from bardo.ports import ManualClock

NOON = 1_772_452_800_000_000
DAY = 86_400


def checks(language: str = "english") -> StatementChecks:
    found = languages.reader(language, BUILT_IN) if language else None
    return StatementChecks(found.read if found else None, language, BUILT_IN)


def accepted(text: str, checked: StatementChecks, **proposed: Any) -> bardo.Statement | None:
    episode = bardo.Episode(text, speaker="Mira", role="user", kind="turn", at=NOON)
    return checked.accepted(ProposedStatement(**proposed), [episode], "Mira")


def test_a_statement_that_stands_in_the_text_is_accepted_with_its_slot():
    found = accepted(
        "I live in Geneva since 3 May 2025.", checks(), subject="Mira", attribute="home", value="Geneva",
        since=date(2025, 5, 3),
    )  # fmt: skip
    assert found is not None
    assert (found.subject, found.attribute, found.value, found.functional) == ("Mira", "home", "Geneva", True)
    assert found.since == 1_746_230_400_000_000
    denial = accepted(
        "I no longer work at Helvion.",
        checks(),
        subject="Mira",
        attribute="employer",
        value="Helvion",
        denied=True,
    )
    assert denial is not None
    assert denial.denied


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("I live in Geneva.", {"value": "Bern"}),
        ("I live in Geneva.", {"value": "Geneva", "subject": "Tomas"}),
        ("I live in Geneva.", {"value": "Geneva", "denied": True}),
        ("I no longer live in Geneva.", {"value": "Geneva"}),
        ("Would you like to live in Geneva?", {"value": "Geneva"}),
        ("I wonder if Geneva would have me.", {"value": "Geneva"}),
        ("I live in Geneva.", {"value": "Geneva", "condition": "summer"}),
        ("I live in Geneva.", {"value": "Geneva", "since": date(2025, 5, 3)}),
        ("I live in Genevaville.", {"value": "Geneva"}),
    ],
    ids=["value", "subject", "polarity", "denial", "question", "wonder", "case", "day", "part of a word"],
)
def test_what_does_not_stand_in_the_text_is_refused(text: str, proposed: dict[str, Any]):
    given = {"subject": "Mira", "attribute": "home"} | proposed
    assert accepted(text, checks(), **given) is None


@pytest.mark.parametrize(
    ("text", "is_contradicted"),
    [
        ("I wonder if Geneva would have me.", True),
        ("I don't live in Geneva.", True),
        ("I live in Geneva.", False),
        ("We found a flat by the lake.", False),
    ],
)
def test_a_message_that_asks_or_denies_contradicts_what_a_model_affirms(text: str, is_contradicted: bool):
    episode = bardo.Episode(text, speaker="Mira", role="user", kind="turn", at=NOON)
    proposed = ProposedStatement(subject="Mira", attribute="home", value="Geneva")
    assert checks().is_contradicted(proposed, [episode], "Mira") is is_contradicted


def test_without_rules_of_a_language_a_denial_is_refused():
    given = {"subject": "Mira", "attribute": "home", "value": "Geneva"}
    assert accepted("I no longer live in Geneva.", checks(""), denied=True, **given) is None
    assert accepted("I live in Geneva.", checks(""), **given) is not None


def test_an_attribute_that_the_model_made_up_ends_nothing():
    found = accepted(
        "I live in Geneva.", checks(), subject="Mira", attribute="dwelling of sorts", value="Geneva"
    )
    assert found is not None
    assert not found.functional


def test_an_accepted_statement_ends_the_older_value_and_a_refused_one_ends_nothing(
    tmp_path: Path, minilm: Any
):
    said = "The grant reviewers would now like everything by 14 June, they wrote."

    def answer(request: Any) -> Any:
        if request["response_format"]["json_schema"]["schema"]["title"] != "Findings":
            return {}
        shown = request["messages"][-1]["content"]
        fact = {"text": "Mira reviews the grant by 14 June", "kind": "context", "messages": [1]}
        slot = {
            "subject": "grant",
            "attribute": "deadline",
            "value": "14 June" if "14 June" in shown else "9 May",
        }
        return {"facts": [fact | {"statement": slot}]}

    config = {"llm": {"model": "m"}, "curator": {"language": ""}}
    with serving(replies(answer)) as server:
        config["llm"]["base_url"] = server.url
        with bardo.open(
            tmp_path / "m", agent="m", embedder=minilm, clock=ManualClock(NOON), seed=1, config=config
        ) as memory:
            old = memory.learn(
                "The grant is due 12 June", subject="grant", attribute="deadline", value="12 June"
            )
            memory.remember(
                "The grant reviewers wrote to me today.", role="user", speaker="Mira", kind="turn"
            )
            memory.sleep()
            assert memory.facts.get(old.id).status == "active"
            memory.remember(said, role="user", speaker="Mira", kind="turn")
            memory.sleep()
            assert (memory.facts.get(old.id).status, memory.facts.get(old.id).ended_by) == (
                "superseded",
                "slot",
            )
            assert any(fact.statement and fact.statement.value == "14 June" for fact in memory.facts.list())
