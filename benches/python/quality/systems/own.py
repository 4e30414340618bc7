"""bardo itself, through its public face: remember, then recall."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bardo
from bardo.model import Episode
from bardo.ports import Embedder, ManualClock
from quality.data import Corpus, Question


class Bardo:
    """A grimoire per corpus.

    Args:
        embedder: The model, the same as every other system's.
        label: What is special about this configuration.
        config: Settings over the defaults.
    """

    def __init__(
        self, embedder: Embedder, *, label: str = "", config: Mapping[str, Any] | None = None
    ) -> None:
        self.name = f"bardo{' ' + label if label else ''}"
        self.version = bardo.__version__
        self._embedder = embedder
        self._config = config
        self._folder: Path | None = None

    def index(self, corpus: Corpus) -> None:
        self.close()
        self._folder = Path(tempfile.mkdtemp(prefix="bardo-quality-"))
        self._clock = ManualClock(max(turn.at for turn in corpus.turns))
        self._grimoire = bardo.open(
            self._folder / "agent", clock=self._clock, seed=1, embedder=self._embedder, config=self._config
        )
        episodes = [
            Episode(
                turn.text, kind="turn", role=turn.role, speaker=turn.speaker, at=turn.at, tick=turn.at // 1_000_000,
                thread=corpus.name, session=turn.session, payload={"turn": turn.id},
            )
            for turn in sorted(corpus.turns, key=lambda turn: turn.at)
        ]  # fmt: skip
        stored = self._grimoire.remember(episodes)
        self._turn = {episode.id: episode.payload["turn"] for episode in stored}

    def search(self, question: Question, limit: int) -> Sequence[str]:
        self._clock.set(max(question.at, self._clock.now()))
        return [self._turn[memory.id] for memory in self._grimoire.recall(question.text, limit=limit)]

    def close(self) -> None:
        if self._folder is not None:
            self._grimoire.close()
            shutil.rmtree(self._folder)
            self._folder = None


def late_off(embedder: Embedder) -> Bardo:
    """Without token vectors: long texts have a vector per sentence instead."""
    return Bardo(
        embedder, label="without late interaction", config={"embedding": {"late_interaction": False}}
    )


def ablations(embedder: Embedder) -> list[Bardo]:
    """bardo with one signal left out at a time."""
    left_out = {"dense": 0.0, "lexical": 0.0, "recency": 0.0, "late": 0.0, "rare": 0.0, "conversation": False}
    return [
        Bardo(embedder, label=f"less {name}", config={"recall": {"weights": {name: nothing}}})
        for name, nothing in left_out.items()
    ]
