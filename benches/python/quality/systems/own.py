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
from bardo.recall.filters import Layer
from quality.data import Corpus, Question

Factors = tuple[float, float, float, float]
#: The four factors of the score with their weights.
FACTORS = {"relevance": 0.40, "temporal": 0.20, "importance": 0.25, "emotional": 0.15}


class Bardo:
    """A grimoire per corpus.

    Args:
        embedder: The model, the same as every other system's.
        label: What is special about this configuration.
        config: Settings over the defaults.
        factors: Weights of the four factors of the score; the defaults if None.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        label: str = "",
        config: Mapping[str, Any] | None = None,
        factors: Factors | None = None,
    ) -> None:
        self.name = f"bardo{' ' + label if label else ''}"
        self.version = bardo.__version__
        self._embedder = embedder
        self._config = config
        self._factors = factors
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
        found = self._grimoire.recall(question.text, limit=limit, factors=self._factors)
        return [self._turn[memory.id] for memory in found]

    def close(self) -> None:
        if self._folder is not None:
            self._grimoire.close()
            shutil.rmtree(self._folder)
            self._folder = None


#: Begins the id of a place in a ranking that shows a turn again.
AGAIN = "again:"


class Assertion(Bardo):
    """A grimoire that has slept: what its rules found in the texts is known as facts, too.

    A fact counts as the turns that it stands on. A memory that shows a turn a second time takes a place and shows
    nothing.

    Args:
        embedder: The model.
        layers: What is recalled: `episode`, `fact` or both.
        label: What is special about this configuration.
    """

    def __init__(self, embedder: Embedder, *, layers: tuple[Layer, ...], label: str) -> None:
        super().__init__(embedder, label=label)
        self._layers = layers

    def index(self, corpus: Corpus) -> None:
        super().index(corpus)
        self._grimoire.sleep()

    def search(self, question: Question, limit: int) -> Sequence[str]:
        self._clock.set(max(question.at, self._clock.now()))
        found = self._grimoire.recall(question.text, limit=limit, layers=self._layers)
        turns: list[str] = []
        for memory in found:
            shown = memory.record.evidence if memory.layer == "fact" else (memory.id,)
            for episode in shown:
                turn = self._turn[episode]
                turns.append(f"{AGAIN}{len(turns)}" if turn in turns else turn)
        return turns[:limit]


def distilled(embedder: Embedder) -> list[Bardo]:
    """Episodes alone, facts alone, both: what consolidation of texts does to recall (issue SLOW MEMORY, point 8)."""
    return [
        Assertion(embedder, layers=("episode",), label="after a night, episodes alone"),
        Assertion(embedder, layers=("fact",), label="after a night, facts alone"),
        Assertion(embedder, layers=("episode", "fact"), label="after a night, both"),
    ]


def late_off(embedder: Embedder) -> Bardo:
    """Without token vectors: long texts have a vector per sentence instead."""
    return Bardo(
        embedder, label="without late interaction", config={"embedding": {"late_interaction": False}}
    )


def ablations(embedder: Embedder) -> list[Bardo]:
    """bardo with one signal, or one factor of the score, left out at a time."""
    left_out = {"dense": 0.0, "lexical": 0.0, "recency": 0.0, "late": 0.0, "rare": 0.0, "conversation": False}
    signals = [
        Bardo(embedder, label=f"less {name}", config={"recall": {"weights": {name: nothing}}})
        for name, nothing in left_out.items()
    ]
    zeroed = (tuple(0.0 if other == name else FACTORS[other] for other in FACTORS) for name in FACTORS)
    factors = [
        Bardo(embedder, label=f"less the {name} factor", factors=(relevance, temporal, importance, emotional))
        for name, (relevance, temporal, importance, emotional) in zip(FACTORS, zeroed, strict=True)
    ]
    return signals + factors
