"""The plain arms that a hybrid has to beat: words alone, vectors alone, their textbook fusion, and chance."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Sequence

import numpy as np

from bardo.ports import Embedder
from quality.data import Corpus, Question
from quality.systems import spoken

#: Length of the lists that reciprocal rank fusion merges, and its constant (Cormack et al. 2009).
RRF_DEPTH = 100
RRF_K = 60
#: The stop list of SQLite's users is their own; this is NLTK's English list of function words, question words included.
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can did do does doing don down during each few for from further had has have
    having he her here hers him his how i if in into is it its just me more most my no nor not now of
    off on once only or other our out over own s same she should so some such t than that the their them
    then there these they this those through to too under until up very was we were what when where
    which while who whom why will with you your
    """.split()  # noqa: SIM905 - read as a text
)


class Fts5:
    """SQLite FTS5 with the Porter stemmer; the query is an OR of its words.

    Args:
        stop_words: Whether function words are left out of the query.
    """

    def __init__(self, *, stop_words: bool) -> None:
        self.name = "SQLite FTS5, stop words" if stop_words else "SQLite FTS5"
        self.version = sqlite3.sqlite_version
        self._stop = STOP_WORDS if stop_words else frozenset()

    def index(self, corpus: Corpus) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "create virtual table turns using fts5(id unindexed, text, tokenize='porter unicode61')"
        )
        self._database.executemany(
            "insert into turns values (?, ?)",
            [(turn.id, spoken(turn.speaker, turn.text)) for turn in corpus.turns],
        )

    def search(self, question: Question, limit: int) -> Sequence[str]:
        words = re.findall(r"\w+", question.text.lower())
        kept = [word for word in words if word not in self._stop] or words
        query = " OR ".join(f'"{word}"' for word in kept)
        rows = self._database.execute(
            "select id from turns where turns match ? order by rank limit ?", (query, limit)
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        self._database.close()


class Dense:
    """Exact cosine over whole turns."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = "vectors alone"
        self.version = embedder.fingerprint.model
        self._embedder = embedder

    def index(self, corpus: Corpus) -> None:
        self._ids = [turn.id for turn in corpus.turns]
        self._vectors = self._embedder.embed_documents(
            [spoken(turn.speaker, turn.text) for turn in corpus.turns]
        )

    def search(self, question: Question, limit: int) -> Sequence[str]:
        scores = self._vectors @ self._embedder.embed_queries([question.text])[0]
        return [self._ids[row] for row in np.argsort(-scores, kind="stable")[:limit]]

    def close(self) -> None:
        self._ids = []


class Rrf:
    """Textbook reciprocal rank fusion of the two."""

    def __init__(self, words: Fts5, dense: Dense) -> None:
        self.name = f"RRF({RRF_K}) of the two, lists of {RRF_DEPTH}"
        self.version = f"{words.version} + {dense.version}"
        self._arms = (words, dense)

    def index(self, corpus: Corpus) -> None:
        for arm in self._arms:
            arm.index(corpus)

    def search(self, question: Question, limit: int) -> Sequence[str]:
        scores: dict[str, float] = {}
        for arm in self._arms:
            for rank, turn in enumerate(arm.search(question, RRF_DEPTH), 1):
                scores[turn] = scores.get(turn, 0.0) + 1 / (RRF_K + rank)
        return sorted(scores, key=lambda turn: (-scores[turn], turn))[:limit]

    def close(self) -> None:
        for arm in self._arms:
            arm.close()


class Placebo:
    """Turns at random: what a metric says when nothing is found on purpose."""

    name = "random placebo"
    version = "seed 0"

    def index(self, corpus: Corpus) -> None:
        self._ids = [turn.id for turn in corpus.turns]
        self._random = random.Random(0)

    def search(self, question: Question, limit: int) -> Sequence[str]:
        return self._random.sample(self._ids, min(limit, len(self._ids)))

    def close(self) -> None:
        self._ids = []
