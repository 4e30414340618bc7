"""The hot set, synchronised with the stores."""

from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import TypeVar, final

import numpy as np
import numpy.typing as npt

from bardo._core._capture import EpisodeLog, StoredEpisodes
from bardo._core._facts import FactStore
from bardo._core._recall import Found, PeriodWords, RecallSettings
from bardo.index.snapshot import LoadReport
from bardo.model import Episode, Fingerprint
from bardo.recall.filters import Filters

_Answer = TypeVar("_Answer")

@final
class Changes:
    """Changes that a `ChangeDetector` found."""

    @property
    def in_inbox(self) -> bool:
        """Whether the inbox may hold new episodes."""

    @property
    def in_facts(self) -> bool:
        """Whether the facts may have changed."""

@final
class ChangeDetector:
    """Detects changes since the last sync: new episodes, changed facts, inbox files. Thread-safe.

    It asks a counter and the times of two files.

    Args:
        inbox: The folder where other processes drop episodes.
        facts: Any process may change them.
    """

    def __new__(cls, inbox: str | PathLike[str], facts: FactStore) -> ChangeDetector: ...
    def changes(self, log: EpisodeLog, facts: FactStore) -> Changes | None:
        """Changes since `mark_seen`: an episode without vectors, a change of the facts, a file in the inbox.

        `facts` is the store that it was made with; it is asked where the time of its file tells nothing.
        """

    def mark_seen(self, changes: Changes) -> None:
        """Everything that was there when the changes were detected has been taken over.

        An inbox that changed within the last two seconds is looked at again: a file system may give two changes one
        time.
        """

@final
class TransientRows:
    """Rows that `HotSet.admit` added."""

    def __len__(self) -> int: ...

