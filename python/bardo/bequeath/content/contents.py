"""Reads the whole fact store of a dying agent for its testament."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bardo.bequeath.content.questions import Question, open_questions
from bardo.bequeath.content.tables import LinkTuple
from bardo.model import Fact
from bardo.ports import Vectors

if TYPE_CHECKING:
    from bardo._core import FactStore

#: Metadata key for the mode of a fact. Threads are not passed on, since they are runs of one life.
MODES = "modes"
#: Facts per call into the store.
_PAGE = 1_024


@dataclass(frozen=True, slots=True)
class StoreContents:
    """Content of a fact store, for `selection.Estate` and `reflect.Evidence`, in one order.

    Args:
        facts: All facts, of every status, with the mode, if any, in the metadata.
        confidences: Decayed confidence at the tick of death, one per fact.
        vectors: Float32 of shape (len(facts), dims), a row of NaN for a fact without one; None if none has one.
        links: All links among the facts.
        questions: All open questions.
    """

    facts: tuple[Fact, ...]
    confidences: tuple[float, ...]
    vectors: Vectors | None
    links: tuple[LinkTuple, ...]
    questions: tuple[Question, ...] = ()


def read_contents(store: FactStore, *, tick: int) -> StoreContents:
    """Reads the whole content of a store.

    Args:
        store: Fact store of the testator.
        tick: Tick of death.

    Raises:
        StoreError: The store cannot be read.
    """
    facts: list[Fact] = []
    confidences: list[float] = []
    rows: list[Vectors | None] = []
    links: set[LinkTuple] = set()
    after: str | None = None
    while page := store.list(status=None, after=after, limit=_PAGE):
        after = page[-1].id
        ids = [fact.id for fact in page]
        modes = [mode for _, mode in store.scopes(ids)]
        facts += [
            replace(fact, metadata={**fact.metadata, MODES: [mode]}) if mode else fact
            for fact, mode in zip(page, modes, strict=True)
        ]
        # The core uses single precision: a rounding error must not push a confidence out of 0..1.
        confidences += [min(max(sure or 0.0, 0.0), 1.0) for sure in store.confidence_now(ids, tick=tick)]
        rows += store.vectors(ids)
        links.update(store.links(ids))
    fingerprint = store.fingerprint
    vectors: Vectors | None = None
    if fingerprint is not None and any(row is not None for row in rows):
        absent = np.full(fingerprint.dims, np.nan, np.float32)
        vectors = np.stack([absent if row is None else row for row in rows])
    return StoreContents(
        tuple(facts),
        tuple(confidences),
        vectors,
        tuple(sorted(links)),
        open_questions(store),
    )
