"""The Rust core: one section per stage, in the order a memory takes them."""

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from os import PathLike
from pathlib import Path
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from bardo.index.snapshot import Opened
from bardo.model import Episode, Fact, Fingerprint, Source
from bardo.recall.filters import Filters

__version__: str

# --- capture ----------------------------------------------------------------------------------------------------------

@final
class StoredEpisodes:
    """Episodes as they are stored, made into objects where somebody looks.

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

def check_facts(path: str, *, repair: bool) -> list[tuple[str, str, str, str]]:
    """Everything in a file of facts that is not as it was written: table, row, finding, repair.

    Args:
        path: The file; it need not be one that can be opened as a store.
        repair: Whether to put single flipped bits back, and to make indexes and words again.

    Raises:
        StoreError: The file cannot be opened, or is read-only.
    """

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
        seed: Of the ids of those that have none, 0 to 2**64 - 1.

    Raises:
        InvalidInputError: A limit of `Episode` is broken.
    """

def unfit_facts(facts: Iterable[Fact]) -> list[tuple[int, str]]:
    """Which of these facts no store would take, by their places, and why."""

@final
class EpisodeLog:
    """Every episode of one agent, verbatim, in one redb file with one owner process. Safe to call from many threads.

    Args:
        path: The file, such as `folder/episodes.redb`; its folder must be there.
        agent: Whose log it is; empty opens whichever agent's it is, but makes none.
        seed: Of the ids, 0 to 2**64 - 1.
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

    def record_into(
        self,
        hot: HotSet,
        drafts: Iterable[str | Episode],
        *,
        ticks: Sequence[int],
        now: int,
        own_ticks: bool,
        counted: bool,
        template: Episode | None = None,
        out_of_order: bool = False,
        transcript: bool = False,
    ) -> tuple[StoredEpisodes, list[int], list[int]]:
        """Records episodes and makes the new ones findable by their words: `record` and `HotSet.add_episodes` in one.

        Args:
            hot: The index in memory.
            drafts: Episodes as for `record`, but for their ticks; or texts.
            ticks: One for each.
            now: Microseconds UTC, for those with an `at` of 0.
            own_ticks: Whether the caller gave the ticks: a retry then has the same one.
            counted: Whether ticks are counted by the caller: so has a retry of what brings no `at`.
            template: Every other field of the texts.
            out_of_order: As for `record`.
            transcript: Whether they are messages without times: where the list begins with the end of the stored
                conversation, what is stored is known, and the rest is new, also within a minute.

        Returns:
            What is stored, the places of what was stored before, and the places of what was forgotten before and is
            not stored. A retry gives back what was stored first; it is verified then, if the retry says so and the
            first did not.
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

    def beside(self, ids: Sequence[str], count: int) -> list[tuple[list[str], list[str]]]:
        """As `HotSet.beside`, of any episodes; no turn that lies more than `16 * count` episodes of the thread away."""

    def posture(self, thread: str) -> str | None:
        """As `HotSet.posture`, of the last 1,024 episodes of a thread."""

    def tail(self, n: int) -> list[Episode]:
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
            ids: Of n episodes.
            whole: Float32 of shape (n, dims): of the whole texts.
            sentences: Float32 of shape (sum(counts), dims): of their sentences, one episode after another.
            counts: Sentences of each episode; 0 is allowed.
            fingerprint: Of the model.
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

    def without_staged(self, limit: int = 256) -> list[Episode]:
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

    def settle(self, number: int, rest: str | None = None) -> None:
        """Puts another text in the place of an intent, or ends it."""

    def tombstones(self) -> int:
        """How many contents are refused because they were forgotten."""

    def vacuum(self) -> tuple[int, int]:
        """Rewrites the file without free pages, while nobody reads or writes.

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

# --- index: sentences -------------------------------------------------------------------------------------------------

def split_sentences(texts: Sequence[str], limit: int = 64) -> list[list[str]]:
    """The sentences of each text by Unicode's rules (UAX #29), in order and trimmed.

    What has no letter or digit is left out. A sentence under 40 bytes is joined with the next one, one over 1,024 is
    cut between words; a text with more than `limit` pieces has neighbours joined into at most `limit` runs of about
    equal length.
    """

def stems(words: Sequence[str]) -> list[str | None]:
    """The stem of each word, and None for a function word."""

def touches(texts: Sequence[str], action: str) -> list[tuple[float, int, bool]]:
    """How far an action has to do with what each text speaks of, by the words alone; words that say no do not count.

    Returns:
        Of each text the share of its words of content that the action has, how many these are, and whether they mean
        something else there: other figures, another name, an opposite, one word for another.
    """

def speaks_against(newer: str, older: str) -> bool:
    """Whether a newer text speaks against an older one, as far as the words tell."""

def modes_with(mode: str) -> list[str]:
    """The modes whose memories a mode sees, itself among them: `chat` and `booth` share, every other stands alone."""

def may_mean_the_same(left: str, right: str) -> bool:
    """Whether no figure, no name and no negation tells two texts apart."""

def spoken_sentences(
    texts: Sequence[str], speakers: Sequence[str | None], limit: int
) -> tuple[list[str], list[int]]:
    """What is embedded of texts: each with its speaker's name before it, then the sentences of those that have several.

    Args:
        texts: What was said.
        speakers: Who said it, one per text.
        limit: Sentences of one text at most, as of `split_sentences`.

    Returns:
        The whole texts and, after them, their sentences; and how many sentences each text has, 0 if it is a single one.
    """

# --- index: facts -----------------------------------------------------------------------------------------------------

@final
class Upserted:
    """What became of one fact that was handed to `FactStore.upsert`.

    Attributes:
        id: The fact that now stands for it.
        outcome: `new`, `exact` (the same text in the same category was there) or `similar` (the same meaning was),
            or `forgotten`: the same text was forgotten, nothing was stored, and the id stands for nothing.
    """

    id: str
    outcome: Literal["new", "exact", "similar", "forgotten"]

@final
class FactStore:
    """The facts of one agent in `facts.db` (SQLite in WAL mode; many processes, one connection each).

    Every write is one durable transaction that stamps each fact it touches with a running change number. Confidence
    is stored as of a tick and fades by a pure function of time when it is read; nothing is ever swept.

    Args:
        path: The file; its folder must exist.
        agent: Owner; a file of another agent is refused.
        seed: Of the random part of new ids.
        now: Microseconds UTC, kept as the birth of a new file.
        create: Whether to begin a new file where there is none.
        tau_ticks: e-folding time of the decay, in ticks; None for 500.
        reinforcement: Fraction of the gap to 1 that one reinforcement closes; None for .1.
        spacing_ticks: Reinforcements within this many ticks count once; None for 50.
        expiry_ticks: Ticks after which a dream expires that nothing confirmed; None for 14 days of 1,440 loops.

    Raises:
        StoreForeignError: The file is not bardo's, or another agent's.
        StoreTooNewError: A newer bardo wrote it.
        StoreDamagedError: It is broken. In these three cases it was not touched.
        StoreUnavailableError: A folder, a missing or read-only file, a full disk.
    """

    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        agent: str,
        seed: int,
        now: int = 0,
        create: bool = True,
        tau_ticks: float | None = None,
        reinforcement: float | None = None,
        spacing_ticks: int | None = None,
        expiry_ticks: int | None = None,
    ) -> FactStore: ...
    @property
    def agent(self) -> str:
        """The owner."""

    @property
    def schema_version(self) -> int:
        """Version of the tables."""

    @property
    def tau_ticks(self) -> float:
        """e-folding time of the decay, in ticks."""

    @property
    def expiry_ticks(self) -> int:
        """Ticks after which a dream expires that nothing confirmed."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """The model of the stored vectors, once there are any."""

    @property
    def last_change(self) -> int:
        """Number of the last change by any process."""

    @property
    def last_learned(self) -> int:
        """Number of the last change of what is known, by any process; that somebody looked at a fact is none."""

    def set_retention(
        self,
        *,
        tau_ticks: float | None = None,
        reinforcement: float | None = None,
        spacing_ticks: int | None = None,
        expiry_ticks: int | None = None,
    ) -> None:
        """Changes how confidence fades and is renewed from now on; nothing stored is rewritten."""

    def upsert(
        self,
        facts: Iterable[Fact],
        *,
        tick: int,
        now: int,
        vectors: npt.NDArray[np.float32] | None = None,
        fingerprint: Fingerprint | None = None,
        actor: str | None = None,
        marks: Mapping[str, int] | None = None,
        answered: Mapping[str, int] | None = None,
    ) -> list[Upserted]:
        """Stores each fact, or renews the one that already says it; all in one transaction.

        The same text in the same category, in any case and spacing, is the same fact; so is one of the same kind
        and category with a cosine above .95 (.92 for insights) in the same sense: with the same figures, names and
        negations, and more than one word put for another. A fact with an id that is already there is a retry and
        changes nothing. Hearsay (inherited or shared) that repeats the agent's own knowledge changes nothing about it;
        own experience that repeats hearsay makes it own knowledge.

        Args:
            facts: New ones have an empty id.
            tick: Birth of the new ones; decay counts from here.
            now: Microseconds UTC.
            vectors: Shape (len(facts), dims), stored in half precision.
            fingerprint: The model of the vectors.
            actor: Under which name the journal keeps it as an act; None keeps it out, and the next two with it.
            marks: How far a reader has come, by its name: written in the same transaction, so that nothing counts
                twice.
            answered: How often a language model answered `new`, `update` or `duplicate` about these (stage 2), for
                `stats`.
        """

    @property
    def latest_tick(self) -> int:
        """The tick of the latest change of a fact; 0 before the first."""

    def begin(self, tick: int) -> int:
        """Lets a life begin at its first tick: what was inherited at tick 0 fades and expires from here; how many."""

    def rebase(self, *, through: int, by: int, tick: int, name: str, offset: int) -> int:
        """Lets every fact fade, and expire, as if a stretch of ticks had not been.

        Args:
            through: The last tick before it.
            by: How long it is.
            tick: Now, after it; earlier states stay readable as of their ticks.
            name: Mark that is kept in the same transaction,
            offset: and its value.

        Returns:
            How many facts it concerned.
        """

    def mark(self, name: str) -> int:
        """How far a reader has come by its own account; 0 if it never said."""

    def known(
        self,
        facts: Iterable[Fact],
        *,
        tick: int,
        vectors: npt.NDArray[np.float32] | None = None,
        fingerprint: Fingerprint | None = None,
    ) -> builtins.list[str | None]:
        """Id of the fact that `upsert` would renew at a tick for each of these; None where it would store a new one."""

    def get(self, ids: Sequence[str], *, as_of: int | None = None) -> list[Fact | None]:
        """The facts with these ids, in their order; `as_of` a tick as they were at its end, None where none was yet."""

    def list(
        self,
        *,
        kind: str | None = None,
        category: str | None = None,
        subject: str | None = None,
        source: str | None = None,
        status: str | None = "active",
        as_of: int | None = None,
        after: str | None = None,
        limit: int = 1024,
    ) -> builtins.list[Fact]:
        """The facts that pass every filter, ordered by id.

        Args:
            kind: Of this kind.
            category: In this category or one below it.
            subject: About this subject, exactly.
            source: From this source.
            status: With this status; None for any. Set aside when `as_of` is given.
            as_of: In force at the end of this tick, and as they were then.
            after: Id of the last fact of the page before.
            limit: Facts at most.
        """

    def reinforce(
        self,
        ids: Sequence[str],
        *,
        tick: int,
        fraction: float | None = None,
        spacing_ticks: int | None = None,
        evidence: Sequence[str] = (),
    ) -> int:
        """A useful outcome: confidence moves from what it is now toward 1, support grows, decay starts again.

        Within `spacing_ticks` of the last one that counted only the evidence is noted. Returns how many counted.
        """

    def weaken(self, ids: Sequence[str], *, tick: int, fraction: float | None = None) -> int:
        """A contrary outcome: confidence falls from what it is now by the fraction, by twice that when inherited."""

    def contradict(self, a: str, b: str, *, tick: int, expires_tick: int) -> str:
        """Links both as contradicting; the weaker falls to at most .3 and expires. Returns the id of the weaker.

        An inherited fact falls by the doubled step at least; a pinned one gives way only to another.
        """

    def supersede(self, old: str, new: Fact, *, tick: int, now: int) -> str:
        """Puts a new fact in the place of an old one, which stays as history. Returns the new id."""

    def link(self, src: str, dst: str, relation: str, weight: float = 1.0, *, tick: int) -> None:
        """Draws a link: `supports`, `contradicts`, `refines`, `causes`, `part_of` or `see_also`."""

    def links(self, ids: Sequence[str]) -> builtins.list[tuple[str, str, str, float, int]]:
        """Source, target, relation, weight and tick of every link from or to any of these facts."""

    def touch(self, ids: Sequence[str], *, tick: int) -> None:
        """Notes that these facts were retrieved: mentions and accessed tick, never confidence (law 5)."""

    def scopes(self, ids: Sequence[str]) -> builtins.list[tuple[str | None, str | None]]:
        """Thread and mode of these facts, which all their evidence shares; None is no restriction."""

    def set_modes(self, modes: Sequence[tuple[str, str]]) -> None:
        """Sets the modes of facts that have no evidence here, by their ids; evidence decides about the others."""

    def pin(self, ids: Sequence[str], pinned: bool = True, *, tick: int) -> None:
        """Exempts these facts from decay and pruning from this tick on, or ends the exemption."""

    def history(self, fact: str) -> builtins.list[Fact]:
        """The supersession chain that a fact belongs to, oldest first."""

    def states(self, fact: str) -> builtins.list[tuple[int, int | None, Fact]]:
        """Every state of every fact in the supersession chain: first tick, tick from which it was different, record.

        Oldest first; the tick of the end is None for what holds today. Looking at a fact makes no state.
        """

    def forget_episodes(self, ids: Sequence[str]) -> dict[str, Any]:
        """Deletes everything that was derived from these episodes alone, in one transaction, overwritten in the file.

        Facts with other support stay and lose the evidence; a running statistic that also counts other episodes stays
        as it is. Unknown ids are no error.

        Returns:
            `facts`: ids of the deleted ones, which an index in memory must drop too; `kept`: ids of facts that lost
            evidence; and counts: `baselines`, `memories`, `entities`, `triples`.
        """

    def forget_facts(self, ids: Sequence[str]) -> dict[str, Any]:
        """Deletes these facts with their states, links, vectors and what their texts named. Unknown ids are no error.

        Returns:
            The same as `forget_episodes`.
        """

    def forget_links(self, links: Sequence[tuple[str, str, str]]) -> int:
        """Deletes links between facts by both ids and the relation; how many there were."""

    def search_text(self, query: str, limit: int = 10) -> builtins.list[tuple[str, float]]:
        """Ids of active facts that share words with the query (Porter stems), with their BM25 score, best first."""

    def nearest(self, vector: npt.NDArray[np.float32], limit: int = 10) -> builtins.list[tuple[str, float]]:
        """Ids of active facts by cosine to the vector of shape (dims,), best first."""

    def put_vectors(
        self, ids: Sequence[str], vectors: npt.NDArray[np.float32], fingerprint: Fingerprint
    ) -> None:
        """Stores the vectors of these facts, shape (len(ids), dims), in half precision."""

    def vectors(self, ids: Sequence[str]) -> builtins.list[npt.NDArray[np.float32] | None]:
        """The vectors of these facts, each of shape (dims,); None where there is none."""

    def without_vectors(self, limit: int = 256) -> builtins.list[Fact]:
        """Facts that have no vector yet and are not history, oldest first."""

    def stage_vectors(
        self, ids: Sequence[str], vectors: npt.NDArray[np.float32], fingerprint: Fingerprint
    ) -> None:
        """Keeps vectors of the model that is to follow the one in force, beside those; as `put_vectors`."""

    def without_staged(self, limit: int = 256) -> builtins.list[Fact]:
        """Facts that need a vector of the model that comes, oldest first."""

    def switch_vectors(self, fingerprint: Fingerprint) -> int:
        """Puts the staged vectors in the place of the old ones, in one transaction; returns how many there are.

        Raises:
            InvalidInputError: A fact with an old vector has no new one; nothing was changed.
        """

    def drop_staged(self) -> None:
        """Gives a migration up: the staged vectors go, those in force stay."""

    def changed_since(self, change: int, limit: int = 1024) -> builtins.list[tuple[int, Fact]]:
        """The facts whose latest change came after this one, with its number, in order of change."""

    def confidence_now(self, ids: Sequence[str], *, tick: int) -> builtins.list[float | None]:
        """The decayed confidence of these facts at a tick; None where there is no such fact."""

    def calibration(self) -> Calibration:
        """What the outcomes that `judge_facts` was told say about confidences."""

    def stated(self, ids: Sequence[str], *, tick: int) -> builtins.list[float | None]:
        """How often each of these facts is to be expected to hold, going by all outcomes and by its own.

        Returns:
            From 0 to 1; None where there is no such fact.
        """

    def trial(self, fact: str) -> tuple[int, float, float] | None:
        """The test behind a fact that states a hypothesis.

        Returns:
            Windows of episodes that tested it; the natural logarithms of its e-value, and of the one from which it is
            believed on its own.
        """

    def acts(
        self, limit: int = 20
    ) -> builtins.list[tuple[int, str, int, int, int | None, builtins.list[tuple[str, str | None, str]]]]:
        """The latest acts of the journal, the last first.

        Returns:
            Number, name, tick, time (microseconds UTC), the act that undid it, and of each fact that it changed the id
            and JSON objects of the fields that changed, as they were (None if it was born) and as they became.
        """

    @property
    def last_act(self) -> int:
        """The number of the latest act in the journal; 0 before the first."""

    def held(self, limit: int = 256) -> builtins.list[Fact]:
        """Facts that were inferred and wait for their check, the oldest first."""

    def count_held(self) -> int:
        """How many facts wait for their check."""

    def release(self, ids: Sequence[str], *, tick: int) -> int:
        """Puts those of these facts in force that are held. They are known from this tick on; what one supersedes ends.

        Returns:
            How many were held.
        """

    def withdraw(self, ids: Sequence[str], *, tick: int, now: int) -> int | None:
        """Archives those of these facts that are held, pinned ones aside, as an act `shadow`: undone, they go live.

        Returns:
            The number of the act; None if nothing was archived.
        """

    def undo(
        self, act: int, *, tick: int, now: int
    ) -> tuple[int, builtins.list[str], builtins.list[str], builtins.list[tuple[str, builtins.list[str]]]]:
        """Takes an act back, in one transaction.

        Returns:
            The number of the act that undid it; the facts that are as they were; those that it had brought into being
            and that are archived now; and those of which fields had changed again, with their names.

        Raises:
            NotFoundError: There is no such act (any more).
            InvalidInputError: It was undone before.
        """

    def ask_in_vain(self, question: str, *, tick: int) -> int:
        """Notes that a question was asked and nothing was found. The latest 64 of at most 256 bytes are kept.

        Returns:
            How often it was asked by now, in any case and punctuation; 0 if it is too long or says nothing.
        """

    def asked_in_vain(self, limit: int = 10) -> builtins.list[tuple[str, bool]]:
        """The questions that were asked in vain twice, the most frequent first, and whether each is inherited."""

    def answer(self, questions: Sequence[str]) -> int:
        """Drops questions that have an answer now; how many there were."""

    def forget_questions(self, texts: Sequence[str]) -> int:
        """Deletes every question asked in vain that shares a word of content with one of these texts; how many.

        Inherited questions about an entity whose name does are deleted with them.
        """

    def derived_from(self, episodes: Sequence[str]) -> builtins.list[Fact]:
        """The facts that stand on these episodes alone: no other evidence, and no more support than they gave."""

    def bury(self, facts: Sequence[str]) -> None:
        """Refuses the texts of these facts from now on: `upsert` answers `forgotten`. Baselines are passed over."""

    def recount(
        self, log: EpisodeLog, names: Sequence[tuple[str, str]], *, minimum: int | None = None
    ) -> tuple[int, builtins.list[str]]:
        """Counts baselines again from the verified episodes that are left.

        Args:
            log: Where the episodes are.
            names: Subjects and metrics, as `number_names` gives them.
            minimum: Episodes that a stated baseline needs; None for 3.

        Returns:
            How many were counted, and the facts that are gone because too little is left.
        """

    def forget_claims(self, names: Set[str], episodes: Sequence[str]) -> builtins.list[str]:
        """Drops the hypotheses that say such a name or quote such an episode; returns the facts gone with them."""

    def traces(self, needles: Sequence[bytes]) -> tuple[builtins.list[int], int]:
        """Which byte strings occur in the file or its write-ahead log, by their place, and how many bytes were read.

        The file is closed and opened again meanwhile.
        """

    def vacuum(self) -> bool:
        """Rewrites the file without free pages; False if another process keeps the write-ahead log from emptying."""

    def stats(self) -> dict[str, int]:
        """Counts: `facts`, one per status, `links`, `vectors`, `baselines`, `upsert_*`, `change`, `bytes_on_disk`."""

    def close(self) -> None:
        """Closes the file; every later call raises StoreUnavailableError."""

@final
class Names:
    """What memories name and how it hangs together: entities, web addresses, commands, paths, triples.

    All of it is in the file of the facts and is read from episodes and facts after a watermark, never while they are
    written.

    Args:
        facts: The store whose file holds them.
    """

    def __new__(cls, facts: FactStore) -> Names: ...
    def read(self, log: EpisodeLog, *, least: int = 1) -> dict[str, int]:
        """Reads the episodes that wait, if there are at least so many, and every changed fact.

        Returns:
            Counts: `episodes`, `facts`, `entities` (new ones), `mentions`, `findings`.
        """

    def reread(self) -> None:
        """Forgets what was read, except what callers said, so that the next `read` reads all again."""

    def entities(
        self, *, name: str | None = None, kind: str | None = None, memory: str | None = None, limit: int = 100
    ) -> list[tuple[str, str, list[str], int, tuple[int, int] | None]]:
        """Entities by name or alias, by kind, or named by a memory; the most mentioned first.

        Returns:
            Canonical name, kind, aliases, number of memories, and the ticks of the first and the last of them.
        """

    def related(self, name: str, limit: int = 20) -> list[tuple[str, str, int]]:
        """Name, kind and number of common memories of the entities that are named together with this one.

        Raises:
            NotFoundError: There is no such entity.
        """

    def mentions(self, name: str, limit: int = 100) -> list[str]:
        """Ids of the memories that name an entity, the latest first.

        Raises:
            NotFoundError: There is no such entity.
        """

    def merge(self, into: str, names: Sequence[str]) -> int:
        """Makes several names one entity under the first; unknown ones become aliases. Returns how many were merged."""

    def part(self, name: str, others: Sequence[str]) -> int:
        """Takes other names away from an entity; memories that name it are read again. Returns how many names.

        Raises:
            NotFoundError: There is no such entity, or a name is not one of its other names.
            InvalidInputError: A name is the canonical name of the entity.
        """

    def forget(self, names: Sequence[str]) -> dict[str, Any]:
        """Deletes entities with their other names, triples and questions; unknown names are no error.

        Returns:
            As `FactStore.forget_episodes`.
        """

    def forget_triples(self, numbers: Sequence[int]) -> dict[str, Any]:
        """Deletes triples by their numbers, and the entities that nothing else names; unknown numbers are no error.

        Returns:
            As `FactStore.forget_episodes`.
        """

    def triples_of(
        self, numbers: Sequence[int]
    ) -> list[tuple[str, str, str, float, str | None, int, int | None, int, bool] | None]:
        """The triples with these numbers, as `triples` has them; None where there is none."""

    def find(self, kind: str, fragment: str, limit: int = 100) -> list[tuple[str, str]]:
        """Ids of memories that hold a `url`, `command` or `path` with this fragment, and what it is; latest first."""

    def relate(
        self,
        subject: str,
        predicate: str,
        object: str,  # noqa: A002  # the word of the trade
        *,
        confidence: float = 0.7,
        source: str | None = None,
        valid_from: int,
        valid_to: int | None = None,
        replaces: bool = False,
    ) -> int:
        """Keeps a triple that holds from one tick up to another.

        `replaces` ends what the subject had by the predicate until then. Returns its number.
        """

    def triples(
        self,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        as_of: int | None = None,
        limit: int = 1024,
    ) -> list[tuple[str, str, str, float, str | None, int, int | None, int, bool]]:
        """Subject, predicate, object, confidence, source, first tick, tick of the end, number; the latest first.

        At the end whether the triple was read from the payload of its source.
        """

def arrival_confidence(source: str) -> float | None:
    """Confidence at which a fact of a source arrives at most; None where there is no limit."""

def decay(
    confidence: float,
    support: int,
    elapsed_ticks: int,
    tau_ticks: float,
    *,
    kind: str = "insight",
    from_death: bool = False,
    pinned: bool = False,
) -> float:
    """Confidence left after `elapsed_ticks` without reinforcement: `confidence * exp(-elapsed / S)` (spec 2).

    Args:
        confidence: 0..1.
        support: Episodes behind the fact.
        elapsed_ticks: Ticks since the last reinforcement.
        tau_ticks: e-folding time.
        kind: Sets the demurrage; anti-knowledge never falls below .3.
        from_death: A warning that is a bloodstain, or handed down in a testament: fades 3.0 times more slowly.
        pinned: Exempt.
    """

def stability(support: int, tau_ticks: float, *, kind: str = "insight", from_death: bool = False) -> float:
    """`S = tau * max(1, ln(support))` in ticks, times 3 if from a death, divided by the kind's demurrage."""

