"""The episode log."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import final

import numpy as np
import numpy.typing as npt

from bardo.model import Episode, Fingerprint

@final
class StoredEpisodes:
    """Stored episodes, each made into an object when it is first read.

    Attributes:
        last_tick: The highest tick among them; 0 if there is none.
    """

    last_tick: int

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Episode:
        """The episode at a place from 0.

        Raises:
            IndexError: There are not so many.
        """

@final
class Recorded:
    """Where a recorded episode went.

    Attributes:
        id: Its id.
        seq: Its running number by arrival, from 1.
        fresh: False if it was there already: a retry, or the same id again.
        forgotten: Whether it was refused because the same content was forgotten; nothing is stored then.
        event_index: Its place within the tick.
        at: Its wall clock, microseconds UTC.
    """

    id: str
    seq: int
    fresh: bool
    forgotten: bool
    event_index: int
    at: int

def traces(path: str, needles: Sequence[bytes]) -> tuple[list[int], int]:
    """Which byte strings occur in a file, by their place, and how many bytes were read.

    Raises:
        StoreUnavailableError: The file cannot be read.
    """

def journaled(path: str | PathLike[str], *, after_seq: int = 0) -> tuple[list[Episode], int]:
    """Episodes in the journal beside a log, for a process that does not own it; the owner may write meanwhile.

    Args:
        path: The log.
        after_seq: Only what arrived after this number.

    Returns:
        Them in the order of arrival, and the number of the last arrival in the journal, 0 if it holds none.

    Raises:
        StoreUnavailableError: The operating system refused.
    """

def finish_episodes(episodes: Iterable[Episode], *, now: int, seed: int) -> list[Episode]:
    """The episodes as a log would record them, but for `event_index`: for a process that hands them over to the owner.

    Args:
        episodes: Any number.
        now: Wall clock, microseconds UTC, for those with an `at` of 0.
        seed: Seed of the ids of episodes that have none, 0 to 2**64 - 1.

    Raises:
        InvalidInputError: A limit of `Episode` is broken.
    """

@final
class EpisodeLog:
    """Every episode of one agent, verbatim, in one redb file with one owner process. Safe to call from many threads.

    Args:
        path: The file, such as `folder/episodes.redb`; its folder must be there.
        agent: Owner of the log; empty opens the log of any agent, but creates none.
        seed: Seed of the ids, 0 to 2**64 - 1.
        now: Wall clock, microseconds UTC.
        durable: Whether `record` returns only once its episodes would survive a power loss. Without it a crash loses
            up to the last 512 commits; `flush` and `close` make everything durable.
        create: Whether to make the file if it is absent.
        holder: JSON object with `pid`, `host`, `since` (microseconds UTC) and optionally `address`: written to
            `lease.json` beside the file, so that a process that is refused can say who holds it.
        accept_loss: Whether to go on without episodes that the journal must hold and does not; see `lost`.

    Raises:
        StoreLockedError: Another process, or another object of this one, has it open.
        StoreDamagedError: The file is broken or empty. It was not changed.
        JournalLostError: Its journal lacks episodes that were acknowledged. Nothing was changed.
        StoreForeignError: The file is another program's or another agent's. It was not changed.
        StoreTooNewError: A newer bardo wrote it. It was not changed.
        StoreUnavailableError: The operating system refused.
    """

    agent: str
    path: Path
    schema_version: int
    upgraded: tuple[int, Path] | None
    """The older schema that the file had until now, and where the old file is kept; it may be deleted."""
    lost: tuple[str, Path | None, int] | None
    """What was wrong with the journal, where its file is kept, and how many of its episodes were taken over; none where
    no loss was accepted."""
    last_tick: int
    fingerprint: Fingerprint | None

    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        agent: str,
        seed: int,
        now: int,
        durable: bool = True,
        create: bool = True,
        holder: str | None = None,
        accept_loss: bool = False,
    ) -> EpisodeLog: ...
    def __len__(self) -> int: ...
    def record(self, episodes: Iterable[Episode], *, now: int, out_of_order: bool = False) -> list[Recorded]:
        """Records episodes, all or none, and returns when they are durable. Concurrent callers share one sync.

        An `at` of 0 becomes `now`; an `event_index` of 0 becomes the next one of its tick. What was recorded before
        (the same id and content, or without an id the same content by the same author in the same thread and tick
        within 60 s of `at`) is one episode.

        Args:
            episodes: Any number.
            now: Wall clock, microseconds UTC.
            out_of_order: Accept ticks below the last one, and leave `last_tick` alone: for an inbox or an archive.

        Raises:
            DecreasingTickError: A tick lies below `last_tick`.
            InvalidInputError: A limit of `Episode` is broken, or an id is taken by other content.
            StoreUnavailableError: The disk failed. Whether these episodes were kept is unknown; try again, and a retry
                finds them. Everything acknowledged before is kept.
        """

    def get(self, ids: Sequence[str]) -> list[Episode | None]:
        """The episodes with these ids, in the same order; None where there is none."""

    def range(
        self, from_tick: int, to_tick: int, *, after: str | None = None, limit: int = 1024
    ) -> list[Episode]:
        """Episodes of the ticks from `from_tick` to `to_tick`, both included, in order of tick, index and id.

        Args:
            from_tick: First tick.
            to_tick: Last tick.
            after: Id of the last episode of the page before.
            limit: Episodes at most.

        Raises:
            NotFoundError: `after` is not an episode of this log.
        """

    def by_subject(self, subject: str, *, after: str | None = None, limit: int = 1024) -> list[Episode]:
        """Episodes about a subject, in order; pages as in `range`."""

    def by_thread(self, thread: str, *, after: str | None = None, limit: int = 1024) -> list[Episode]:
        """Episodes of a thread, in order; pages as in `range`."""

    def neighbours(self, ids: Sequence[str], count: int) -> list[tuple[list[str], list[str]]]:
        """Up to `count` turns before and after each episode, within `16 * count` episodes of its thread."""

    def posture(self, thread: str) -> str | None:
        """The mode of the latest of the last 1,024 episodes of a thread that has one."""

    def latest(self, n: int) -> list[Episode]:
        """The last `n` episodes by tick, oldest first."""

    def since(self, seq: int, limit: int = 1024) -> list[tuple[int, Episode]]:
        """Episodes by arrival with their running numbers, all above `seq`."""

    def verify(self, items: Sequence[tuple[str, float | None]]) -> int:
        """Marks episodes as verified, and sets their importance (0..1) where one is given; all or none.

        Returns:
            How many were newly verified; each of them got the next verification number.

        Raises:
            NotFoundError: An id is not there.
        """

    def verified_since(self, number: int, limit: int = 256) -> list[tuple[int, Episode]]:
        """Verified episodes in the order of verification with their numbers, all above `number`."""

    def mark_replayed(self, ids: Sequence[str]) -> int:
        """Counts one replay for each episode; returns how many there were. Raises NotFoundError."""

    def put_vectors(
        self,
        ids: Sequence[str],
        whole: npt.NDArray[np.float32],
        sentences: npt.NDArray[np.float32],
        counts: Sequence[int],
        fingerprint: Fingerprint,
        tokens: Sequence[bytes] | None = None,
    ) -> None:
        """Keeps the vectors of episodes in half precision; the first ones decide which model the log belongs to.

        A few at a time reach the disk with what is recorded next; after a crash before that the episodes have none.

        Args:
            ids: Ids of n episodes.
            whole: Float32 of shape (n, dims): of the whole texts.
            sentences: Float32 of shape (sum(counts), dims): of their sentences, one episode after another.
            counts: Sentences of each episode; 0 is allowed.
            fingerprint: Fingerprint of the model.
            tokens: Codes of each episode's tokens, by `pack_tokens`; None keeps none.

        Raises:
            EmbeddingMismatchError: The log holds vectors of another model.
            InvalidVectorError: The shapes do not fit together, or a component is NaN, infinite or beyond 65504.
            NotFoundError: An id is not there.
        """

    def vectors(
        self, ids: Sequence[str]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], list[int]]:
        """`whole`, `sentences` and `counts` as in `put_vectors`. Raises NotFoundError for an id without vectors."""

    def without_vectors(self, limit: int = 256) -> list[tuple[str, str, str | None]]:
        """Id, text and speaker of episodes that have no vectors yet, by arrival."""

    def stage_vectors(
        self,
        ids: Sequence[str],
        whole: npt.NDArray[np.float32],
        sentences: npt.NDArray[np.float32],
        counts: Sequence[int],
        fingerprint: Fingerprint,
        tokens: Sequence[bytes] | None = None,
    ) -> None:
        """Keeps vectors of the model that is to follow the one in force, beside those; as `put_vectors`."""

    def staged(self) -> tuple[Fingerprint, int] | None:
        """The model that comes, and how many episodes have its vectors; None outside a migration."""

    def without_staged_vectors(self, limit: int = 256) -> list[Episode]:
        """Episodes that have no vector of the model that comes, by arrival."""

    def switch_vectors(self, fingerprint: Fingerprint) -> int:
        """Puts the staged vectors in the place of the old ones, in one transaction; returns how many there are.

        Raises:
            InvalidInputError: Nothing is staged, or an episode with an old vector has no new one; nothing was changed.
            EmbeddingMismatchError: What is staged is another model's.
        """

    def drop_staged(self) -> None:
        """Gives a migration up: the staged vectors go, those in force stay."""

    def watermark(self, name: str) -> int:
        """The number kept under a name; 0 if none was set."""

    def set_watermark(self, name: str, value: int) -> None:
        """Keeps a number under a name, durably."""

    def source(self, name: str) -> tuple[int, str] | None:
        """Watermark of a source of episodes: position up to which it was read, and the state of its reader."""

    def sources(self) -> list[tuple[str, int, str]]:
        """Every source with its watermark, by name."""

    def forget(self, ids: Sequence[str], *, intent: str, now: int, tombstones: bool = True) -> int:
        """Deletes episodes with everything that is kept of them, in one durable transaction with a note of the intent.

        The freed pages still hold the bytes until `vacuum`.

        Args:
            ids: Those that are not there any more are passed over.
            intent: What the caller must know to finish the deletion in other stores after a crash.
            now: Microseconds UTC.
            tombstones: Whether `record` refuses the same content from now on.

        Returns:
            The intent's number.
        """

    def intents(self) -> list[tuple[int, str]]:
        """Deletions that are not finished, by number."""

    def update_intent(self, number: int, rest: str | None = None) -> None:
        """Puts another text in the place of an intent, or ends it."""

    def vacuum(self) -> tuple[int, int]:
        """Rewrites the file without free pages, while no other thread reads or writes.

        Returns:
            Its length before and after; about as much as the latter was written.
        """

    def flush(self) -> None:
        """Makes everything recorded so far durable; only needed with `durable=False`."""

    def stats(self) -> dict[str, int]:
        """Counters of the log.

        Returns:
            `episodes`, `verified` (ever), `with_vectors`, `bytes_on_disk`, `last_seq`, `last_verification`, and `syncs`
            of the file since it was opened.
        """

    def close(self) -> None:
        """Closes the file and gives up the lease; later calls raise StoreUnavailableError."""
