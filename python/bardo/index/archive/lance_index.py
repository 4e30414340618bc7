"""LanceDB index of all episodes, derived from the log.

Rows are appended in batches. The watermark is the largest `seq` (order of arrival in the log) in the table itself, so
batch and watermark are one commit, and a crash cannot double or lose a row. Only the owner of the log writes; any
process may read, and sees each commit whole.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bardo import config
from bardo._core import without_stop_words
from bardo.errors import EmbeddingMismatchError, InvalidInputError, NotFoundError, StoreDamagedError
from bardo.index.archive import compaction
from bardo.index.archive import rows as lance_rows
from bardo.index.archive.reports import IndexPosition, LanceHit, SyncReport
from bardo.index.archive.table import TableHandle
from bardo.model import Episode, Fingerprint
from bardo.ports import Progress, Vectors, no_progress

if TYPE_CHECKING:
    from bardo._core import EpisodeLog

#: Minimum share of rows since the last compaction for the next one. Compaction rewrites every row; with this share, a
#: row is rewritten about five times in all at any size of the table.
_GROWTH = 0.25
_REBUILDING = ".rebuilding"
_PAGE = 1_024


class LanceIndex:
    """One agent's episodes in LanceDB: vector, text and columns. The table is opened at the first use.

    A change of importance after the verification of an episode enters the table only by `maintenance.rebuild`.

    Args:
        folder: Folder of the database; made if absent.
        agent: Owner of the episodes.
        fingerprint: Model of the vectors; None, for a reader, stands for that of the table.
        settings: Batch size and threshold of compaction.
        reader: Whether to never write, not even a missing table; for a process that does not own the log.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        agent: str,
        fingerprint: Fingerprint | None,
        settings: config.Archive | None = None,
        reader: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.agent = agent
        self._settings = settings or config.Archive()
        self._handle = TableHandle(self.folder, agent, fingerprint, reader=reader)
        self._measured: Any = None
        self._watermark = 0
        self._verification = 0
        self._without_vector = 0
        self._vectors_seen = -1
        self._reach = IndexPosition()
        self._reached = -1

    @property
    def fingerprint(self) -> Fingerprint:
        """Model of the vectors."""
        return self._handle.fingerprint

    @property
    def watermark(self) -> int:
        """Largest `seq` in the table; later arrivals are not in it."""
        with self._handle.lock:
            self._open()
            return self._watermark

    def exists(self) -> bool:
        """Whether there is a table; does not load LanceDB."""
        return self._handle.files.exists()

    def reach(self) -> IndexPosition:
        """Returns the current position of the index, including writes of other processes."""
        with self._handle.lock:
            table = self._handle.open()
            version = self._handle.run("read", lambda: table.version)
            if version != self._reached:
                self._handle.check(table)
                marks = self._handle.read(lambda table: table.search().select(["seq", "tick"]))
                latest = (int(marks.column(name).to_numpy().max(initial=0)) for name in ("seq", "tick"))
                self._reach, self._reached = IndexPosition(*latest), version
            return self._reach

    def due(self, last_seq: int) -> bool:
        """Whether a whole batch is pending in a log whose last arrival is `last_seq`."""
        return last_seq - self.watermark >= self._settings.batch

    def append(
        self,
        arrivals: Sequence[tuple[int, Episode]],
        vectors: Sequence[Vectors | None],
        *,
        verifications: Mapping[str, int] | None = None,
    ) -> int:
        """Appends a batch in one commit; skips arrivals at or below the watermark.

        Args:
            arrivals: `(seq, episode)` in order of arrival, from `EpisodeLog.since`.
            vectors: Vector of shape (dims,) per arrival, or None where the episode is not embedded yet.
            verifications: Running numbers of verifications by id, where known; `sync` continues from the largest.

        Returns:
            Number of added rows.

        Raises:
            InvalidInputError: Not one vector (or None) per arrival, or the seqs do not increase.
            InvalidVectorError: Wrong dimensions, NaN or infinity.
        """
        if len(arrivals) != len(vectors):
            raise InvalidInputError(
                f"{len(vectors)} vectors for {len(arrivals)} episodes. Pass one or None for each"
            )
        seqs = [seq for seq, _ in arrivals]
        if seqs != sorted(set(seqs)):
            raise InvalidInputError(
                "the seqs do not increase. Pass arrivals as `EpisodeLog.since` gives them"
            )
        with self._handle.lock:
            table = self._open()
            fresh = [
                (pair, vector)
                for pair, vector in zip(arrivals, vectors, strict=True)
                if pair[0] > self._watermark
            ]
            if not fresh:
                return 0
            kept, theirs = [pair for pair, _ in fresh], [vector for _, vector in fresh]
            schema = lance_rows.schema(self.agent, self.fingerprint)
            rows = lance_rows.batch(kept, theirs, verifications or {}, schema, self.agent)
            self._handle.run("add to", lambda: table.add(rows))
            self._watermark = kept[-1][0]
            self._without_vector += sum(vector is None for vector in theirs)
            return len(kept)

    def sync(
        self, log: EpisodeLog, progress: Progress = no_progress, *, batches: int | None = None
    ) -> SyncReport:
        """Brings the index up to date with the log: new episodes, new vectors, verifications; compacts when due.

        Args:
            log: Episode log.
            progress: Callback after each batch.
            batches: Maximum number of batches to append; None appends all.

        Raises:
            StoreDamagedError: The index is ahead of the log, because the log was replaced by an older one.
        """
        with self._handle.lock:
            table = self._open()
            self._check_log(log)
            annotated, numbers = self._annotate(table, log)
            embedded = self._embed_late(table, log)
            appended = 0
            for _ in itertools.count() if batches is None else range(batches):
                if not (arrivals := log.since(self._watermark, self._settings.batch)):
                    break
                appended += self.append(arrivals, _vectors_of(log, arrivals), verifications=numbers)
                progress("lance", self._watermark, log.stats()["last_seq"])
            compacted = self._compaction_due(table)
            if compacted:
                self.compact()
            self._index_vectors(table)
            return SyncReport(appended, embedded, annotated, self._without_vector, compacted)

    def rebuild(self, log: EpisodeLog, progress: Progress = no_progress) -> SyncReport:
        """Rebuilds the table from the log beside the old one, which may be damaged, and then replaces it.

        Args:
            log: Episode log.
            progress: Callback after each batch.

        Raises:
            StoreForeignError: The old table is intact and belongs to another agent.
        """
        self._handle.check_process()
        with self._handle.lock:
            self.close()
            # Damage and another model are reasons to rebuild; another agent's table must not be replaced.
            with contextlib.suppress(StoreDamagedError, EmbeddingMismatchError):
                self._handle.open()
            self.close()
            beside = self.folder / _REBUILDING
            self._handle.run("clear", lambda: shutil.rmtree(beside, ignore_errors=True))
            fresh = LanceIndex(
                beside, agent=self.agent, fingerprint=self.fingerprint, settings=self._settings
            )
            report = fresh.sync(log, progress)
            fresh.compact()
            fresh.close()
            with self._handle.opening:
                self.close()
                self._handle.run(
                    "replace", lambda: compaction.replace(fresh._handle.files, self._handle.files)
                )
            self._handle.run("clear", lambda: shutil.rmtree(beside))
            return report

    def compact(self) -> None:
        """Merges all fragments, brings the text index up to date and removes every version but the last.

        Readers in other processes use the new version from their next query on.
        """
        with self._handle.lock:
            table = self._open()
            self._handle.run("compact", lambda: compaction.optimize(table))

    def delete(self, ids: Sequence[str]) -> compaction.PurgeReport:
        """Deletes episodes, and every older copy of them: versions, half-empty fragments, the index of their words.

        Delete them from the log first, or the next `sync` may restore them. Deleting missing episodes is no error, and
        repeats the purge and verification.

        Raises:
            StoreError: A trace remains in the files; the message names it.
        """
        if isinstance(ids, str):
            raise InvalidInputError("ids is one string. Pass a list of ids: [id]")
        with self._handle.lock:
            table = self._open()
            self._handle.run("drop the index of", lambda: compaction.drop_vector_index(table))
            purged = self._handle.run("purge", lambda: compaction.purge(table, self._handle.files, list(ids)))
            # The next sync rebuilds the vector index, where it is due.
            self._measure(table)
            return purged

    def stats(self) -> dict[str, float]:
        """Sizes: rows, without_vector, watermark, fragments, versions, ivf (0, 1), bytes_on_disk, bytes_per_memory."""
        with self._handle.lock:
            table = self._open()
            self._measure(table)
            rows = self._handle.run("read", table.count_rows)
            size = compaction.bytes_on_disk(self.folder)
            return {
                "rows": rows,
                "without_vector": self._without_vector,
                "watermark": self._watermark,
                "fragments": self._handle.run("read", table.stats)["fragment_stats"]["num_fragments"],
                "ivf": float(self._handle.run("read", lambda: compaction.has_vector_index(table))),
                "versions": len(self._handle.run("read", table.list_versions)),
                "bytes_on_disk": size,
                "bytes_per_memory": size / rows if rows else 0.0,
            }

    def texts(self) -> dict[str, str]:
        """Returns the text of every episode in the table, by id."""
        with self._handle.lock:
            table = self._open()
            rows = self._handle.run("read", lambda: table.search().select(["id", "text"]).to_arrow())
            return dict(zip(rows.column("id").to_pylist(), rows.column("text").to_pylist(), strict=True))

    def close(self) -> None:
        """Closes the table; the next use opens it again."""
        self._handle.close()

    def search_vector(
        self, vector: Vectors, limit: int, *, where: str | None = None, vectors: bool = False
    ) -> list[LanceHit]:
        """Finds the nearest episodes by cosine, best first.

        Args:
            vector: Unit vector, float32 of shape (dims,).
            limit: Maximum number of hits.
            where: SQL condition over the columns, applied before the search.
            vectors: Whether hits include their vectors.

        Raises:
            InvalidVectorError: Wrong dimensions, NaN or infinity.
        """
        columns = [*lance_rows.EPISODE_COLUMNS, "_distance", *(["vector"] if vectors else [])]
        search = self._by_vector(vector, limit, where, columns)
        return self._found(search, limit, lambda row: 1.0 - row["_distance"], vectors=vectors)

    def search_text(
        self, query: str, limit: int, *, where: str | None = None, vectors: bool = False
    ) -> list[LanceHit]:
        """Finds the episodes that hold words of the query, by BM25, best first; any text is a valid query."""
        columns = [*lance_rows.EPISODE_COLUMNS, "_score", *(["vector"] if vectors else [])]
        search = _by_words(query, limit, where, columns)
        return self._found(search, limit, lambda row: row["_score"], vectors=vectors)

    def nearest_ids(self, vector: Vectors, limit: int, *, where: str | None = None) -> list[str]:
        """Returns the ids of `search_vector` alone: making an episode of each row takes longer than the search."""
        return self._ids(self._by_vector(vector, limit, where, ["id", "_distance"]))

    def matching_ids(self, query: str, limit: int, *, where: str | None = None) -> list[str]:
        """Returns the ids of `search_text` alone."""
        return self._ids(_by_words(query, limit, where, ["id", "_score"]))

    def _ids(self, search: Callable[[Any], Any]) -> list[str]:
        ids: list[str] = self._handle.read(search).column("id").to_pylist()
        return ids

    def _by_vector(
        self, vector: Vectors, limit: int, where: str | None, columns: list[str]
    ) -> Callable[[Any], Any]:
        query = lance_rows.checked_vector(vector, self.fingerprint.dims)

        def search(table: Any) -> Any:
            builder = table.search(query, vector_column_name="vector").distance_type("dot")
            # Without an IVF index every row is compared, and these settings have no effect.
            builder = builder.nprobes(compaction.probes(table.count_rows()))
            builder = builder.refine_factor(compaction.refinement(limit))
            return _narrow(builder, limit, where, columns)

        return search

    def holds(self, where: str) -> bool:
        """Whether an episode meets a SQL condition."""
        found = self._handle.read(lambda table: table.search().where(where).select(["id"]).limit(1))
        return bool(found.num_rows)

    def _found(
        self,
        search: Callable[[Any], Any],
        limit: int,
        score: Callable[[Mapping[str, Any]], float],
        *,
        vectors: bool,
    ) -> list[LanceHit]:
        if limit < 1:
            raise InvalidInputError(f"limit is {limit}. Ask for at least 1")
        table = self._handle.read(search)
        rows = lance_rows.plain(table)
        given = lance_rows.vectors(table) if vectors else [None] * len(rows)
        return [
            LanceHit(lance_rows.episode(row), score(row), vector)
            for row, vector in zip(rows, given, strict=True)
        ]

    def _open(self) -> Any:
        """Opens the table and reads its watermarks."""
        table = self._handle.open()
        if table is not self._measured:
            self._measure(table)
            self._measured = table
        return table

    def _measure(self, table: Any) -> None:
        """Reads the watermarks from the table, the only place where they are stored."""
        marks = self._handle.run("read", lambda: table.search().select(["seq", "verification"]).to_arrow())
        self._watermark = int(marks.column("seq").to_numpy().max(initial=0))
        self._verification = int(marks.column("verification").to_numpy().max(initial=0))
        self._without_vector = self._handle.run("read", lambda: table.count_rows("vector IS NULL"))

    def _check_log(self, log: EpisodeLog) -> None:
        last = log.stats()["last_seq"]
        if self._watermark > last:
            raise StoreDamagedError(
                f"{self.folder} knows arrivals up to {self._watermark}, the log only up to {last}: "
                f"{self._watermark - last} arrivals or more are not in this log, which is an older copy or another. "
                "Put the right episodes.redb back, or go on without them: `bardo maintenance rebuild` makes the index "
                "again from this log"
            )
        stored = log.fingerprint
        if stored is not None and _model_of(stored) != _model_of(self.fingerprint):
            raise EmbeddingMismatchError(
                f"the log holds vectors of {stored.model} ({stored.version}), this index of {self.fingerprint.model} "
                f"({self.fingerprint.version}). Open both with the embedder of the log"
            )

    def _annotate(self, table: Any, log: EpisodeLog) -> tuple[int, dict[str, int]]:
        """Writes verifications to existing rows, in order of their numbers, so that a crash can resume.

        Returns:
            Number of changed rows, and the numbers by id, for rows that are about to be appended.
        """
        import pyarrow as pa

        changed = 0
        numbers: dict[str, int] = {}
        while page := log.verified_since(self._verification, _PAGE):
            self._verification = page[-1][0]
            numbers |= {episode.id: number for number, episode in page}
            if not self._watermark:
                continue  # no rows yet
            rows = pa.table(
                {
                    "id": pa.array([episode.id for _, episode in page], pa.string()),
                    "importance": pa.array([episode.importance for _, episode in page], pa.float64()),
                    "verified": pa.array([episode.verified for _, episode in page], pa.bool_()),
                    "verification": pa.array([number for number, _ in page], pa.int64()),
                }
            )
            changed += self._merge(table, rows)
        return changed, numbers

    def _embed_late(self, table: Any, log: EpisodeLog) -> int:
        """Fills in vectors of rows that were appended before their vectors were made."""
        import pyarrow as pa

        seen = log.stats()["with_vectors"]
        if not self._without_vector or seen == self._vectors_seen:
            return 0
        self._vectors_seen = seen
        query = table.search().where("vector IS NULL").select(["id"])
        waiting = self._handle.run("read", query.to_arrow).column("id").to_pylist()
        vector_type = table.schema.field("vector").type
        filled = 0
        for start in range(0, len(waiting), _PAGE):
            ids = waiting[start : start + _PAGE]
            known = [
                (id_, vector)
                for id_, vector in zip(ids, _vectors(log, ids), strict=True)
                if vector is not None
            ]
            if known:
                column = lance_rows.vector_column([vector for _, vector in known], vector_type)
                filled += self._merge(table, pa.table({"id": [id_ for id_, _ in known], "vector": column}))
        self._without_vector -= filled
        return filled

    def _merge(self, table: Any, rows: Any) -> int:
        builder = table.merge_insert("id").when_matched_update_all()
        return int(self._handle.run("update", lambda: builder.execute(rows)).num_updated_rows)

    def _index_vectors(self, table: Any) -> None:
        """Makes the IVF index once the table is large enough."""
        rows = self._handle.run("read", table.count_rows)
        if self._settings.ivf_rows and rows - self._without_vector >= self._settings.ivf_rows:
            self._handle.run(
                "index", lambda: compaction.ensure_vector_index(table, rows, self.fingerprint.dims)
            )

    def _compaction_due(self, table: Any) -> bool:
        fragments = self._handle.run("read", table.stats)["fragment_stats"]
        if fragments["num_fragments"] <= self._settings.compact_fragments:
            return False
        rows, largest = self._handle.run("read", table.count_rows), fragments["lengths"]["max"]
        return bool(rows - largest >= _GROWTH * rows)


