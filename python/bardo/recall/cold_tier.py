"""Recall of episodes beyond the hot limit: candidates from LanceDB, ranked in the hot set.

The candidates of LanceDB for a query enter the hot set as transient rows, together with the turns beside them. They
are ranked and explained there with all other memories, by the same arms and scores, and evicted afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from bardo._core import EpisodeLog, Found, HotSet, modes_with
from bardo.clock import EPOCH
from bardo.errors import StoreError
from bardo.ports import Vectors
from bardo.recall.filters import Filters

if TYPE_CHECKING:
    from bardo.index.archive.lance_index import LanceIndex
    from bardo.index.archive.reports import LanceHit

Row = TypeVar("Row")

#: Number of candidates of each of LanceDB's two searches, as many as of an arm of the hot set.
DEPTH = 100
#: Maximum length of a query for LanceDB's word search, in characters.
_QUERY_CHARACTERS = 4_096
_OLDEST, _LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)


class TieredIndex:
    """Searches the hot set and LanceDB in one call, or the hot set alone if it holds all episodes.

    Args:
        hot: In-memory index.
        log: Episode log, with vectors.
        open_archive: Callable that opens the LanceDB index.
        hosting: Lock, held while a search has transient rows in the hot set.
    """

    def __init__(
        self,
        hot: HotSet,
        log: EpisodeLog,
        open_archive: Callable[[], LanceIndex],
        hosting: AbstractContextManager[object],
    ) -> None:
        self._hot = hot
        self._log = log
        self._open_archive = open_archive
        self._hosting = hosting

    def search(self, text: str, vector: Vectors | None = None, **options: Any) -> Found:
        """Searches as `_core.HotSet.search` does.

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """
        filters: Filters | None = options.get("filters")
        if not reaches_episodes(filters):
            return self._hot.search(text, vector, **options)
        while True:
            cold_upto = self._hot.cold_upto
            if cold_upto:
                found, is_whole = self._search_with_archive(text, vector, options, cold_upto)
            else:
                found, is_whole = self._hot.search(text, vector, **options), True
            # An episode that became cold meanwhile may have been missed by both searches.
            if is_whole and self._hot.cold_upto == cold_upto:
                return found

    def _search_with_archive(
        self, text: str, vector: Vectors | None, options: Mapping[str, Any], cold_upto: int
    ) -> tuple[Found, bool]:
        """Searches with LanceDB's candidates; also returns whether all stayed to the end, as a reload removes them."""
        notes: list[str] = []
        ids = self._propose(text, vector, options.get("filters"), cold_upto, notes)
        # One at a time: the transient rows of one query must not be candidates of another.
        with self._hosting:
            rows = self._hot.admit(ids)
            try:
                found = self._hot.search(text, vector, **options)
            finally:
                stayed = self._hot.evict(rows)
        return found.with_notes(notes), stayed

    def neighbours(self, ids: Sequence[str], count: int) -> list[tuple[list[str], list[str]]]:
        """Finds the turns beside episodes, as `HotSet.neighbours` does."""
        return (self._log if self._hot.cold_upto else self._hot).neighbours(ids, count)

    def posture(self, thread: str) -> str | None:
        """Returns the mode of a thread, as `HotSet.posture` does."""
        mode = self._hot.posture(thread)
        return self._log.posture(thread) if mode is None and self._hot.cold_upto else mode

    def has_begun(self, session: str) -> bool:
        """Whether a session has begun, as `HotSet.has_begun`; True where LanceDB fails, so as not to filter wrongly."""
        is_here, cold_upto = self._hot.has_begun(session), self._hot.cold_upto
        if is_here or not cold_upto:
            return is_here
        try:
            return self._open_archive().holds(condition(Filters(session=session), cold_upto))
        except StoreError:
            return True

    def _propose(
        self, text: str, vector: Vectors | None, filters: Filters | None, cold_upto: int, notes: list[str]
    ) -> list[str]:
        where = condition(filters, cold_upto)
        try:
            found = _candidate_ids(self._open_archive(), text, vector, where)
        except StoreError as error:
            notes.append(
                f"episodes up to arrival {cold_upto} are in LanceDB alone and were not searched: {error}"
            )
            return []
        notes.append(
            f"{len(found)} candidates among the episodes up to arrival {cold_upto} came from LanceDB"
        )
        return found


