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

#: Episodes or facts embedded per call of the model; bounds the memory of one call.
PAGE = 256
#: Episodes that wait to be read for what they name: fewer are found by their words and vectors meanwhile.
NAMES_AT_ONCE = 64
#: Name under which the log keeps how far LanceDB has come; so that asking needs no LanceDB.
_ARCHIVED = "lance"
#: Length of the log when it was last rewritten; that it be this much longer now, and at least so long at all. A byte
#: is written about seven times in a log's life.
_TIDIED = "log.tidied"
_TIDY_GROWTH = 1.15
_TIDY_BYTES = 8 * 1024 * 1024
#: As `_ARCHIVED` for verifications, which change rows that are there, and for how many episodes had vectors.
_VERIFIED, _EMBEDDED = "lance.verified", "lance.embedded"


def beyond(log: EpisodeLog, hot_limit: int) -> int:
    """The number of the last arrival beyond the hot limit that LanceDB has; 0 if there is none, or no limit."""
    if not hot_limit:
        return 0
    return max(0, min(log.stats()["last_seq"] - hot_limit, archived(log)))


def archived(log: EpisodeLog) -> int:
    """The number of the last arrival that LanceDB has, as the log knows it; 0 if it has none."""
    return log.watermark(_ARCHIVED)


def unarchive(log: EpisodeLog) -> None:
    """Notes in the log that LanceDB has nothing any more."""
    for name in (_ARCHIVED, _VERIFIED, _EMBEDDED):
        log.set_watermark(name, 0)