def half_life_to_tau(half_life: float) -> float:
    """The time constant of a half-life, in the same unit: `half_life / ln 2`."""

def confidence_now(fact: Fact, *, tick: int, tau_ticks: float) -> float:
    """The decayed confidence of a fact at a tick."""

def findings(text: str) -> dict[str, list[str]]:
    """The `urls`, shell `commands` and file `paths` of a text, each once and in its order."""

def number_names(episodes: Sequence[Episode]) -> list[tuple[str, str]]:
    """Subject and metric of every baseline that episodes can have moved."""

# --- consolidate ------------------------------------------------------------------------------------------------------

@final
class Calibration:
    """What outcomes say about confidences.

    Attributes:
        bins: Of each of 20 equal parts of 0..1, outcomes of facts that were so sure, and how many were good; halved
            every 512 outcomes, so that the latest count most.
        squares: Sum over all outcomes of `(confidence - outcome)**2`, the outcome being 1 or 0.
        outcomes: How many there were.
    """

    bins: list[tuple[int, int]]
    squares: float
    outcomes: int

    def of(self, confidence: float) -> float:
        """How often facts of this confidence hold, 0..1 (isotonic; near the confidence where little was seen)."""

@final
class DreamReport:
    """What a dream did.

    Attributes:
        replayed: Different episodes.
        estimates: Numbers that were estimated again.
        shifts: Ids of proposals: numbers that may have shifted.
        links: Ids of proposals: events that may follow each other through a third.
        rules: Ids of proposals: rules with another threshold.
        retired: Ids of rules that a better one replaced.
        act: Its number in the journal; None if no fact was touched.
    """

    replayed: int
    estimates: int
    shifts: list[str]
    links: list[str]
    rules: list[str]
    retired: list[str]
    act: int | None

