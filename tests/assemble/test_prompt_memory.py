"""Each line of a prompt leads back to the memory that it shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.assemble.context import BlockReport, assemble, build, memory_block
from bardo.assemble.prompt_memory import PromptMemory
from bardo.converse.triage import Triage
from bardo.ports import ManualClock
from helpers.models import word_vectors

NOON = 1_772_712_000_000_000
RULE = bardo.Fact(
    "When gas is low and action is long, pnl is higher by 0.4", kind="heuristic", category="heuristics",
    confidence=0.9, support=100, subjects=("ETH",),
    payload={
        "type": "heuristic", "condition": "gas <= 3", "action": "action is long", "outcome": "pnl is higher",
        "n": 300, "effect": 0.4, "interval": [0.3, 0.5],
    },
)  # fmt: skip


@pytest.fixture
def grimoire(tmp_path: Path) -> Iterator[bardo.Grimoire]:
    with bardo.open(tmp_path / "agent", embedder=word_vectors, clock=ManualClock(NOON), seed=1) as opened:
        yield opened


def block(prompt: bardo.Prompt, name: str) -> BlockReport:
    return next(each for each in prompt.blocks if each.name == name)


def test_a_block_lists_the_memories_that_it_shows_and_no_other(grimoire: bardo.Grimoire) -> None:
    grimoire.remember([f"The harbour {number} is closed for repairs" for number in range(15)])
    fact = grimoire.learn("The harbour office opens at nine")
    prompt = grimoire.context("Which harbour is closed?", budget=500)
    episodes = block(prompt, "past_events")
    assert 0 < episodes.shown == len(episodes.memories) < 15
    assert all(memory.text in episodes.text for memory in episodes.memories)
    assert [memory.id for memory in block(prompt, "knowledge").memories] == [fact.id]
    assert block(prompt, "instruction").memories == ()
    # The flat list has the recalled memories of all blocks, with their explanations.
    assert [memory.id for memory in prompt.memories] == [
        one.id for each in prompt.blocks for one in each.memories
    ]
    assert all(memory.score > 0 and memory.why.provenance for memory in prompt.memories)


def test_a_rule_in_the_words_of_a_person_leads_back_to_its_fact(grimoire: bardo.Grimoire) -> None:
    (rule,) = grimoire.learn([RULE])
    grimoire.remember("ETH trade: went long")
    prompt = grimoire.context("Should I go long on ETH?", situation={"gas": 2})
    (stated,) = block(prompt, "learned_rules").memories
    assert stated.text in block(prompt, "learned_rules").text
    assert stated.text != RULE.text
    assert (stated.id, stated.recalled.text, stated.record.id) == (rule.id, RULE.text, rule.id)


def test_turns_beside_a_memory_are_named(grimoire: bardo.Grimoire) -> None:
    said = ["Where is the basket?", "It stands in the attic", "Which attic?", "Grandmother's", "Thanks a lot"]
    ids = [
        grimoire.remember(text, tick=tick, role="user", thread="home").id for tick, text in enumerate(said, 1)
    ]
    prompt = grimoire.context("Where does the basket stand in the attic?", limit=1, window=1)
    (shown,) = block(prompt, "past_events").memories
    place = said.index(shown.alone or "")
    turns = [ids[at] for at in (place - 1, place + 1) if 0 <= at < len(ids)]
    assert shown.to_dict() == {"id": ids[place], "layer": "episode", "source": "self", "turns": turns}
    assert shown.without_turns().text == said[place] == prompt.memories[0].text


def test_latest_facts_and_summaries_of_a_reply_have_their_ids(grimoire: bardo.Grimoire) -> None:
    fact = grimoire.learn("Anna lives in Bern", kind="identity")
    needy = Triage("project_question", True, True, True, 2_500, "words")
    prompt = grimoire.context("What colour has the sky?", triage=needy)
    (shown,) = block(prompt, "known_for_certain").memories
    assert (shown.id, shown.layer, shown.record.id) == (fact.id, "fact", fact.id)


def test_the_report_says_the_origin_of_each_memory_in_json(grimoire: bardo.Grimoire) -> None:
    episode = grimoire.remember("Gas doubled before the close")
    report = json.loads(json.dumps(grimoire.context("Is gas cheap before the close?").to_dict()))
    shown = {each["name"]: each["memories"] for each in report["blocks"]}
    assert shown["past_events"] == [{"id": episode.id, "layer": "episode", "source": "self", "turns": []}]
    assert shown["instruction"] == []


@dataclass
class Shape:
    """The fields that every memory of a prompt has, and no other."""

    text: str
    layer: str = "episode"
    confidence: float | None = None
    tick: int = 1
    at: int = 0
    source: str = "wiki"
    inherited: bool = False
    record: Any = None


def test_an_object_of_the_shape_of_a_memory_is_taken_and_handed_back() -> None:
    memory = Shape("The mast is of oak")
    for prompt in (build("Of what is the mast?", [memory]), assemble([memory_block([memory])])):
        (shown,) = block(prompt, "past_events").memories
        assert (shown.id, shown.text, shown.source) == ("", memory.text, "wiki")
        assert prompt.memories == (memory,)


def test_a_memory_made_for_a_prompt_is_shown_with_its_standing() -> None:
    memory = PromptMemory("The mast is of oak", "fact", id="f", standing="until 14 March 2026")
    prompt = assemble([memory_block([memory])])
    assert 'status="until 14 March 2026"' in prompt.text
    assert prompt.memories == (memory,)
