"""A heard entry has the words that were said, without calls of tools, their date, and who said them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bardo
from bardo.capture.tool_calls import words_beside
from bardo.ports import Embedder, ManualClock

SAID_AT, HEARD_AT = 1_700_000_000_000_000, 1_702_000_000_000_000
CALL = {
    "id": "1",
    "type": "function",
    "function": {"name": "Bash", "arguments": '{"command": "typst compile a"}'},
}
USES = [
    {"type": "tool_use", "id": "2", "name": "Read", "input": {"path": "a.py"}},
    {"type": "tool_use", "id": "3", "name": "Bash", "input": {"command": "pip install weasyprint"}},
]


def heard(home: Path, model: Embedder, *messages: dict[str, Any]) -> tuple[list[Any], list[Any], str]:
    """The entries and rules of a gate after a pass over messages, and the text of the recovery."""
    clock = ManualClock(SAID_AT)
    with bardo.open(home, agent="trader", embedder=model, clock=clock) as grimoire:
        grimoire.remember(list(messages), thread="t")
        clock.set(HEARD_AT)
        grimoire.sleep()
        text = str(grimoire.recover())
    with bardo.gate(home, words_only=True) as gate:
        return gate.state(), gate.rules(), text


@pytest.mark.parametrize(
    "message",
    [
        {"content": "We decided to go with Typst for the invoices", "tool_calls": [CALL]},
        {"content": [{"type": "text", "text": "We decided to go with Typst for the invoices"}, *USES]},
        {
            "content": [
                *USES[:1],
                {"type": "text", "text": "We decided to go with Typst for the invoices"},
                *USES[1:],
            ]
        },
    ],
)
def test_an_entry_has_no_call_of_a_tool(tmp_path: Path, minilm: Embedder, message: dict[str, Any]) -> None:
    entries, _, _ = heard(
        tmp_path,
        minilm,
        {"role": "user", "content": "How do we render invoices?"},
        {"role": "assistant", **message},
    )
    assert [entry.summary for entry in entries] == ["We decided to go with Typst for the invoices"]


def test_words_that_look_like_a_call_stay() -> None:
    assert words_beside("Called Bash(ls) yesterday", {"tool_calls": [CALL]}) == "Called Bash(ls) yesterday"
    assert words_beside("Called Bash(ls)", None) == "Called Bash(ls)"


def test_an_entry_says_whether_the_user_or_the_agent_said_it(tmp_path: Path, minilm: Embedder) -> None:
    entries, rules, text = heard(
        tmp_path,
        minilm,
        {"role": "user", "content": "We decided to use Postgres for the ledger."},
        {"role": "assistant", "content": "We decided to go with Typst for the invoices"},
        {"role": "user", "content": "Always put type hints on public functions."},
    )
    assert {entry.by for entry in entries if "Postgres" in entry.summary} == {"the user"}
    assert {entry.by for entry in entries if "Typst" in entry.summary} == {"trader"}
    assert [rule.by for rule in rules] == ["the user"]
    assert 'source="self"' not in text


def test_a_heard_rule_has_the_date_of_its_words_in_every_prompt(tmp_path: Path, minilm: Embedder) -> None:
    _, (rule,), text = heard(
        tmp_path, minilm, {"role": "user", "content": "Always put type hints on public functions."}
    )
    assert rule.at == SAID_AT < rule.confirmed_at
    with bardo.gate(tmp_path, words_only=True) as gate:
        texts = (text, gate.briefing(), gate.briefing(boot=True))
    assert all('date="2023-11-14' in each and 'date="2023-12' not in each for each in texts)
