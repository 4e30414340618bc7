"""Matches actions with texts: by words, and by meaning where there is a model.

The limits were chosen on pairs of something rejected and an action (the `dev` ones of `tests/conduct/actions.jsonl`)
with MiniLM's vectors; the tests hold the others to about the same figures.
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

#: From this cosine, or with so many words in common, an action touches what a text speaks of.
NEAR, NEAR_WORDS = 0.35, 2
#: From this cosine, with so much of the words, an action is what a text speaks of, if no word says otherwise.
SAME, SAME_SHARE = 0.88, 0.7


@dataclass(frozen=True, slots=True)
class Touch:
    """Match of an action with a text.

    Args:
        cosine: Of their vectors; None without a model.
        share: Part of the text's words of content that the action has, 0..1.
        words: How many these are.
        apart: Whether they mean something else there: other figures or names, an opposite, one word for another.
        reading: What the table of commands and words says of it.
    """

    cosine: float | None
    share: float
    words: int
    apart: bool
    reading: Reading = Reading.UNKNOWN

    @property
    def near(self) -> bool:
        """Whether it is about the same thing."""
        if self.reading is Reading.OTHER:
            return False
        if self.reading is not Reading.UNKNOWN:
            return True
        return self.words >= NEAR_WORDS or self.same or (self.cosine is not None and self.cosine >= NEAR)

    @property
    def same(self) -> bool:
        """Whether the action is what the text speaks of."""
        if self.reading not in (Reading.TOUCHES, Reading.UNKNOWN):
            return self.reading is Reading.SAME
        cosine = self.cosine if self.cosine is not None else 0.0
        return not self.apart and (self.share == 1.0 or (cosine >= SAME and self.share >= SAME_SHARE))

    @property
    def closeness(self) -> float:
        """For sorting: the nearest first."""
        return max(self.share, self.cosine or 0.0) + self.same


def touches(
    store: ConductStore, texts: Sequence[str], action: str, embedder: Embedder | None
) -> tuple[list[Touch], str]:
    """Matches an action with each text; note where meanings were not compared or vectors not kept.

    Args:
        store: Keeps the vectors of the texts.
        texts: What entries speak of.
        action: In words.
        embedder: Of the agent's model; None to compare words alone.
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