class Indexer:
    """Embeds what has no vector yet and appends what LanceDB has not seen; safe to call from many threads.

    Who holds several locks took them in this order, and gives them back in the other:

    1. `held`, the long one: a run over LanceDB, a whole deletion, loading or saving the hot set, a switch of models.
    2. Vectors of episodes. 3. `learning`, vectors of facts. 4. What memories name. Each is held while texts are read,
       understood and written, so that nothing forgotten and no vector of an earlier model comes back from under way;
       `hold` takes them all, and 1 as well.
    5. `hosting`, for moments: while a search has guests in the hot set.
    6. Those of LanceDB's table: of its writers, and, for moments, of its opening.

    A recall, and the embedding of a batch in `remember`, wait for 5 and for the opening alone: what needs 2, 3 or 4
    they do where that is free, and else leave it to the next call (`catch_up`; law 2).

    Args:
        log: The ground truth.
        facts: What is known.
        hot: The index in memory.
        embedder: Loaded on the first text that needs it.
        open_archive: Opens the LanceDB table; called once, on the first append.
        hot_limit: Episodes kept in memory; 0 for all.
        late: Whether codes of tokens are kept for late interaction.
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
        #: Number of the change of what is known at which every fact had its vector.
        self._facts_embedded = -1
        #: The same at which it was last looked for names.
        self._named = -2
        #: Episodes that were embedded since all were read for names; as if there were many where that is not known.
        self._unread = NAMES_AT_ONCE
        self._archiving = threading.RLock()
        self._embedding = threading.RLock()
        self._learning = threading.RLock()
        self._naming = threading.RLock()
        self.hosting = threading.Lock()
        self._opening = threading.Lock()
        #: Why no vectors are written at present; empty if they are.
        self.paused = ""
        #: Why the model could not embed the pending texts; empty if it could. It is asked again the next time.
        self.outage = ""
        #: Why the model has no vector for these, by id. They are tried again at the next opening, or by `ask_again`.
        self.refused: dict[str, str] = {}
        self.refused_facts: dict[str, str] = {}
        #: Arrivals and episodes when only what the model refused waited: until they change, nothing is looked for.
        self._refused_at = (-1, -1)
        self.names = Names(facts)

    @property
    def archive(self) -> LanceIndex:
        """The LanceDB index, opened on first use."""
        with self._opening:
            if self._archive is None:
                self._archive = self._open_archive()
            return self._archive

    @property
    def archive_is_open(self) -> bool:
        """Whether LanceDB has been loaded by this grimoire."""
        return self._archive is not None

    def embed(self, progress: Progress = no_progress) -> int:
        """Gives every episode and fact that has none its vectors; where the model fails, `outage` says why.

        Args:
            progress: Told how far it has come.

        Returns:
            How many were embedded.
        """
        embedded = self._embed_all(progress) + self.embed_facts()
        self._read_if_due()
        return embedded

    def catch_up(self, *, facts: bool = True) -> bool:
        """As `embed`, for callers that must not wait: what another thread is at is left to the next call.

        Args:
            facts: Whether any can have changed since the last time.

        Returns:
            Whether everything has its vectors that can have any.
        """
        is_whole = _if_free(self._embedding, self._embed_all)
        if facts and not _if_free(self._learning, self.embed_facts):
            # Found by their words at once.
            self._hot.sync_facts(self._facts)
            is_whole = False
        _if_free(self._naming, self._read_if_due)
        return is_whole

    def waiting(self) -> int:
        """Episodes and facts that have no vector yet and may get one."""
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
        """Reads what memories name once enough wait; nothing that names anything comes without a vector or a fact."""
        with self._naming:
            is_due = self._unread >= NAMES_AT_ONCE or self._named != self._facts_embedded
            if is_due or self.paused or self.outage:
                self._named = self._facts_embedded
                if self.read_names(least=NAMES_AT_ONCE)["episodes"]:
                    self._unread = 0

    def read_names(self, *, least: int = 1, again: bool = False) -> dict[str, int]:
        """Reads what episodes and facts name, if at least so many episodes wait for it; what was read, by sort.

        Args:
            least: So many episodes.
            again: Whether to read again what was read before.
        """
        with self._naming:
            if again:
                self.names.reread()
            read = self.names.read(self._log, least=least)
        if any(read.values()):
            self._hot.sync_facts(self._facts)
        return read

    def archive_lock(self) -> AbstractContextManager[object]:
        """While it is held, LanceDB is not written, the hot set is not loaded or saved, and no other thread deletes."""
        return self._archiving

    @contextmanager
    def exclusive_lock(self) -> Iterator[None]:
        """As `archive_lock`, and no other thread writes a vector or extracts names."""
        with self._archiving, self._embedding, self._learning, self._naming:
            yield

    def learning(self) -> AbstractContextManager[object]:
        """While it is held, no other thread writes the vector of a fact, and the model stays the same."""
        return self._learning

    def use(self, embedder: Embedder) -> None:
        """Takes another model, after the log and the facts have its vectors."""
        with self.exclusive_lock():
            self.close()
            self._embedder = embedder
            self._facts_embedded = -1
            self.ask_again()

    def ask_again(self) -> None:
        """Has the model try again what it had no vector for."""
        with self._embedding, self._learning:
            self.refused, self.refused_facts, self._refused_at = {}, {}, (-1, -1)

    def embed_facts(self) -> int:
        """Gives every fact that has none its vector, and brings the hot set up to date with `facts.db`.

        Returns:
            How many were embedded.
        """
        with self._learning:
            learned = self._facts.last_learned
            if learned == self._facts_embedded:
                # It may have been looked at.
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
        """The next facts that have no vector and were not refused one."""
        most = PAGE + len(self.refused_facts)
        found = self._facts.without_vectors(most)
        if self.refused_facts and len(found) < most:
            # Facts that another process deleted meanwhile are no longer pending.
            there = {fact.id for fact in found}
            self.refused_facts = {id_: why for id_, why in self.refused_facts.items() if id_ in there}
        return [fact for fact in found if fact.id not in self.refused_facts][:PAGE]

    def vectors_of(self, texts: Sequence[str]) -> tuple[Vectors, Fingerprint] | tuple[None, None]:
        """Vectors of new facts with their model, if it has one for each at present; otherwise they get them later."""
        from bardo.index.embedding import sentences

        if self.paused:
            return None, None
        found = self.if_model_answers(lambda: sentences.usable(self._embedder, texts), None)
        if found is None or found[1]:
            return None, None
        return found[0], self._embedder.fingerprint

    def if_model_answers(self, ask: Callable[[], Answer], otherwise: Fallback) -> Answer | Fallback:
        """Asks the model, and notes why where it cannot answer: what has no vector is found by its words (law 2)."""
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
            # The next call processes facts that came meanwhile.
            more = len(page) == PAGE
            done += self._embed_page(page)
            progress("embed", done, done + (PAGE if more else 0))
        return done

    def _embed_page(self, page: Sequence[tuple[str, str, str | None]]) -> int:
        """Gives a page of episodes their vectors; how many the model has one for."""
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
        """Knows nothing more of what was forgotten."""
        with self._embedding, self._learning:
            for id_ in ids:
                self.refused.pop(id_, None)
                self.refused_facts.pop(id_, None)

    def _waiting(self) -> list[tuple[str, str, str | None]]:
        """The next episodes that have no vector and were not refused one: id, text and speaker."""
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
        """Episodes that arrived after the last append to LanceDB, by its watermark in the log."""
        return self._log.stats()["last_seq"] - archived(self._log)

    def sync_archive(self, *, batches: int | None = None) -> int:
        """Brings LanceDB up to the log: what it has not seen, and vectors made since; compacts it when that is due.

        Args:
            batches: Append at most so many; None appends all.

        Returns:
            How many episodes were appended.
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
        """Lets the oldest episodes beyond the hot limit leave memory, as far as LanceDB has them.

        Returns:
            How many left.
        """
        with self._archiving:
            upto = beyond(self._log, self._hot_limit)
            return self._hot.leave(upto) if upto > self._hot.cold_upto else 0

    def reload(self) -> int:
        """Loads the hot set again from the log and the facts.

        Returns:
            How many memories it holds.
        """
        with self._archiving:
            self._hot.load(self._log, self._facts, cold_upto=beyond(self._log, self._hot_limit))
            return len(self._hot)

    def rebuild_archive(self, progress: Progress = no_progress) -> int:
        """Makes the LanceDB table again from the log.

        Returns:
            How many episodes it holds.
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
        """Writes the log again without the room that its pages waste, once that has grown by enough to be worth it.

        Pages filled one episode at a time are two thirds full; written in order they are full.

        Returns:
            Whether it was written again.
        """
        with self._archiving:
            size = self._log.stats()["bytes_on_disk"]
            if size < _TIDY_BYTES or size < _TIDY_GROWTH * self._log.watermark(_TIDIED):
                return False
            _, after = self._log.vacuum()
            self._log.set_watermark(_TIDIED, after)
            return True

    def forget(self, ids: Sequence[str]) -> int:
        """Deletes episodes from LanceDB with every older copy of them, and looks again.

        Returns:
            Rows that were deleted.

        Raises:
            StoreError: A trace is left.
        """
        with self._archiving:
            return self.archive.delete(ids).deleted

    def close(self) -> None:
        """Gives the LanceDB table free."""
        with self._archiving:
            with self._opening:
                closing, self._archive = self._archive, None
            if closing is not None:
                closing.close()


def _if_free(lock: threading.RLock, work: Callable[[], object]) -> bool:
    """Does some work that takes this lock, unless another thread holds it; whether it was done."""
    if not lock.acquire(blocking=False):
        return False
    try:
        work()
    finally:
        lock.release()
    return True