@final
class Curator:
    """Consolidates the facts of one agent: passes, rehearsals of passes, and dreams.

    Args:
        facts: What is known.
        minimum: Episodes behind a baseline before it is stated as a fact; None for 3 (spec 3).
        confirm_minimum: Own observations before an inherited baseline is confirmed or refuted; None for 30.
        expiry_ticks: Ticks after which what is contradicted, or was dreamt, expires; None for 14 days of 1,440 loops.
        outcomes: Paths (or their last parts) of numbers that say how something ended; None for the usual names.
        eviction_threshold: Confidence below which a fact is archived; None for .05 (spec 2).
        capacity: Facts in force at most, pinned ones aside; None for 16,384.
        hold: Whether what comes into being, running statistics aside, is held until `FactStore.release`.
    """

    def __new__(
        cls,
        facts: FactStore,
        *,
        minimum: int | None = None,
        confirm_minimum: int | None = None,
        expiry_ticks: int | None = None,
        outcomes: Sequence[str] | None = None,
        eviction_threshold: float | None = None,
        capacity: int | None = None,
        hold: bool = False,
    ) -> Curator: ...
    def consolidate(self, log: EpisodeLog, *, batch: int = 256, tick: int, now: int) -> CuratorReport:
        """One Curator pass over at most `batch` verified episodes that were not counted yet.

        Facts, baselines and the watermark change in one transaction: a pass that is killed at any point has not
        happened, and no episode counts twice.

        Args:
            log: The agent's own episodes.
            batch: Episodes at most.
            tick: Logical time.
            now: Microseconds UTC.

        Raises:
            StoreDamagedError: The log ends before the watermark: it was replaced or rolled back.
            InvalidInputError: The log is another agent's.
        """

    def rehearse(
        self, log: EpisodeLog, *, batch: int, tick: int, now: int
    ) -> tuple[CuratorReport, builtins.list[tuple[Fact | None, Fact]]]:
        """What `consolidate` would do: its report, and every fact it would write, as it is and as it would be."""

    def dream(self, log: EpisodeLog, replayed: Sequence[str], *, tick: int, now: int) -> DreamReport:
        """Proposes what replayed episodes may mean, and lets rules compete, in one transaction.

        Args:
            log: The agent's own episodes.
            replayed: Ids of at most 4,096 episodes; those that are not verified are left out.
            tick: Logical time.
            now: Microseconds UTC.

        Raises:
            InvalidInputError: The log is another agent's, or too many were replayed.
        """

