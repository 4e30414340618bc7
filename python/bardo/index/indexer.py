"""Synchronises the derived indexes with the log and the facts: vectors, the hot set, LanceDB."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeVar

from bardo._core import EpisodeLog, FactStore, HotSet, Names
from bardo.errors import BardoWarning, EmbedderUnavailableError, InvalidVectorError, UnusableVectorError
from bardo.model import Fact, Fingerprint
from bardo.ports import Embedder, Progress, Vectors, no_progress

if TYPE_CHECKING:
    from bardo.index.archive.lance_index import LanceIndex

Answer = TypeVar("Answer")
Fallback = TypeVar("Fallback")

#: Number of episodes or facts embedded per call of the model, which bounds its memory.
PAGE = 256
#: Minimum number of pending episodes for an extraction of names; until then they are found by words and vectors.
NAMES_AT_ONCE = 64
#: Name of the log's watermark for LanceDB, which can be read without LanceDB.
_ARCHIVED = "lance"
#: Name of the watermark for the log's size at its last rewrite, minimum growth since then for the next rewrite, and
#: minimum size in bytes. A byte is written about seven times in a log's life.
_TIDIED = "log.tidied"
_TIDY_GROWTH = 1.15
_TIDY_BYTES = 8 * 1024 * 1024
#: Names of LanceDB's watermarks for verifications, which change existing rows, and for the number of vectors.
_VERIFIED, _EMBEDDED = "lance.verified", "lance.embedded"


def beyond(log: EpisodeLog, hot_limit: int) -> int:
    """Returns the number of the last arrival beyond the hot limit that is in LanceDB; 0 without one, or a limit."""
    if not hot_limit:
        return 0
    return max(0, min(log.stats()["last_seq"] - hot_limit, archived(log)))


def archived(log: EpisodeLog) -> int:
    """Returns the number of the last arrival in LanceDB, by its watermark in the log; 0 if it is empty."""
    return log.watermark(_ARCHIVED)


def unarchive(log: EpisodeLog) -> None:
    """Resets LanceDB's watermarks in the log."""
    for name in (_ARCHIVED, _VERIFIED, _EMBEDDED):
        log.set_watermark(name, 0)