@final
class HotSet:
    """One index in memory over episodes and facts: metadata, words (BM25) and vectors. Safe to share among threads."""

    def __new__(cls) -> HotSet: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: str, /) -> bool: ...
    @property
    def cold_upto(self) -> int:
        """The number of the last arrival that was left to LanceDB; 0 while every episode is here."""

    def load(
        self,
        log: EpisodeLog,
        facts: FactStore,
        *,
        snapshot: str | PathLike[str] | None = None,
        cold_upto: int = 0,
    ) -> LoadReport:
        """Fills the hot set again: from a snapshot and what came after it, or from the ground truth in one stream.

        With a snapshot the vectors stay in the stores until the first search asks for them.

        Args:
            log: The episodes.
            facts: The facts.
            snapshot: A file that `save` wrote. One that is damaged, or of another version, model or log, is passed
                over.
            cold_upto: Arrivals up to this number are left out.

        Returns:
            `restored`: memories that the snapshot held; `replayed`: episodes read from the log; `refused`: why a
            snapshot that was there was passed over, or None.
        """

    def save(self, snapshot: str | PathLike[str]) -> int:
        """Writes a snapshot, replacing the old one whole.

        Returns:
            Its bytes; 0 without writing anything where an episode of the log is not here yet.

        Raises:
            StoreUnavailableError: The operating system refused; nothing is lost.
        """

    def leave(self, upto: int) -> int:
        """Removes the episodes that arrived up to a number, which LanceDB answers for; returns how many."""

    def sync_facts(self, facts: FactStore) -> int:
        """Takes over the facts that any process changed since the last call; returns their number."""

    def admit(self, ids: Sequence[str]) -> TransientRows:
        """Adds episodes that left memory for one search, with the turns right beside them and their vectors.

        Returns:
            Those that were not here: `evict` them afterwards.
        """

    def evict(self, rows: TransientRows) -> bool:
        """Removes transient rows; false if some were gone already.

        After another `load` none of them is transient, and nothing is removed.
        """

    def retry_on_model_switch(self, work: Callable[[], _Answer]) -> _Answer:
        """Runs work that reads vectors, and runs it again where the model was switched meanwhile.

        It waits for a switch under way. InvalidVectorError and EmbeddingMismatchError count as failures of a switch.
        """

    def switch_model(self, work: Callable[[], _Answer]) -> _Answer:
        """Runs work that puts vectors of another model in the place of the present ones; one switch at a time."""

    def record(
        self,
        drafts: Iterable[str | Episode],
        *,
        ticks: Sequence[int],
        now: int,
        own_ticks: bool,
        counted: bool,
        template: Episode | None = None,
        out_of_order: bool = False,
        transcript: bool = False,
        source: tuple[str, tuple[int, str] | None, tuple[int, str]] | None = None,
    ) -> tuple[StoredEpisodes, list[int], list[int]]:
        """Records episodes in the log that was loaded, and makes the new ones findable by their words.

        Args:
            drafts: Episodes as for `EpisodeLog.record`, but for their ticks; or texts.
            ticks: One for each.
            now: Microseconds UTC, for those with an `at` of 0.
            own_ticks: Whether the caller gave the ticks: a retry then has the same one.
            counted: Whether ticks are counted by the caller: so has a retry of what brings no `at`.
            template: Every other field of the texts.
            out_of_order: Whether ticks below the last one are accepted, as by `EpisodeLog.record`.
            transcript: Whether they are messages without times: where the list begins with the end of the stored
                conversation, what is stored is known, and the rest is new, also within a minute.
            source: Source that they come from: its name, its watermark before (as `EpisodeLog.source` returns it), and
                its new one, which is stored in the same transaction. There may be no drafts then.

        Returns:
            What is stored, the places of what was stored before, and the places of what was forgotten before and is
            not stored. A retry gives back what was stored first; it is verified then, if the retry says so and the
            first did not.
        """

    def add_episodes(self, episodes: Iterable[Episode]) -> None:
        """Adds recorded episodes, findable by their words at once; known ones have their annotations renewed.

        Raises:
            InvalidInputError: An episode has no id.
        """

    def update_episodes(self, episodes: Iterable[Episode]) -> None:
        """Renews the annotations of episodes: importance, verified, replay count."""

    def embed(
        self,
        ids: Sequence[str],
        whole: npt.NDArray[np.float32],
        sentences: npt.NDArray[np.float32],
        counts: Sequence[int],
        fingerprint: Fingerprint,
        tokens: Sequence[bytes] | None = None,
    ) -> None:
        """Keeps vectors of episodes in the log, as `EpisodeLog.put_vectors`, and sets them here, too.

        Raises:
            InvalidVectorError: Shapes do not fit, or a component is NaN or infinite.
            EmbeddingMismatchError: The log holds vectors of another model.
            NotFoundError: An id is not in the log.
        """

    def set_vectors(
        self,
        ids: Sequence[str],
        whole: npt.NDArray[np.float32],
        sentences: npt.NDArray[np.float32] | None = None,
        counts: Sequence[int] | None = None,
    ) -> None:
        """Sets the vectors of memories.

        Args:
            ids: Episodes or facts.
            whole: Float32 of shape (n, dims), C-contiguous: of the whole texts.
            sentences: Float32 of shape (sum(counts), dims): of the sentences, in the order of ids.
            counts: Sentences per id. A single sentence is the whole, and is not kept twice.

        Raises:
            InvalidVectorError: Shapes do not fit, or a component is NaN or infinite.
            NotFoundError: An id is not in the hot set.
        """

    def remove(self, ids: Sequence[str]) -> int:
        """Removes memories with their words and vectors; returns how many were there."""

    def search(
        self,
        text: str,
        vector: npt.NDArray[np.float32] | None = None,
        *,
        limit: int = 5,
        now_tick: int = 0,
        now: int = 0,
        filters: Filters | None = None,
        pad: tuple[float, float, float] = (0.0, 0.0, 0.0),
        thread: str | None = None,
        settings: RecallSettings | None = None,
        tokens: tuple[Sequence[str], Sequence[int], npt.NDArray[np.float32]] | None = None,
        log: EpisodeLog | None = None,
        facts: FactStore | None = None,
        seated: Sequence[str] | None = None,
        left_out: Sequence[str] | None = None,
        unseated: Sequence[str] | None = None,
        periods: PeriodWords | None = None,
    ) -> Found:
        """Finds the memories that matter for a query, in one call and without the GIL.

        Args:
            text: The query; beyond 64 KiB it is cut, with a note.
            vector: Its float32 vector of shape (dims,).
            limit: Memories at most, 1 to 10,000.
            now_tick: Logical time of the asker.
            now: Wall clock of the asker, microseconds UTC.
            filters: Which memories may answer.
            pad: Affect of the asker.
            thread: The asker's active thread.
            settings: How to rank.
            tokens: Words of the query, tokens of each, and their vectors of shape (tokens, dims): with `log`, for late
                interaction.
            log: Where the episodes and the codes of their tokens are.
            facts: Where the facts are: with `log`, the records of what is found are read in the same call. A memory
                whose record is no longer there leaves the answer with a note.
            seated: Ids of facts with reserved places among the first five, three at most; the filters still apply.
            left_out: Ids of facts that may not answer.
            unseated: Ids of dangers that take no reserved seat.
            periods: Words by which the text may name a period, whose episodes are then favoured.

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """

    def nearest(self, vector: npt.NDArray[np.float32], limit: int = 10) -> list[tuple[str, float]]:
        """Searches by vectors alone: (id, cosine of the best sentence), nearest first.

        Raises:
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """

    def matching(self, text: str, limit: int = 10) -> list[tuple[str, float]]:
        """Searches by words alone: (id, BM25 score), greatest first."""

    def neighbours(self, ids: Sequence[str], count: int) -> list[tuple[list[str], list[str]]]:
        """Ids of at most `count` turns before and after each memory in its conversation, in order."""

    def posture(self, thread: str) -> str | None:
        """The mode of the latest episode of a thread that has one."""

    def has_begun(self, session: str) -> bool:
        """Whether an episode of a session is here."""

    def stats(self) -> dict[str, int]:
        """Counts: memories, episodes, facts, vectors (sentences included), dims, terms.

        And about how many bytes they take: bytes, bytes_of_words, bytes_of_vectors.
        """