def _candidate_ids(archive: LanceIndex, text: str, vector: Vectors | None, where: str) -> list[str]:
    """Returns the ids of `candidates` alone."""
    found = _search_both(
        text,
        vector,
        lambda near: archive.nearest_ids(near, DEPTH, where=where),
        lambda words: archive.matching_ids(words, DEPTH, where=where),
    )
    return list(dict.fromkeys(found))


def candidates(
    archive: LanceIndex, text: str, vector: Vectors | None, where: str, *, vectors: bool = False
) -> dict[str, LanceHit]:
    """Runs LanceDB's two searches for a query; returns hits by id, the nearest first.

    Args:
        archive: LanceDB index.
        text: Query.
        vector: Vector of the query; None searches by words alone.
        where: SQL condition from `condition`.
        vectors: Whether hits include their vectors.

    Raises:
        StoreError: The index cannot be read.
    """
    found = _search_both(
        text,
        vector,
        lambda near: archive.search_vector(near, DEPTH, where=where, vectors=vectors),
        lambda words: archive.search_text(words, DEPTH, where=where, vectors=vectors),
    )
    return {one.episode.id: one for one in found}


def _search_both(
    text: str,
    vector: Vectors | None,
    by_vector: Callable[[Vectors], list[Row]],
    by_words: Callable[[str], list[Row]],
) -> list[Row]:
    """Runs the vector search, if there is a vector, and then the word search, if there are words."""
    query = text[:_QUERY_CHARACTERS]
    return [
        *([] if vector is None else by_vector(vector)),
        *(by_words(query) if query.strip() else []),
    ]


def reaches_episodes(filters: Filters | None) -> bool:
    """Whether the filters allow episodes; facts are always in the hot set."""
    return filters is None or ("episode" in (filters.layers or ("episode",)) and filters.category is None)


def condition(filters: Filters | None, cold_upto: int) -> str:
    """Makes the SQL condition for LanceDB: episodes outside the hot set that meet the filters on columns."""
    parts = [f"seq <= {cold_upto}"]
    if filters is not None:
        parts += [
            f"{column} IN ({', '.join(map(_quoted, wanted))})"
            for column, wanted in (("kind", filters.kinds), ("role", filters.roles))
            if wanted
        ]
        parts += [
            f"{column} = {_quoted(wanted)}"
            for column, wanted in (("thread", filters.thread), ("session", filters.session))
            if wanted is not None
        ]
        if filters.without_roles:
            parts.append(f"role NOT IN ({', '.join(map(_quoted, filters.without_roles))})")
        if filters.mode is not None:
            modes = ", ".join(map(_quoted, modes_with(filters.mode)))
            parts.append(f"(mode IS NULL OR mode IN ({modes}))")
        if filters.subjects:
            wanted = " OR ".join(f"array_has(subjects, {_quoted(subject)})" for subject in filters.subjects)
            parts.append(f"({wanted})")
        if filters.since is not None:
            parts.append(f"at >= {_instant(filters.since)}")
        if filters.until is not None:
            parts.append(f"at <= {_instant(filters.until)}")
        if filters.as_of is not None:
            parts.append(f"tick <= {filters.as_of}")
    return " AND ".join(parts)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _instant(micros: int) -> str:
    try:
        at = EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        at = _OLDEST if micros < 0 else _LATEST
    return f"timestamp '{at.replace(tzinfo=None).isoformat(sep=' ', timespec='microseconds')}'"