@final
class CuratorReport:
    """What a Curator pass did, and what is left.

    Attributes:
        episodes: Verified episodes that were counted.
        baselines: Baselines that they moved.
        facts_new: Facts that were born.
        facts_reinforced: The agent's own facts that gained by new evidence.
        facts_confirmed: Inherited facts that its own episodes bore out; they are its own knowledge now.
        facts_refuted: Inherited facts that its own statistics contradict; lowered, linked, expiring, never overwritten.
        facts_contradicted: Pairs of facts that speak against each other and both stay in force, and own facts that its
            statistics lowered.
        windows: Windows of episodes that came to their end, and were tested.
        hypotheses_tested: Tests of hypotheses that they allowed.
        heuristics_proposed: Rules about outcomes that are believed for the first time.
        facts_superseded: Facts whose place a newer one took.
        facts_refined: Facts that a newer one narrowed to some cases or to a time.
        facts_disputed: Times that an episode said the contrary of a fact, which lost by it.
        dreams_confirmed: What dreams had proposed and later episodes bore out.
        entries_pruned: Facts that expired, faded or were beyond the room there is, and were archived.
        pending: Verified episodes that wait for the next pass.
        watermark: Number of the last verification that is counted.
        skipped_numbers: Left out: more than 1,024 in one episode, or under a name of more than 256 bytes.
        without_subject: Episodes whose numbers were left out because they name no subject.
        act: Its number in the journal; None if no fact was touched.
        compared: Episodes compared with facts by their vectors; the others only by their words.
        confirmed: Ids of the confirmed facts.
        refuted: Ids of the refuted facts.
    """

    episodes: int
    baselines: int
    facts_new: int
    facts_reinforced: int
    facts_confirmed: int
    facts_refuted: int
    facts_contradicted: int
    windows: int
    hypotheses_tested: int
    heuristics_proposed: int
    facts_superseded: int
    facts_refined: int
    facts_disputed: int
    dreams_confirmed: int
    entries_pruned: int
    pending: int
    watermark: int
    skipped_numbers: int
    without_subject: int
    act: int | None
    compared: int
    confirmed: list[str]
    refuted: list[str]

