"""Matches actions with texts by words, and by embeddings if there is a model.

The thresholds were chosen on pairs of a rejection and an action (the `dev` pairs of `tests/conduct/actions.jsonl`) with
MiniLM's vectors; the tests require about the same figures on the other pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bardo import _core
from bardo.conduct import operations
from bardo.conduct.operations import Reading
from bardo.conduct.store import ConductStore
from bardo.errors import EmbedderUnavailableError, InvalidVectorError, StoreBusyError, StoreUnavailableError
from bardo.ports import Embedder

#: Minimum cosine, or minimum number of common words, of an action related to a text.
NEAR, NEAR_WORDS = 0.35, 2
#: Minimum cosine, and minimum share of common words, of an action that equals a text, if no word contradicts.
SAME, SAME_SHARE = 0.88, 0.7


@dataclass(frozen=True, slots=True)
class Touch:
    """Match of an action with a text.

    Args:
        cosine: Cosine of the vectors; None without a model.
        share: Share of the text's content words that the action has, 0..1.
        words: Number of these words.
        apart: Whether the common words have another meaning in the action: other numbers or names, an opposite, a
            contrast.
        reading: Relation according to the table of commands and words.
    """

    cosine: float | None
    share: float
    words: int
    apart: bool
    reading: Reading = Reading.UNKNOWN

    @property
    def near(self) -> bool:
        """Whether the action is related to the text."""
        if self.reading is Reading.OTHER:
            return False
        if self.reading is not Reading.UNKNOWN:
            return True
        return self.words >= NEAR_WORDS or self.same or (self.cosine is not None and self.cosine >= NEAR)

    @property
    def same(self) -> bool:
        """Whether the action equals the action of the text."""
        if self.reading not in (Reading.TOUCHES, Reading.UNKNOWN):
            return self.reading is Reading.SAME
        cosine = self.cosine if self.cosine is not None else 0.0
        return not self.apart and (self.share == 1.0 or (cosine >= SAME and self.share >= SAME_SHARE))

    @property
    def closeness(self) -> float:
        """Sort key: the nearest first."""
        return max(self.share, self.cosine or 0.0) + self.same


def touches(
    store: ConductStore, texts: Sequence[str], action: str, embedder: Embedder | None
) -> tuple[list[Touch], str]:
    """Matches an action with each text; the note says if embeddings were not compared or not stored.

    Args:
        store: Store for the vectors of the texts.
        texts: Texts of entries and rules.
        action: Action in words.
        embedder: Embedder of the agent's model; None to compare words alone.
    """
    if not texts:
        return [], ""
    cosines, why_not = _cosines(store, texts, action, embedder)
    rulings = operations.rulings(texts)
    words = _core.touches([ruling.text for ruling in rulings], action)
    done = operations.action(action)
    return [
        Touch(cosine, *found, operations.compare(ruling, done))
        for cosine, found, ruling in zip(cosines, words, rulings, strict=True)
    ], why_not


def _cosines(
    store: ConductStore, texts: Sequence[str], action: str, embedder: Embedder | None
) -> tuple[list[float | None], str]:
    unknown: list[float | None] = [None] * len(texts)
    if embedder is None:
        return unknown, ""
    unkept = ""
    try:
        identity = embedder.fingerprint
        model = f"{identity.model} {identity.version} {identity.preprocessing} {identity.dims}"
        known = store.vectors(texts, model)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            new = dict(zip(missing, embedder.embed_documents(missing), strict=True))
            known |= new
            try:
                store.put_vectors(new, model)
            except (StoreUnavailableError, StoreBusyError) as error:
                unkept = f"vectors of {len(new)} texts are made again the next time: {error}"
        asked = embedder.embed_queries([action])[0]
    except (EmbedderUnavailableError, InvalidVectorError) as error:
        return unknown, f"only words were compared, no meanings: {error}"
    return [float(known[text] @ asked) for text in texts], unkept
