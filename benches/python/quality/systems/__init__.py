"""One adapter per system that is compared; each is set up with its documented best offline settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quality.data import Corpus, Question


class System(Protocol):
    """Something that stores the turns of a corpus and ranks them for a question."""

    name: str
    version: str

    def index(self, corpus: Corpus) -> None:
        """Stores a corpus, forgetting the one before."""
        ...

    def search(self, question: Question, limit: int) -> Sequence[str]:
        """Ids of turns, best first, at most `limit`."""
        ...

    def close(self) -> None:
        """Frees what it holds, files too; `index` may be called again."""
        ...


def spoken(speaker: str | None, text: str) -> str:
    """A turn as every system is given it: without the speaker's name all of them find far less."""
    return f"{speaker}: {text}" if speaker else text