@final
class ReplayBuffer:
    """Verified episodes with their priorities, drawn from in logarithmic time.

    Args:
        surprise: Part of the priority that is surprise, 0..1; the rest is importance.
        alpha: How much priorities matter, 0..1.
        beta: How much of the bias the weights take back, 0..1.
        recent_share: Part of a batch that is recent, 0..1.
        recent: How many of the latest verified episodes are recent.

    Raises:
        InvalidInputError: A number is out of its range.
    """

    def __new__(
        cls, *, surprise: float, alpha: float, beta: float, recent_share: float, recent: int
    ) -> ReplayBuffer: ...
    def __len__(self) -> int: ...
    def refresh(self, log: EpisodeLog) -> None:
        """Takes in what was verified since the last time."""

    def sample(self, count: int, *, uniform: bool = False, seed: int) -> list[tuple[str, float, float]]:
        """Different episodes by priority, or evenly: id, probability, weight. Their priorities fall."""

    def sample_by_utility(
        self, count: int, facts: FactStore, log: EpisodeLog, *, tick: int, candidates: int, seed: int
    ) -> list[tuple[str, float, float]]:
        """Different episodes by gain times need, of candidates that are drawn evenly. Their priorities fall."""

# --- consolidate: what facts are compiled into -----------------------------------------------------------------------

@final
class Digest:
    """The strongest facts in force at a tick, read in one transaction.

    Attributes:
        learned: `FactStore.last_learned` when it was read.
        total: Facts in force.
        categories: First parts of their categories by name, with the number of facts under each.
        facts: The strongest first, one of each category in turn, with the confidence at the tick.
        disputed: Ids of those of them that another fact in force contradicts, and that are the stronger.
        outweighed: Facts in force that give way to a stronger one which contradicts them; none of them is in `facts`.
        links: Source, target, relation, weight and tick of the links among `facts`.
        expires_tick: The first tick at which one of the facts in force expires.
    """

    learned: int
    total: int
    categories: list[tuple[str, int]]
    facts: list[tuple[Fact, float]]
    disputed: list[str]
    outweighed: int
    links: list[tuple[str, str, str, float, int]]
    expires_tick: int | None

def digest_facts(facts: FactStore, *, tick: int, limit: int) -> Digest:
    """The strongest facts in force, at most `limit`, taken in turn from their categories.

    Pinned facts come first, the others in order of confidence at the tick times importance.
    """

