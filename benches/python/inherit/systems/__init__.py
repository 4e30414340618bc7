"""Systems of the benchmark, one file each: a life, a hand-over of so many tokens, and an heir that is asked.

To add a system, write a file with a class that has the methods of `System`, and a function `build(bench)` that returns
the file's systems. Then `python -m inherit hand-over --systems NAME` measures it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Literal, Protocol

from bardo.ports import Embedder
from inherit.lives import Life

#: Files of this folder, in the order of the table.
FILES = ("logs", "example", "mem0", "langgraph", "own")
#: Passages of an answer.
PASSAGES = 10

#: Queries by which a store without a hand-over of its own is asked for one. They name no domain.
ASKED = (
    "mistakes, failures and losses: what went wrong, and what must not be done again",
    "decisions that were made", "rules: always, never, must", "facts: what is what now, what has changed",
    "exact values: ids, numbers, addresses, names, keys, versions", "open questions: what is not known yet, what to do",
    "ideas that were tried, failed and were rejected", "how to choose: which option is better, and when",
)  # fmt: skip

Verdict = Literal["allow", "warn", "block"]


@dataclass(frozen=True)
class HandOver:
    """Content that crosses from an ancestor to its heir.

    Args:
        text: All that a reader of the hand-over reads; the benchmark counts its tokens and looks for secrets in it.
        file: File of a system with a format of its own, whose content `text` is.
    """

    text: str
    file: Path | None = None


class Heir(Protocol):
    """Agent that knows only a hand-over."""

    def answer(self, query: str) -> Sequence[str]:
        """Returns at most ten passages, best first."""

    def gate(self, action: str) -> Verdict:
        """Tells whether the system itself stops an action, or warns of it."""

    def close(self) -> None:
        """Releases files."""


class System(Protocol):
    """Memory that lives a life and hands it over."""

    name: str

    def live(self, life: Life) -> None:
        """Lives a life from its first event to its last; forgets the life before."""

    def hand_over(self, tokens: int) -> HandOver:
        """Makes the hand-over of a death at the end of the life; may be called once per limit."""

    def heir(self, handed: HandOver) -> Heir:
        """Starts an heir with a hand-over and nothing else."""

    def close(self) -> None:
        """Releases files."""


@dataclass(frozen=True)
class Bench:
    """Means that all systems share.

    Args:
        folder: Empty folder.
        embedder: Embedder, the same for all systems.
        lived: Folder in which a system may keep the memories of lives for a later run; None to keep none.
    """

    folder: Path
    embedder: Embedder
    lived: Path | None = None


def build(bench: Bench, files: Sequence[str] = FILES) -> list[System]:
    """Builds the systems of files; a file whose package is missing is named in the error."""
    return [
        system for name in files for system in importlib.import_module(f"inherit.systems.{name}").build(bench)
    ]


def asked(search: Callable[[str, int], Sequence[str]], tokens: int) -> str:
    """Returns the hand-over of a store that ranks by a query: the best lines of each of `ASKED` in turn, cut to length.

    Args:
        search: Search of the store: query, number of results.
        tokens: Limit of the hand-over.
    """
    # A line has five tokens at least; a third of that number from each query is enough to fill the limit.
    found = [search(query, tokens // 15) for query in ASKED]
    turns = [line for turn in zip_longest(*found) for line in turn if line is not None]
    return cut(list(dict.fromkeys(turns)), tokens)


def cut(lines: Sequence[str], tokens: int) -> str:
    """Returns the first lines that have no more than a number of tokens together."""
    from bardo._core import count_tokens_batch

    room, kept = tokens, []
    for line, cost in zip(lines, count_tokens_batch([f"{line}\n" for line in lines]), strict=True):
        if cost > room:
            break
        room -= cost
        kept.append(line)
    return "\n".join(kept)