class Indexer:
    """Embeds records without vectors and appends new episodes to LanceDB. Thread-safe.

    Locks are acquired in this order, and released in reverse:

    1. `archive_lock`, held for long: a run over LanceDB, a whole deletion, loading or saving the hot set, a switch of
       models.
    2. Vectors of episodes. 3. `learning`, vectors of facts. 4. Names in memories. Each is held from reading texts to
       writing results, so that no deleted record and no vector of an earlier model is written back. `exclusive_lock`
       acquires all three, and 1 as well.
    5. `hosting`, held briefly: while a search has transient rows in the hot set.
    6. The locks of LanceDB's table: that of its writers, and, held briefly, that of its opening.

    A recall, and the embedding of a batch in `remember`, wait for 5 and for the opening alone. Work that needs 2, 3 or
    4 they do only if the lock is free, and otherwise leave it to the next call (`catch_up`; law 2).

    Args:
        log: Episode log, the ground truth.
        facts: Fact store.
        hot: In-memory index.
        embedder: Embedder, loaded on the first text that needs it.
        open_archive: Callable that opens the LanceDB table; called once, on the first append.
        hot_limit: Maximum number of episodes in memory; 0 for all.
        late: Whether codes of tokens are stored for late interaction.
    """

    def __init__(
        self,
        log: EpisodeLog,
        facts: FactStore,
        hot: HotSet,
        embedder: Embedder,
        open_archive: Callable[[], LanceIndex],
        *,
        hot_limit: int = 0,
        late: bool,
    ) -> None:
        self._log = log
        self._facts = facts
        self._hot = hot
        self._embedder = embedder
        self._open_archive = open_archive
        self._hot_limit = hot_limit
        self._late = late
        self._archive: LanceIndex | None = None
        #: Number of the last change of facts at which every fact had its vector.
        self._facts_embedded = -1
        #: Value of `_facts_embedded` at the last extraction of names.
        self._named = -2
        #: Number of episodes embedded since the last extraction of names; starts at the threshold, as it is unknown.
        self._unread = NAMES_AT_ONCE
        self._archiving = threading.RLock()
        self._embedding = threading.RLock()
        self._learning = threading.RLock()
        self._naming = threading.RLock()
        self.hosting = threading.Lock()
        self._opening = threading.Lock()
        #: Reason why no vectors are written at present; empty if they are.
        self.paused = ""
        #: Reason why the model could not embed the pending texts; empty if it could. The next call tries again.
        self.outage = ""
        #: Reasons of missing vectors, by id of the record. Retried at the next opening, or after `ask_again`.
        self.refused: dict[str, str] = {}
        self.refused_facts: dict[str, str] = {}
        #: Numbers of arrivals and episodes when only refused episodes were pending; no search until they change.
        self._refused_at = (-1, -1)
        self.names = Names(facts)

    @property
    def archive(self) -> LanceIndex:
        """LanceDB index, opened on first use."""
        with self._opening:
            if self._archive is None:
                self._archive = self._open_archive()
            return self._archive

    @property
    def archive_is_open(self) -> bool:
        """Whether LanceDB has been loaded by this grimoire."""
        return self._archive is not None

    def embed(self, progress: Progress = no_progress) -> int:
        """Embeds all episodes and facts without vectors; sets `outage` if the model fails.

        Args:
            progress: Callback for progress.

        Returns:
            Number of embedded records.
        """
        embedded = self._embed_all(progress) + self.embed_facts()
        self._read_if_due()
        return embedded

    def catch_up(self, *, facts: bool = True) -> bool:
        """`embed` for callers that must not wait: work of another thread is left to the next call.

        Args:
            facts: Whether facts may have changed since the last call.

        Returns:
            Whether all records that can have vectors have them.
        """
        is_whole = _if_free(self._embedding, self._embed_all)
        if facts and not _if_free(self._learning, self.embed_facts):
            # New facts are found by their words at once.
            self._hot.sync_facts(self._facts)
            is_whole = False
        _if_free(self._naming, self._read_if_due)
        return is_whole

    def waiting(self) -> int:
        """Number of episodes and facts that have no vector yet and may get one."""
        if self.paused:
            return 0
        log, facts = self._log.stats(), self._facts.stats()
        refused = len(self.refused) + len(self.refused_facts)
        missing = log["episodes"] - log["with_vectors"] + facts["facts"] - facts["vectors"]
        return max(0, missing - refused)

    def _embed_all(self, progress: Progress = no_progress) -> int:
        with self._embedding:
            self.outage = ""
            done = self.if_model_answers(lambda: self._embed_episodes(progress), 0)
            self._unread += done
            return done

    def _read_if_due(self) -> None:
        """Extracts names once enough records are pending, counted by new vectors and changes of facts."""
        with self._naming:
            is_due = self._unread >= NAMES_AT_ONCE or self._named != self._facts_embedded
            if is_due or self.paused or self.outage:
                self._named = self._facts_embedded
                if self.read_names(least=NAMES_AT_ONCE)["episodes"]:
                    self._unread = 0

    def read_names(self, *, least: int = 1, again: bool = False) -> dict[str, int]:
        """Extracts names from episodes and facts; returns the numbers of records read, by kind.

        Args:
            least: Minimum number of pending episodes.
            again: Whether to read all records again.
        """
        with self._naming:
            if again:
                self.names.reread()
            read = self.names.read(self._log, least=least)
        if any(read.values()):
            self._hot.sync_facts(self._facts)
        return read

    def archive_lock(self) -> AbstractContextManager[object]:
        """Lock of writes to LanceDB, of loading and saving the hot set, and of deletions."""
        return self._archiving

    @contextmanager
    def exclusive_lock(self) -> Iterator[None]:
        """Holds `archive_lock` and the locks of vectors and of names."""
        with self._archiving, self._embedding, self._learning, self._naming:
            yield

    def learning(self) -> AbstractContextManager[object]:
        """Lock of the vectors of facts; while it is held, the model does not change."""
        return self._learning

    def use(self, embedder: Embedder) -> None:
        """Switches to another embedder, after the log and the facts have its vectors."""
        with self.exclusive_lock():
            self.close()
            self._embedder = embedder
            self._facts_embedded = -1
            self.ask_again()

    def ask_again(self) -> None:
        """Clears the refusals, so that the model is tried again on these records."""
        with self._embedding, self._learning:
            self.refused, self.refused_facts, self._refused_at = {}, {}, (-1, -1)

    def embed_facts(self) -> int:
        """Embeds all facts without vectors, and brings the hot set up to date with `facts.db`.

        Returns:
            Number of embedded facts.
        """
        with self._learning:
            learned = self._facts.last_learned
            if learned == self._facts_embedded:
                # A fact may have been retrieved meanwhile.
                self._hot.sync_facts(self._facts)
                return 0
            done = 0 if self.outage else self.if_model_answers(self._embed_pages_of_facts, 0)
            self._hot.sync_facts(self._facts)
            if not (done or self.paused or self.outage):
                self._facts_embedded = learned
            return done

    def _embed_pages_of_facts(self) -> int:
        import numpy as np

        from bardo.index.embedding import sentences

        done = 0
        while not self.paused and (page := self._waiting_facts()):
            whole, faults = sentences.usable(self._embedder, [fact.text for fact in page])
            self.refused_facts |= {page[place].id: fault for place, fault in faults.items()}
            kept = [place for place in range(len(page)) if place not in faults]
            if kept:
                ids = [page[place].id for place in kept]
                vectors = np.ascontiguousarray(whole[kept])
                self._facts.put_vectors(ids, vectors, self._embedder.fingerprint)
            done += len(kept)
        return done

    def _waiting_facts(self) -> list[Fact]:
        """Returns the next facts without a vector that were not refused one."""
        most = PAGE + len(self.refused_facts)
        found = self._facts.without_vectors(most)
        if self.refused_facts and len(found) < most:
            # Facts that another process deleted meanwhile are no longer pending.
            there = {fact.id for fact in found}
            self.refused_facts = {id_: why for id_, why in self.refused_facts.items() if id_ in there}
        return [fact for fact in found if fact.id not in self.refused_facts][:PAGE]

    def vectors_of(self, texts: Sequence[str]) -> tuple[Vectors, Fingerprint] | tuple[None, None]:
        """Returns vectors of new facts and their model; (None, None) if any has to be embedded later."""
        from bardo.index.embedding import sentences

        if self.paused:
            return None, None
        found = self.if_model_answers(lambda: sentences.usable(self._embedder, texts), None)
        if found is None or found[1]:
            return None, None
        return found[0], self._embedder.fingerprint

    def if_model_answers(self, ask: Callable[[], Answer], otherwise: Fallback) -> Answer | Fallback:
        """Calls the model; if it fails, sets `outage` and returns the fallback (records are found by words; law 2)."""
        try:
            return ask()
        except EmbedderUnavailableError as error:
            self.outage = str(error)
        except InvalidVectorError as error:
            self.outage = str(error)
            warnings.warn(
                f"{error}. What it should have embedded is found by its words until it works again",
                BardoWarning,
                stacklevel=2,
            )
        return otherwise

    def _embed_episodes(self, progress: Progress) -> int:
        done, more = 0, True
        while more and not self.paused and (page := self._waiting()):
            # The next call processes episodes that arrive meanwhile.
            more = len(page) == PAGE
            progress("embed", done, done + len(page))
            done += self._embed_page(page)
            progress("embed", done, done + (PAGE if more else 0))
        return done

    def _embed_page(self, page: Sequence[tuple[str, str, str | None]]) -> int:
        """Embeds a page of episodes; returns the number of those with a vector."""
        from bardo.index.embedding import document_vectors

        ids, texts, speakers = zip(*page, strict=True)
        try:
            found = document_vectors.embed(self._embedder, texts, speakers, late=self._late)
        except UnusableVectorError as error:
            self.refused |= {ids[row]: str(error) for row in error.rows}
            rest = [one for one in page if one[0] not in self.refused]
            return self._embed_page(rest) if rest else 0
        self._hot.embed(ids, found.whole, found.parts, found.counts, self._embedder.fingerprint, found.tokens)
        return len(page)

    def discard(self, ids: Iterable[str]) -> None:
        """Removes deleted records from the refusals."""
        with self._embedding, self._learning:
            for id_ in ids:
                self.refused.pop(id_, None)
                self.refused_facts.pop(id_, None)

    def _waiting(self) -> list[tuple[str, str, str | None]]:
        """Returns id, text and speaker of the next episodes without a vector that were not refused one."""
        if not self.refused:
            return self._log.without_vectors(PAGE)
        now = (self._log.stats()["last_seq"], len(self._log))
        if now == self._refused_at:
            return []
        found = self._log.without_vectors(PAGE + len(self.refused))
        waiting = [one for one in found if one[0] not in self.refused][:PAGE]
        if not waiting:
            self._refused_at = now
        return waiting

    def missing_in_archive(self) -> int:
        """Number of episodes after LanceDB's watermark in the log."""
        return self._log.stats()["last_seq"] - archived(self._log)

    def sync_archive(self, *, batches: int | None = None) -> int:
        """Brings LanceDB up to date with the log: new episodes and new vectors; compacts it when due.

        Args:
            batches: Maximum number of batches to append; None appends all.

        Returns:
            Number of appended episodes.
        """
        with self._archiving:
            if not self.outage:
                self._embed_all()
            stats = self._log.stats()
            marks = stats["last_verification"], stats["with_vectors"]
            if not self.missing_in_archive() and marks == tuple(
                map(self._log.watermark, (_VERIFIED, _EMBEDDED))
            ):
                return 0
            synced = self.archive.sync(self._log, batches=batches)
            self._note_archived(*marks)
            return synced.appended

    def evict_archived(self) -> int:
        """Evicts the oldest episodes beyond the hot limit from memory, if they are in LanceDB.

        Returns:
            Number of evicted episodes.
        """
        with self._archiving:
            upto = beyond(self._log, self._hot_limit)
            return self._hot.leave(upto) if upto > self._hot.cold_upto else 0

    def reload(self) -> int:
        """Loads the hot set again from the log and the facts.

        Returns:
            Number of memories in the hot set.
        """
        with self._archiving:
            self._hot.load(self._log, self._facts, cold_upto=beyond(self._log, self._hot_limit))
            return len(self._hot)

    def rebuild_archive(self, progress: Progress = no_progress) -> int:
        """Rebuilds the LanceDB table from the log.

        Returns:
            Number of episodes in the table.
        """
        with self._archiving:
            with self._embedding:
                self._embed_episodes(progress)
            if not len(self._log):
                return 0
            stats = self._log.stats()
            synced = self.archive.rebuild(self._log, progress)
            self._note_archived(stats["last_verification"], stats["with_vectors"])
            return synced.appended

    def _note_archived(self, verified: int, embedded: int) -> None:
        self._log.set_watermark(_ARCHIVED, self.archive.watermark)
        self._log.set_watermark(_VERIFIED, verified)
        self._log.set_watermark(_EMBEDDED, embedded)

    def compact_log(self) -> bool:
        """Rewrites the log with full pages, once it has grown enough since the last rewrite.

        Pages filled one episode at a time are two thirds full; written in order they are full.

        Returns:
            Whether the log was rewritten.
        """
        with self._archiving:
            size = self._log.stats()["bytes_on_disk"]
            if size < _TIDY_BYTES or size < _TIDY_GROWTH * self._log.watermark(_TIDIED):
                return False
            _, after = self._log.vacuum()
            self._log.set_watermark(_TIDIED, after)
            return True

    def forget(self, ids: Sequence[str]) -> int:
        """Deletes episodes from LanceDB with every older copy of them, and verifies it.

        Returns:
            Number of deleted rows.

        Raises:
            StoreError: A trace remains.
        """
        with self._archiving:
            return self.archive.delete(ids).deleted

    def close(self) -> None:
        """Closes the LanceDB table."""
        with self._archiving:
            with self._opening:
                closing, self._archive = self._archive, None
            if closing is not None:
                closing.close()


def _if_free(lock: threading.RLock, work: Callable[[], object]) -> bool:
    """Runs work under a lock unless another thread holds it; returns whether it ran."""
    if not lock.acquire(blocking=False):
        return False
    try:
        work()
    finally:
        lock.release()
    return True
