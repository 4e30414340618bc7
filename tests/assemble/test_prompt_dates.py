"""Dates of facts in prompts; with the real parser and stores."""

from __future__ import annotations

from pathlib import Path

import bardo

START = 1_760_000_000_000_000
DAY = 86_400


def test_a_prompt_dates_a_fact_by_the_words_and_not_by_the_pass(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        memory.remember("My blood group is O negative.", role="user", kind="turn", speaker="Nadia")
        clock.advance(200 * DAY)
        memory.sleep()
        prompt = memory.context("What is the blood group?", dossier=False, layers=("fact",))
        facts = [each for block in prompt.blocks for each in block.memories if each.layer == "fact"]
        assert [(each.at, each.tick, each.recalled.at) for each in facts] == [
            (START, START // 1_000_000, clock.now())
        ]
        assert f'tick="{START // 1_000_000}"' not in prompt.text


def test_a_prompt_of_an_heir_dates_a_rule_by_the_words_and_not_by_the_pass(tmp_path: Path) -> None:
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "nadia", clock=clock, seed=1) as memory:
        memory.remember("Never send invoices on a Friday.", role="user", kind="turn", speaker="Nadia")
        clock.advance(6 * 3_600)
        memory.sleep()
        clock.advance(DAY)
        memory.bequeath(tmp_path / "nadia.testament")
    clock.advance(DAY)
    with bardo.inherit(tmp_path / "nadia.testament", tmp_path / "heir", clock=clock, seed=1) as heir:
        blocks = heir.context("Send the invoices").blocks
        told = [each for block in blocks if block.name == "conduct" for each in block.memories]
        assert [(each.text, each.at) for each in told] == [
            ("rule (r1): Never send invoices on a Friday.", START)
        ]
