"""Systems of the benchmark, one file each: a life, a hand-over of so many tokens, and an heir that is asked.

To add a system, write a file with a class that has the methods of `System`, and a function `build(bench)` that returns
the file's systems. Then `python -m inherit hand-over --systems NAME` measures it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bardo.ports import Embedder
from inherit.lives import Life

#: Files of this folder, in the order of the table.
FILES = ("logs", "mem0", "langgraph", "own")
#: Passages of an answer.
PASSAGES = 10


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

    def refuses(self, action: str) -> bool:
        """Whether the system itself stops an action, or warns of it."""

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
    """

    folder: Path
    embedder: Embedder


def build(bench: Bench, files: Sequence[str] = FILES) -> list[System]:
    """Builds the systems of files; a file whose package is missing is named in the error."""
    return [
        system for name in files for system in importlib.import_module(f"inherit.systems.{name}").build(bench)
    ]


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
