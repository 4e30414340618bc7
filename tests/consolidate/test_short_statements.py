"""Short statements about projects and work become facts; requests, moods and small talk of the same length do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.chats import lived

STATEMENTS = (
    "The invoices are kept for ten years.",
    "The nightly export starts at 01:15 UTC.",
    "Our API docs live at https://docs.kestrel.example.",
    "Version 4.2 ships on 9 June.",
    "The load balancer is HAProxy 2.8.",
    "Yuki approves purchases over 500 euros.",
)
SMALL_TALK = (
    "I'm freezing.",
    "The tests are red again.",
    "Lunch was late today.",
    "Rename the button, please.",
    "I'll get a coffee first.",
    "That took ages.",
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    folder: Path = tmp_path_factory.mktemp("short")
    messages = [("Yuki Tan", text) for pair in zip(STATEMENTS, SMALL_TALK, strict=True) for text in pair]
    with lived(folder, messages) as memory:
        yield tuple(fact.text for fact in memory.facts.list(status=None))


@pytest.mark.parametrize("said", STATEMENTS)
def test_a_short_statement_of_work_becomes_a_fact(facts: tuple[str, ...], said: str) -> None:
    assert said.rstrip(".").removeprefix("Our ") in "\n".join(facts)


@pytest.mark.parametrize("said", SMALL_TALK)
def test_small_talk_of_the_same_length_does_not(facts: tuple[str, ...], said: str) -> None:
    words = said.rstrip(".").split()[-2:]
    assert " ".join(words) not in "\n".join(facts)