@final
class Standing:
    """How far a fact has risen, and on what that rests (spec 3, "Promotion").

    Attributes:
        fact: The record.
        confidence: At the tick.
        rank: `observation`; `insight` with at least 3 episodes behind it; `heuristic` if it is confirmed, has been
            known for long enough, and acting on it did good on the whole; `playbook` if it is also sure enough today.
        known_ticks: Since it came into this store.
        trial: As `FactStore.trial` gives it.
        later_episodes: Episodes of its kept evidence that came after it was stated.
        confirmed: Whether it holds on what it was not made from: in later windows of its hypothesis, in 3 later
            episodes, or, handed down, in the agent's own life.
        innate: Whether an ancestor lived it and the agent's own episodes bore it out.
        outcomes: How many above and below zero, their sum, ticks of the first and the last; None if there were none.
    """

    fact: Fact
    confidence: float
    rank: Literal["observation", "insight", "heuristic", "playbook"]
    known_ticks: int
    trial: tuple[int, float, float] | None
    later_episodes: int
    confirmed: bool
    innate: bool
    outcomes: tuple[int, int, float, int, int] | None

def judge_facts(
    facts: FactStore, ids: Sequence[str], value: float, *, tick: int, reinforcement: float
) -> int:
    """Tells what came of acting on facts, from -1 to 1: each is reinforced or weakened by that part, and keeps count.

    Returns:
        How many moved: within the spacing of the last reinforcement an outcome counts and moves nothing.

    Raises:
        InvalidInputError: The value is out of range.
    """

def fact_standing(
    facts: FactStore, fact: str, *, tick: int, active_ticks: int, confidence: float
) -> Standing:
    """How far a fact has risen.

    Args:
        facts: Where it is.
        fact: Its id.
        tick: Now.
        active_ticks: That a heuristic must have been known for.
        confidence: Of today from which a heuristic is acted by.

    Raises:
        NotFoundError: There is none.
    """

def promoted_facts(facts: FactStore, *, tick: int, active_ticks: int, confidence: float) -> list[Standing]:
    """The facts of rank `playbook`, the surest first; arguments as `fact_standing`."""

@final
class LintReport:
    """What a lint did.

    Attributes:
        looked: Facts that were looked at.
        merged: Id of the fact that stands for another from now on, and id of that other.
        deprecated: Ids of facts that left for the cold tier.
        recategorised: Ids of facts that were filed.
        contradictions: Ids of facts that speak against each other and are linked from now on, the older first.
        open_questions: As `knowledge_gaps` gives them.
        act: Number of the act in the journal; None if nothing was done.
    """

    looked: int
    merged: list[tuple[str, str]]
    deprecated: list[str]
    recategorised: list[str]
    contradictions: list[tuple[str, str]]
    open_questions: int
    act: int | None

def lint_facts(facts: FactStore, *, tick: int, now: int, latest: int, stale_ticks: int) -> LintReport:
    """Puts the latest facts in order, in one transaction and as one act of the journal (spec 3, "Lint").

    With fewer than 5 facts in force nothing is done. What is pinned is not touched, and what an earlier lint did and
    somebody took back is left alone.

    Args:
        facts: What is known.
        tick: Now, in ticks.
        now: Now, in microseconds UTC.
        latest: Facts that are looked at.
        stale_ticks: Without a look or a reason, after which an unimportant fact leaves.
    """

def rehearse_lint(
    facts: FactStore, *, tick: int, latest: int, stale_ticks: int
) -> tuple[LintReport, list[tuple[Fact | None, Fact]]]:
    """What `lint_facts` would do: its report, and every fact it would write, as it is and as it would be."""

def knowledge_gaps(
    facts: FactStore,
) -> list[
    tuple[
        Literal["contradiction", "unknown", "untried", "unanswered"],
        str,
        list[str],
        str | None,
        bool,
        int,
        int,
        str | None,
        int,
    ]
]:
    """The open questions that the last lint found, at most 10, confirmed ones first; then at most 20 inherited ones.

    Returns:
        Of each its kind, the question in words, ids of facts and the entity that it is about, whether it is confirmed,
        the ticks at which it was found first and last, the agent that asked an inherited one first, and lives since.
    """

def inherit_gaps(
    facts: FactStore,
    questions: Sequence[tuple[str, str, Sequence[str], str | None, str, int]],
    *,
    tick: int,
) -> tuple[int, int, int]:
    """Takes over the open questions of a testament, in one transaction.

    Args:
        facts: Store of the heir.
        questions: Of each its kind, the question in words, ids of the heir's facts that it is about, the entity, the
            agent that asked first, and the lives since.
        tick: Now.

    Returns:
        How many were taken, how many are open or answered already, and how many there was no room for.

    Raises:
        InvalidInputError: A kind does not exist.
    """

def forget_gaps(facts: FactStore, questions: Sequence[str]) -> int:
    """Deletes open questions by their words; how many. The next lint finds again what own memories raise."""

# --- index and recall: the hot set -----------------------------------------------------------------------------------

def embedding_text(record: Episode | Fact) -> str:
    """The text that an episode or fact is embedded by: "speaker: text" where somebody spoke."""

def without_stop_words(query: str) -> str:
    """A query without the words that say nothing about what is sought, unless it has no other."""

def embedding_sentences(record: Episode | Fact, limit: int = 64) -> list[str]:
    """The texts of its sentence vectors, "speaker: sentence" each; empty where the whole is one sentence."""

def pack_tokens(
    words: Sequence[Sequence[str]], counts: Sequence[Sequence[int]], vectors: npt.NDArray[np.float32]
) -> list[bytes]:
    """The codes of several texts' content words, by which late interaction finds them: dims / 8 bytes a token.

    Args:
        words: Of each text.
        counts: How many tokens each word was cut into.
        vectors: Of shape (tokens of all texts, dims); dims is a multiple of 8.

    Raises:
        InvalidVectorError: The parts do not fit together, or a component is not finite.
    """

