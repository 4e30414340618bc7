"""Memories of chats: messages with a pass of the Curator and a day after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import bardo
from bardo.consolidate.attributes import BUILT_IN
from bardo.consolidate.clause import Clause, Speech
from bardo.consolidate.languages import reader

START = 1_772_442_000_000_000
DAY = 86_400


@contextmanager
def lived(folder: Path, messages: Iterable[tuple[str, str]]) -> Iterator[bardo.Grimoire]:
    """An open memory after messages of users in one thread.

    Args:
        folder: Folder for the memory.
        messages: Speaker and text of each message.
    """
    clock = bardo.ManualClock(START)
    with bardo.open(folder / "chat", clock=clock, seed=1) as memory:
        for who, message in messages:
            memory.remember(message, role="user", kind="turn", speaker=who, thread="t")
            memory.sleep()
            clock.advance(DAY)
        yield memory


def statuses(memory: bardo.Grimoire) -> dict[str, str]:
    """Status of each fact by its text."""
    return {fact.text: fact.status for fact in memory.facts.list(status=None)}


def clauses_of(text: str, who: str = "Marta", at: int = START) -> list[Clause]:
    """Clauses of an English text.

    Args:
        text: The text.
        who: Name of its speaker.
        at: Instant of the text, microseconds UTC.
    """
    english = reader("english", BUILT_IN)
    assert english is not None
    return list(english.read(Speech(text, who, at)))
