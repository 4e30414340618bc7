"""Texts, vectors and questions to measure with: made up, or turns of conversations and what a model makes of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bardo.model import Fingerprint
from bardo.ports import Embedder

DIMS = 384
SEED = 7
#: Words of a made-up text and of a question.
WORDS, ASKED = 18, 9
#: Words of a question that come from the text it is after; the others are drawn like any.
FROM_TARGET = 6
VOCABULARY = 30_000
#: Vectors of one cluster, and how far they lie from its middle, in lengths of the middle.
CLUSTER, SPREAD = 100, 0.8
#: How far a question's vector lies from the one that it is after.
NOISE = 0.5


@dataclass(frozen=True, slots=True)
class World:
    """Stored texts and questions.

    Args:
        texts: All different.
        vectors: Float32 (texts, dims), each of length 1.
        questions: Texts of the questions.
        question_vectors: Float32 (questions, dims), each of length 1.
        origin: Where they come from, in words.
        is_real: Whether they come from real conversations.
    """

    texts: list[str]
    vectors: np.ndarray
    questions: list[str]
    question_vectors: np.ndarray
    origin: str
    is_real: bool = False


class Known:
    """Looks vectors up, so that no model time counts. Unknown texts get a random vector."""

    def __init__(self, world: World) -> None:
        dims = world.vectors.shape[1]
        self.fingerprint = Fingerprint("known", "1", "none", dims)
        # As they are returned, so that looking one up costs next to nothing: embedding is not what is measured.
        self._rows = dict(zip(world.texts, world.vectors[:, np.newaxis], strict=True))
        self._rows.update(zip(world.questions, world.question_vectors[:, np.newaxis], strict=True))

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        if len(texts) == 1 and texts[0] in self._rows:
            return self._rows[texts[0]]
        return np.concatenate(
            [self._rows[text] if text in self._rows else self._drawn(text) for text in texts]
        )

    embed_queries = embed_documents

    def learn(self, text: str, like: str) -> None:
        """Gives a new text the vector of a known one."""
        self._rows[text] = self._rows[like]

    def _drawn(self, text: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        return unit(np.random.default_rng(seed).standard_normal((1, self.fingerprint.dims), np.float32))


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors scaled to length 1."""
    return np.ascontiguousarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def vocabulary(chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Made-up words and how likely each is: Zipf's law with a flattened head, as in prose without stop words."""
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    lengths = chance.integers(3, 10, VOCABULARY)
    drawn = chance.choice(letters, int(lengths.sum()))
    ends = np.cumsum(lengths)
    words = [
        "".join(drawn[end - length : end]) + str(place % 10)
        for place, (end, length) in enumerate(zip(ends, lengths, strict=True))
    ]
    weights = 1.0 / (np.arange(VOCABULARY) + 20.0)
    return np.array(words), weights / weights.sum()


def made(count: int, questions: int, *, seed: int = SEED) -> World:
    """A world of made-up texts and of vectors in clusters."""
    chance = np.random.default_rng(seed)
    words, weights = vocabulary(chance)
    drawn = words[chance.choice(len(words), (count, WORDS), p=weights)]
    texts = [f"{' '.join(row)} n{place}" for place, row in enumerate(drawn)]
    middles = unit(chance.standard_normal((max(1, count // CLUSTER), DIMS), np.float32))
    around = chance.standard_normal((count, DIMS), np.float32) * np.float32(SPREAD / np.sqrt(DIMS))
    vectors = unit(middles[chance.integers(0, len(middles), count)] + around)
    targets = chance.integers(0, count, questions)
    asked = [
        " ".join(
            [
                *chance.choice(drawn[target], FROM_TARGET, replace=False),
                *words[chance.choice(len(words), ASKED - FROM_TARGET, p=weights)],
            ]
        )
        for target in targets
    ]
    near = chance.standard_normal((questions, DIMS), np.float32) * np.float32(NOISE / np.sqrt(DIMS))
    origin = f"made-up texts of {WORDS} words (Zipf, {VOCABULARY} words), clustered vectors"
    return World(texts, vectors, asked, unit(vectors[targets] + near), origin)


def real(count: int, questions: int, turns: Sequence[str], model: Embedder, *, seed: int = SEED) -> World:
    """A world of turns of conversations and their vectors; questions are turns that are held out, cut to nine words.

    Args:
        count: Texts; more than there are come again with a number and a little noise on the vector.
        questions: Held out at random.
        turns: All different, and more than questions; so many of them as are needed, drawn at random.
        model: Embeds them.
    """
    chance = np.random.default_rng(seed)
    texts = [turns[place] for place in chance.permutation(len(turns))[: questions + count]]
    vectors = model.embed_documents(texts)
    held, kept = np.split(np.arange(len(texts)), [questions])
    rows = kept[np.arange(count) % len(kept)]
    again = np.arange(count) // len(kept)
    noise = chance.standard_normal((count, vectors.shape[1]), np.float32) * np.float32(0.05)
    stored = unit(vectors[rows] + noise * (again > 0)[:, None])
    named = [f"{texts[row]} n{place}" for place, row in enumerate(rows)]
    # Words alone: tantivy and FTS5 take other signs for operators.
    asked = [" ".join(re.findall(r"[^\W_]+", texts[row])[:ASKED]) or "nothing" for row in held]
    origin = (
        f"turns of LoCoMo and LongMemEval-S ({len(kept)} different) with their vectors, questions held out"
    )
    return World(named, stored, asked, unit(vectors[held]), origin, is_real=True)