@final
class RecallSettings:
    """How memories are ranked; what is left out has the default that `bardo_core::recall::settings` documents.

    Args:
        policy: `four_factor`, `rrf` or `pinned`.
        fusion: `sum` (z-scored weighted sum) or `rrf`; the policy `rrf` implies it.
        dense: Weight of the vectors' arm.
        lexical: Weight of the words' arm.
        recency: Weight of the arm of age.
        rare: Added where a memory holds, alone or nearly so, all the words of the query; a part for a part.
        depth: Candidates of each arm for the sum.
        rrf_depth: Candidates of each arm for reciprocal ranks.
        rrf_k: The constant of reciprocal rank fusion.
        bm25_k1: How slowly further occurrences of a term stop counting.
        bm25_b: How much long documents are held back, 0..1.
        min_cosine: From which a memory is a candidate of the dense arm.
        chance_cosine: Added to it per natural logarithm of the memories searched, for the best of them: where even that
            one is less near, the dense arm is silent.
        diversity: 0 ranks by score alone, 1 by unlikeness alone (maximal marginal relevance).
        late: Weight of late interaction.
        whole_weight: Part of the whole text's cosine that is added to that of the best sentence.
        sentence_penalty: Taken off the best sentence per natural logarithm of the number of sentences.
        recency_days: e-folding time of recency.
        factors: Weights of semantic, temporal, importance and emotional.
        tau_ticks: e-folding time of decay, in ticks.
        duplicate_similarity: Jaccard similarity of terms from which memories are near-duplicates; above 1 for never.
        conversation: Weights of what the turns around a memory say, by name: previous_question, next_turn,
            session_best, session_words, speaker, date, time, question_penalty.

    Raises:
        InvalidInputError: A setting is not a number, out of range, or no such policy.
    """

    def __new__(
        cls,
        *,
        policy: str | None = None,
        fusion: str | None = None,
        dense: float | None = None,
        lexical: float | None = None,
        recency: float | None = None,
        rare: float | None = None,
        depth: int | None = None,
        rrf_depth: int | None = None,
        rrf_k: float | None = None,
        bm25_k1: float | None = None,
        bm25_b: float | None = None,
        min_cosine: float | None = None,
        chance_cosine: float | None = None,
        diversity: float | None = None,
        late: float | None = None,
        whole_weight: float | None = None,
        sentence_penalty: float | None = None,
        recency_days: float | None = None,
        factors: tuple[float, float, float, float] | None = None,
        tau_ticks: float | None = None,
        duplicate_similarity: float | None = None,
        conversation: Mapping[str, float] | None = None,
    ) -> RecallSettings: ...

@final
class Hit:
    """A memory that was recalled, with every number that went into its score (see `bardo.recall.Explanation`).

    Attributes:
        arms: One (arm, rank or None, value or None, part of the fused relevance) each.
        conversation: (name, part of the fused relevance) each.
        terms: (name, value, weight) of each term of the score.
        factors: (name, factor) that multiplies the sum of the terms.
    """

    id: str
    layer: Literal["episode", "fact"]
    score: float
    confidence: float
    tick: int
    at: int
    source: Source
    duplicates: list[str]
    arms: list[tuple[str, int | None, float | None, float]]
    conversation: list[tuple[str, float]]
    fused: float
    terms: list[tuple[str, float, float]]
    factors: list[tuple[str, float]]
    age_days: float
    matched: list[str]

@final
class Found:
    """The answer to a query.

    Attributes:
        hits: Best first.
        notes: What could not be done, and why there is nothing if there is nothing.
        searched: Memories that the filters let through.
        candidates: Memories that were scored.
    """

    hits: list[Hit]
    notes: list[str]
    searched: int
    candidates: int

    def __len__(self) -> int: ...
    def hit(self, place: int) -> Hit:
        """One hit by its place from 0.

        Raises:
            IndexError: There are not so many.
        """

    def outlines(
        self,
    ) -> list[tuple[str, str, Literal["episode", "fact"], float, float, int, int, Source, bool]]:
        """What a memory shows of each hit.

        Returns:
            Text, id, layer, score, confidence, tick, wall clock, source, and whether another life learned it.

        Raises:
            IndexError: The records were not read.
        """

    def record(self, place: int) -> Episode | Fact:
        """The whole record of a memory.

        Raises:
            IndexError: There are not so many, or the records were not read.
        """

    def facts(self) -> list[str]:
        """Ids of the facts among the hits."""

    def with_notes(self, notes: Sequence[str]) -> Found:
        """The same with further notes."""

@final
class News:
    """What there is to take over, as `Lookout.news` told it."""

    @property
    def in_inbox(self) -> bool:
        """Whether the inbox may hold episodes that nobody took."""

    @property
    def in_facts(self) -> bool:
        """Whether the facts may have changed."""

@final
class Lookout:
    """Whether anything came since everything was in step; asks a counter and the times of two files. Thread-safe.

    Args:
        inbox: The folder where other processes drop episodes.
        facts: Any process may change them.
    """

    def __new__(cls, inbox: str | PathLike[str], facts: FactStore) -> Lookout: ...
    def news(self, log: EpisodeLog, facts: FactStore) -> News | None:
        """What came since `settle`: an episode without vectors, a change of the facts, a file in the inbox.

        `facts` is the store that it was made with; it is asked where the time of its file tells nothing.
        """

    def settle(self, news: News) -> None:
        """Everything that was there when `news` was told has been taken over.

        An inbox that changed within the last two seconds is looked at again: a file system may give two changes one
        time.
        """

