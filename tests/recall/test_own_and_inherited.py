"""Own memories beside inherited ones: at like relevance the own comes first, and never one that does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import bardo

#: 9 October 2025.
START = 1_760_000_000_000_000
HOUR = 3_600
INHERITED = (
    "Imkerei Sauer has the customer number K-40871.",
    "Our VAT number for the invoices is DE318204467.",
    "Retries of the honeypay webhook are limited to 3.",
)
NOTES = ("rate: did not hold", "contact: nobody there", "invoice: accepted", "dev port: answered")


@pytest.fixture
def heir(tmp_path: Path):
    clock = bardo.ManualClock(START)
    with bardo.open(tmp_path / "parent", clock=clock, seed=1) as parent:
        for text in INHERITED:
            clock.advance(HOUR)
            parent.remember(text, role="user", kind="turn", speaker="Greta")
        parent.bequeath(tmp_path / "parent.testament", cause="stochastic")
    with bardo.inherit(tmp_path / "parent.testament", tmp_path / "heir", clock=clock) as opened:
        for count in range(12):
            clock.advance(3 * HOUR)
            used = opened.recall(INHERITED[count % 3], limit=1)
            opened.outcome(used, value=(-1.0, 0.5)[count % 2], note=f"{NOTES[count % 4]}, try {count // 4}")
        opened.sleep()
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the customer number of Imkerei Sauer?", "K-40871"),
        ("What is our VAT number?", "DE318204467"),
        ("How many retries does the honeypay webhook get?", "limited to 3"),
    ],
)
def test_notes_of_outcomes_do_not_precede_an_inherited_answer(
    heir: bardo.Grimoire, question: str, answer: str
) -> None:
    assert answer in heir.recall(question, limit=3)[0].text


def test_of_two_answers_the_own_one_comes_first(heir: bardo.Grimoire) -> None:
    heir.remember("Imkerei Sauer has the customer number K-40871.", role="user", kind="turn", speaker="Ines")
    assert not heir.recall("What is the customer number of Imkerei Sauer?", limit=3)[0].inherited