def _by_words(query: str, limit: int, where: str | None, columns: list[str]) -> Callable[[Any], Any]:
    return lambda table: _narrow(table.search(_words(query), query_type="fts"), limit, where, columns)


def _narrow(builder: Any, limit: int, where: str | None, columns: list[str]) -> Any:
    builder = builder.limit(limit).select(columns)
    return builder.where(where, prefilter=True) if where else builder


def _words(query: str) -> Any:
    """Makes a query without operators, since any text is valid, and without stop words, as in the hot set."""
    import lancedb.query

    match: Any = lancedb.query.MatchQuery
    return match(without_stop_words(query), "text")


def _vectors_of(log: EpisodeLog, arrivals: Sequence[tuple[int, Episode]]) -> list[Vectors | None]:
    return _vectors(log, [episode.id for _, episode in arrivals])


def _vectors(log: EpisodeLog, ids: Sequence[str]) -> list[Vectors | None]:
    """Returns vectors of whole texts, None for an episode that has none yet."""
    try:
        whole, _, _ = log.vectors(ids)
    except NotFoundError:
        if len(ids) == 1:
            return [None]
        middle = len(ids) // 2
        return [*_vectors(log, ids[:middle]), *_vectors(log, ids[middle:])]
    return list(whole)


def _model_of(fingerprint: Fingerprint) -> tuple[str, str, str, int]:
    return (fingerprint.model, fingerprint.version, fingerprint.preprocessing, fingerprint.dims)
