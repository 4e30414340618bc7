"""Earlier facts with which a learned sentence is compared."""

from __future__ import annotations

from dataclasses import replace

import bardo
from bardo.consolidate.corrections.candidates import AT_MOST, Candidates


def stored(number: int, text: str) -> bardo.Fact:
    return replace(bardo.Fact(text), id=f"{number:04}", created_at=1_760_000_000_000_000)


def test_candidates_come_before_a_fact_and_share_its_rarest_words() -> None:
    facts = [stored(number, f"The pump of site {number} leaks above 5 bar") for number in range(500)]
    facts += [stored(500, "The pump of Quenby leaks above 5 bar")]
    facts += [stored(600, "The pump of Quenby leaks above 7 bar"), stored(700, "Quenby is closed")]
    found = Candidates(facts).before(facts[-2])
    assert found[0] == "0500"
    assert len(found) == AT_MOST
    assert "0700" not in found


def test_a_fact_that_shares_no_word_has_no_candidates() -> None:
    facts = [stored(1, "The pump leaks"), stored(2, "Ada prefers tea")]
    assert Candidates(facts).before(facts[1]) == []
