"""A fresh memory per case, with a clock that the case moves."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bardo
from bardo.errors import BardoWarning
from bardo.model import DISPUTED

#: One day in microseconds.
DAY = 86_400_000_000
#: First instant of a memory, microseconds UTC.
START = 1_760_000_000_000_000


@contextmanager
def fresh(
    config: dict[str, Any] | None = None, start: int = START
) -> Iterator[tuple[bardo.Grimoire, bardo.ManualClock]]:
    """Opens an empty memory in a temporary folder, at an instant in microseconds UTC."""
    clock = bardo.ManualClock(start)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", BardoWarning)
        with bardo.open(Path(folder) / "agent", clock=clock, seed=1, config=config) as memory:
            yield memory, clock


def disputed(memory: bardo.Grimoire, fact: bardo.Fact) -> bool:
    """Whether a fact is linked as contradicting another or corrected by an episode, or lowered."""
    links = memory.facts.links(fact)
    return fact.status == "contradicted" or any(
        link.relation == "contradicts"
        or (link.relation == "corrects" and link.dst == fact.id and link.weight >= DISPUTED)
        for link in links
    )


def load(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Reads the cases of JSON Lines files."""
    return [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]


def holds(text: str, words: list[str]) -> bool:
    """Whether a text holds every one of some literal words, in any case."""
    return all(word.casefold() in text.casefold() for word in words)