@final
class Guests:
    """Episodes that a hot set took in for one search."""

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
    ) -> Opened:
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

    def save(self, log: EpisodeLog, snapshot: str | PathLike[str]) -> int:
        """Writes a snapshot, replacing the old one whole.

        Returns:
            Its bytes; 0 without writing anything where an episode of the log is not here yet.

        Raises:
            StoreUnavailableError: The operating system refused; nothing is lost.
        """

    def leave(self, log: EpisodeLog, upto: int) -> int:
        """Removes the episodes that arrived up to a number, which LanceDB answers for; returns how many."""

    def sync_facts(self, facts: FactStore) -> int:
        """Takes over the facts that changed since the last call, whichever process changed them; returns how many."""

    def host(self, log: EpisodeLog, ids: Sequence[str]) -> Guests:
        """Takes in episodes that left memory for a search, with the turns right beside them and what vectors they have.

        Returns:
            Those that were not here: `dismiss` them afterwards.
        """

    def dismiss(self, guests: Guests) -> bool:
        """Lets guests go again; false if some had gone before.

        Once the hot set was filled again, none of them is here as a guest, and nothing is removed.
        """

    def add_episodes(self, episodes: Iterable[Episode]) -> None:
        """Adds recorded episodes, findable by their words at once; known ones have their annotations renewed.

        Raises:
            InvalidInputError: An episode has no id.
        """

    def update_episodes(self, episodes: Iterable[Episode]) -> None:
        """Renews the annotations of episodes: importance, verified, replay count."""

    def put_facts(self, facts: Iterable[Fact]) -> None:
        """Adds facts or renews those with the same id. New words make a fact's old vector void.

        Raises:
            InvalidInputError: A fact has no id.
        """

    def embed(
        self,
        log: EpisodeLog,
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

        Raises:
            InvalidInputError: An argument is out of range.
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """

    def nearest(self, vector: npt.NDArray[np.float32], limit: int = 10) -> list[tuple[str, float]]:
        """What the vectors alone find: (id, cosine of the best sentence), nearest first.

        Raises:
            InvalidVectorError: The vector has other dimensions than the stored ones, or is not finite.
        """

    def matching(self, text: str, limit: int = 10) -> list[tuple[str, float]]:
        """What the words alone find: (id, BM25 score), greatest first."""

    def beside(self, ids: Sequence[str], count: int) -> list[tuple[list[str], list[str]]]:
        """Ids of at most `count` turns before and after each memory in its conversation, in order."""

    def posture(self, thread: str) -> str | None:
        """The mode of the latest episode of a thread that has one."""

    def has_begun(self, session: str) -> bool:
        """Whether an episode of a session is here."""

    def stats(self) -> dict[str, int]:
        """Counts: memories, episodes, facts, vectors (sentences included), dims, terms.

        And about how many bytes they take: bytes, bytes_of_words, bytes_of_vectors.
        """

# --- assemble ---------------------------------------------------------------------------------------------------------

def count_tokens(text: str, tokenizer: str = "o200k") -> int:
    """The number of tokens of a text by `o200k`, `cl100k` (exact, offline) or `estimate` (a quarter of the characters).

    The vocabulary is loaded by the first count that needs it.

    Raises:
        InvalidInputError: There is no such tokenizer, or the text holds a lone surrogate.
    """

def count_tokens_batch(texts: list[str], tokenizer: str = "o200k") -> list[int]:
    """`count_tokens` of many texts in one call."""

@final
class AssembledPart:
    """What became of one block; `shown` and `shortened` are indexes into its memories or rows, as they stand."""

    name: str
    text: str
    used: int
    asked: int
    given: int
    cut: bool
    shown: list[int]
    shortened: list[int]
    left_out: int
    condensed: float | None
    flags: list[str]

@final
class Assembled:
    """A prompt and its parts, in the order in which they stand; see `bardo.assemble.context.Prompt`."""

    id: str
    text: str
    tokens: int
    window: int
    reserve: int
    parts: list[AssembledPart]

def assemble(
    blocks: Iterable[object],
    *,
    budget: int,
    reserve: int | None,
    tokenizer: str = "o200k",
    phase: str = "thriving",
    task: str | None = None,
    profile: str = "briefing",
    model: WordModel | None = None,
    question: str | None = None,
) -> Assembled:
    """One prompt out of blocks of the shape of `bardo.assemble.context.Block`; see `bardo.assemble.context.assemble`.

    Raises:
        BudgetTooSmallError: The protected blocks do not fit.
        InvalidInputError: A block or an option is not usable.
    """

def register_tokenizer(name: str, count: Callable[[str], int]) -> None:
    """Makes a tokenizer known under a name, for good; a name that is known stays what it is."""

def frame_memory(memory: object, tags: list[str]) -> str:
    """One memory, inert and fenced, for a prompt that uses these tags besides the standard ones."""

def neutralise(text: str, tags: list[str]) -> tuple[str, list[str]]:
    """A text made inert, and the names of what was found in it; see `bardo.assemble.framing.neutralise`."""

@final
class WordModel:
    """Self-information of words under a bigram model learned from the agent's own text, in bounded memory."""

    def __new__(cls) -> WordModel: ...
    texts: int
    def __len__(self) -> int: ...
    def learn(self, texts: Sequence[str]) -> int:
        """Takes texts into the counts.

        Returns:
            Texts learned so far.
        """

    def surprise(self, text: str) -> list[float]:
        """Bits of each word of a text, in the order of `text.split()`."""

    def compress(
        self, text: str, share: float, *, question: str | None = None, tokenizer: str = "o200k"
    ) -> tuple[str, int, int]:
        """A text without its predictable words, its tokens, and those of the whole; see `bardo.assemble.compress`."""

def prompt_marks(block: str) -> list[tuple[int, int, int, int]]:
    """The passages of a block of memories: hash, hash of the first words, number of words, kind; none of other texts.

    Kinds: 0 a sentence, 1 a memory's opening tag or the rules, 2 a section's opening tag, 3 the block's tag.
    """

def copied_starts(text: str) -> list[int]:
    """Hashes of first words by which copies in a text can be looked up; empty if nothing in it is framed."""

def strip_copies(text: str, marks: Sequence[tuple[int, int, int, int]]) -> tuple[str, int, list[int]]:
    """A text without copies of these passages, the number of sentences that went, and the hashes that were recognised.

    Raises:
        InvalidInputError: The text holds a lone surrogate.
    """

def standard_blocks() -> list[tuple[str, int, int, bool, str]]:
    """The table of spec 5 in the order of a prompt: tag, tokens, priority, protected, place."""

@final
class FrameLayout:
    """A prompt in the order of a frame; see `bardo.assemble.frames.Frame`.

    Attributes:
        order: Indexes of the parts that were given, in the order in which they stand.
        steady: Number of parts at the front that did not change since the last frame.
    """

    kind: Literal["first", "cycle", "phase", "due", "predicted"]
    order: list[int]
    steady: int
    changed: list[str]
    tokens: int
    cacheable: int

@final
class FrameTracker:
    """Makes frames out of prompts; see `bardo.assemble.frames.FrameTracker`."""

    def __new__(cls, every: int) -> FrameTracker: ...
    def next(self, parts: list[tuple[str, str, int]], tokenizer: str, phase: str, cycle: int) -> FrameLayout:
        """The next frame of the parts (name, text, tokens) of a prompt."""

    def totals(self) -> tuple[int, int, int]:
        """Frames made, their tokens, and how many of those were cacheable."""

# --- bequeath ---------------------------------------------------------------------------------------------------------

@final
class Selection:
    """The facts that cross a death, and how many stayed behind and why.

    Attributes:
        chosen: Indexes into the facts that were given, most needed first.
        left_out: Counts by reason: `not_in_force`, `below_threshold`, `not_validated`, `near_copy`, `over_cap`.
        measure: What similarity was measured on: `embeddings`, `words` (some entries had no embedding), or `none`
            (everything fits, so nothing had to be compared).
    """

    chosen: list[int]
    left_out: dict[str, int]
    measure: str

def select_entries(
    facts: Iterable[Fact],
    confidences: Sequence[float],
    vectors: npt.NDArray[np.float32] | None = None,
    *,
    cap: int,
    insight_threshold: float,
    heuristic_threshold: float,
    tick: int,
) -> Selection:
    """Chooses the facts that cross, by coverage times value, greedily (spec 6, "Testament").

    Args:
        facts: All facts of the testator.
        confidences: Their decayed confidence today, 0..1, in the same order.
        vectors: Float32 of shape (len(facts), dims), or None if not all of them are embedded.
        cap: Entries at most.
        insight_threshold: From which facts cross; anti-knowledge and warnings always do.
        heuristic_threshold: From which heuristics cross.
        tick: The testator's last tick; what expired before it stays behind.

    Raises:
        InvalidInputError: The lengths differ, or a confidence is outside 0..1.
        InvalidVectorError: The vectors have the wrong shape, or hold NaN or infinity.
    """

def confidences_at_birth(
    entries: Sequence[tuple[int, float, bool]], *, base: float, rate: float, linear: bool = False
) -> list[float]:
    """How far an heir trusts what it did not live: `base * rate ** generations`, never more than the testator did.

    Args:
        entries: Per entry: generations since the one that lived it (1 for what the direct parent lived), the testator's
            confidence at death, and whether it is anti-knowledge (which never falls below 0.3).
        base: 0.4 for a chosen direct heir, 0.3 through an archive (spec 4, table of sources).
        rate: Factor per generation, or with `linear` what is taken off per generation.
        linear: Subtract instead of multiply: the named alternative of spec 6.

    Raises:
        InvalidInputError: The base or the rate is outside 0..1.
    """
