"""Recall for a process that does not own the log: from `facts.db`, LanceDB, the journal and the inbox.

The facts are in a hot set. The hits of LanceDB for a query enter it as transient rows, with the records and vectors of
the table, and are ranked and explained there as in the owner's process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bardo._core import FactStore, Found, Hit, HotSet
from bardo.errors import EmbeddingMismatchError, InvalidVectorError, StoreError
from bardo.index.archive.lance_index import LanceIndex
from bardo.index.archive.reports import IndexPosition, LanceHit
from bardo.model import Episode, Fact, Fingerprint, Source
from bardo.ports import Vectors
from bardo.recall.arrivals import ArrivalBatch, Arrivals
from bardo.recall.cold_tier import candidates, condition, reaches_episodes
from bardo.recall.filters import Filters, Layer

#: Maximum number of ids in a note on missing records.
_NAMED = 3


class SharedRecall:
    """Searches facts and LanceDB in one call, without any write. Thread-safe.

    Args:
        facts: Fact store, which any process may change meanwhile.
        open_archive: Callable that opens LanceDB as a reader; returns None where the owner has not made it yet.
        arrivals: Episodes not yet in LanceDB.
    """

    def __init__(
        self, facts: FactStore, open_archive: Callable[[], LanceIndex | None], arrivals: Arrivals
    ) -> None:
        self._facts = facts
        self._arrivals = arrivals
        self._open_archive = open_archive
        self._archive: LanceIndex | None = None
        self._hot = HotSet()
        self._model: Fingerprint | None = None
        self._lock = threading.RLock()

    def archive(self) -> LanceIndex | None:
        """The LanceDB index; None while there is none.

        Raises:
            StoreError: It cannot be opened.
        """
        with self._lock:
            if self._archive is None:
                self._archive = self._open_archive()
            return self._archive

    def model(self) -> Fingerprint | None:
        """Returns the model of the stored vectors; None without readable vectors."""
        if (known := self._facts.fingerprint) is not None:
            return known
        try:
            archive = self.archive()
            return None if archive is None else archive.fingerprint
        except StoreError:
            # A search reports the error.
            return None

    def waiting(self) -> dict[str, int | None]:
        """Counts the pending episodes in the journal and the inbox, and those visible to the owner alone."""
        arrived = self._arrivals.since(self.reach().seq)
        return {"journal": arrived.journaled, "inbox": arrived.dropped, "unseen": arrived.unseen}

    def reach(self) -> IndexPosition:
        """Returns the position of LanceDB; an empty one where it cannot be read."""
        try:
            archive = self.archive()
            return IndexPosition() if archive is None else archive.reach()
        except (StoreError, EmbeddingMismatchError):
            # A search reports the error.
            return IndexPosition()

    def search(self, text: str, vector: Vectors | None = None, **options: Any) -> SharedAnswer:
        """Searches as `_core.HotSet.search` does.

        Args:
            text: Query.
            vector: Vector of the query, of the model of the stored vectors.
            options: Options of `_core.HotSet.search`; records are read from any given stores.

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """
        filters: Filters | None = options.get("filters")
        as_of = None if filters is None else filters.as_of
        notes: list[str] = []
        # One at a time: the transient rows of one query must not be candidates of another.
        with self._lock:
            self._keep_in_step()
            near: dict[str, LanceHit] = {}
            episodes: dict[str, Episode] = {}
            if reaches_episodes(filters):
                near, reach = self._propose(text, vector, filters, notes)
                arrived = self._arrivals.since(reach)
                notes += _describe_arrivals(arrived)
                episodes = arrived.episodes | {id_: found.episode for id_, found in near.items()}
            try:
                self._hot.add_episodes(episodes.values())
                self._give_vectors(near)
                found = self._hot.search(text, vector, **options)
                # For an empty hot set the core notes that nothing was remembered, which may be wrong here.
                notes[:0] = found.notes if len(self._hot) else ["no facts are known yet"]
            finally:
                self._hot.remove(list(episodes))
            ids = found.facts()
            facts = dict(zip(ids, self._facts.get(ids, as_of=as_of), strict=True))
            if as_of is None:
                # Another process has deleted these facts.
                self._hot.remove([id_ for id_, fact in facts.items() if fact is None])
        return SharedAnswer(found, {**episodes, **facts}, notes)

    def close(self) -> None:
        """Closes LanceDB; the next use opens it again."""
        with self._lock:
            if self._archive is not None:
                self._archive.close()
            self._archive = None

    def _keep_in_step(self) -> None:
        """Synchronises the hot set with the facts; rebuilds it if the vectors are of another model."""
        if self._model != (model := self._facts.fingerprint):
            self._hot, self._model = HotSet(), model
        try:
            self._hot.sync_facts(self._facts)
        except InvalidVectorError:
            # The owner switched models during the synchronisation.
            self._hot, self._model = HotSet(), self._facts.fingerprint
            self._hot.sync_facts(self._facts)

    def _propose(
        self, text: str, vector: Vectors | None, filters: Filters | None, notes: list[str]
    ) -> tuple[dict[str, LanceHit], int]:
        """Searches LanceDB; returns the hits, and the number of its last arrival."""
        try:
            return self._search_archive(text, vector, filters, notes)
        except (StoreError, EmbeddingMismatchError):
            # The owner may have rebuilt the table, perhaps for another model, since it was opened.
            self.close()
        try:
            return self._search_archive(text, vector, filters, notes)
        except (StoreError, EmbeddingMismatchError) as error:
            notes.append(f"no episodes of LanceDB were searched: {error}")
            return {}, 0

    def _search_archive(
        self, text: str, vector: Vectors | None, filters: Filters | None, notes: list[str]
    ) -> tuple[dict[str, LanceHit], int]:
        archive = self.archive()
        reach = IndexPosition() if archive is None else archive.reach()
        if archive is None or not reach.seq:
            notes.append("no episodes of LanceDB were searched: it has none until the owner sleeps")
            return {}, 0
        if self._model is not None and not archive.fingerprint.is_same_model(self._model):
            raise EmbeddingMismatchError(
                f"LanceDB holds vectors of {archive.fingerprint.model}, the facts of {self._model.model}. "
                "Search again when the owner has gone over from one to the other"
            )
        where = condition(filters, reach.seq)
        found = candidates(archive, text, vector, where, vectors=vector is not None)
        notes.append(f"episodes up to arrival {reach.seq} were searched")
        return found, reach.seq

    def _give_vectors(self, near: Mapping[str, LanceHit]) -> None:
        given = {id_: found.vector for id_, found in near.items() if found.vector is not None}
        if given:
            self._hot.set_vectors(list(given), np.stack(list(given.values())))


def _describe_arrivals(arrived: ArrivalBatch) -> list[str]:
    """Makes the notes on episodes of a search that are not in LanceDB."""
    notes = []
    seen = [
        f"{count} {where}"
        for count, where in ((arrived.journaled, "of the owner's journal"), (arrived.dropped, "of the inbox"))
        if count
    ]
    if seen:
        notes.append(f"later episodes were searched by their words: {' and '.join(seen)}")
    if arrived.unseen:
        notes.append(f"{arrived.unseen} later episodes are seen by the owner alone until it sleeps")
    elif arrived.unseen is None:
        notes.append("what else came later is seen by the owner alone until it sleeps")
    if arrived.unread:
        notes.append(f"{arrived.unread} files of the inbox were not read: the owner takes them over")
    return notes


class SharedAnswer:
    """Hits of a hot set, with records from other stores (see `recollection.Answer`).

    A hit without a record is dropped with a note, as in the core.

    Args:
        found: Hits without records.
        records: Records by id; None for a deleted one.
        notes: Notes on limits of the result.
    """

    def __init__(self, found: Found, records: Mapping[str, Episode | Fact | None], notes: list[str]) -> None:
        self.searched, self.candidates = found.searched, found.candidates
        self._kept: list[tuple[Hit, Episode | Fact]] = []
        missing = []
        for hit in found.hits:
            record = records.get(hit.id)
            if record is None:
                missing.append(hit.id)
            else:
                self._kept.append((hit, record))
        self.notes = list(notes)
        if missing:
            self.notes.append(
                f"{len(missing)} memories are no longer in their store: {', '.join(missing[:_NAMED])}"
            )

    def __len__(self) -> int:
        return len(self._kept)

    def hit(self, place: int) -> Hit:
        """Returns a hit by its position from 0."""
        return self._kept[place][0]

    def corrections(self, place: int) -> list[tuple[str, int | None, bool]]:
        """Returns the corrections of a hit by its position from 0."""
        return self._kept[place][0].corrections

    def record(self, place: int) -> Episode | Fact:
        """Returns the record of a hit by its position from 0."""
        return self._kept[place][1]

    def outlines(self) -> list[tuple[str, str, Layer, float, float, int, int, Source, bool]]:
        """Visible fields of each hit."""
        return [
            (
                record.text, hit.id, hit.layer, hit.score, hit.confidence, hit.tick, hit.at, hit.source,
                record.generation > 0 if isinstance(record, Fact) else hit.source != "self",
            )
            for hit, record in self._kept
        ]  # fmt: skip

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""
        return [hit.id for hit, _ in self._kept if hit.layer == "fact"]
