"""Facts."""

import builtins
from collections.abc import Iterable, Mapping, Sequence, Set
from os import PathLike
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from bardo._core._capture import EpisodeLog
from bardo._core._consolidate import Calibration
from bardo.model import Fact, Fingerprint, Persistence, Statement

def check_facts(path: str, *, repair: bool) -> list[tuple[str, str, str, str]]:
    """Everything in a file of facts that is not as it was written: table, row, finding, repair.

    Args:
        path: The file; it need not be one that can be opened as a store.
        repair: Whether to put single flipped bits back, and to make indexes and words again.

    Raises:
        StoreError: The file cannot be opened, or is read-only.
    """

def unfit_facts(facts: Iterable[Fact]) -> list[tuple[int, str]]:
    """Which of these facts no store would take, by their places, and why."""

@final
class Upserted:
    """Result of `FactStore.upsert` for one fact.

    Attributes:
        id: The fact that now stands for it.
        outcome: `new`, `exact` (the same text in the same category was there) or `similar` (the same meaning was),
            or `forgotten`: the same text was forgotten, nothing was stored, and the id stands for nothing.
    """

    id: str
    outcome: Literal["new", "exact", "similar", "forgotten"]

#: Types of payloads that running statistics and tests of the agent state, not texts.
STATISTICS: builtins.list[str]

@final
class ActCounts:
    """Numbers of what an act did to facts that were known before.

    Attributes:
        act: Number of the act in the journal; None if no fact was touched.
        superseded: Facts that became history.
        disputed: Pairs of facts that were found to contradict each other.
    """

    act: int | None
    superseded: int
    disputed: int

@final
class FactStore:
    """The facts of one agent in `facts.db` (SQLite in WAL mode; many processes, one connection each).

    Every write is one durable transaction that stamps each fact it touches with a running change number. Confidence
    is stored as of a tick and fades by a pure function of time when it is read; nothing is ever swept.

    Args:
        path: The file; its folder must exist.
        agent: Owner; a file of another agent is refused.
        seed: Seed of the random part of new ids.
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
        """Number of the last change of knowledge, by any process; a look at a fact is none."""

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

    def upsert_resolved(
        self,
        facts: Iterable[Fact],
        *,
        tick: int,
        now: int,
        actor: str,
        vectors: npt.NDArray[np.float32] | None = None,
        fingerprint: Fingerprint | None = None,
        marks: Mapping[str, int],
        answered: Mapping[str, int],
        resolutions: Sequence[tuple[int, str | None, str, bool, int | None, str]],
        corrections: Sequence[tuple[str, str, float]],
    ) -> tuple[builtins.list[Upserted], ActCounts]:
        """Stores facts as `upsert` does, with their effects on older facts, in one transaction.

        Args:
            facts: New ones have an empty id.
            tick: Birth of the new ones.
            now: Microseconds UTC.
            actor: Name of the act in the journal.
            vectors: Shape (len(facts), dims).
            fingerprint: Model of the vectors.
            marks: Watermarks of readers.
            answered: Answers of a language model, for `stats`.
            resolutions: Effects on older facts: place of the newer fact in `facts`, its id if it is stored already,
                id of the older fact, whether the older fact ends (otherwise both are disputed), first instant at which
                it no longer holds (None for `now`), and name of the rule. A quarantined fact ends the older one when
                it is released.
            corrections: Ids of a newer memory and of an older one that it corrects, and what it says of the older one
                (`bardo.model.ENDED` and the other weights).

        Returns:
            The outcome per fact, and the numbers of facts that ended and of pairs that are disputed.

        Raises:
            InvalidInputError: A rule has the name of a cause of the store's own, such as `slot`.
        """

    def describe(
        self,
        fact: str,
        *,
        tick: int,
        now: int,
        actor: str,
        statement: Statement | None = None,
        persistence: Persistence | None = None,
    ) -> ActCounts:
        """Stores the statement and persistence of a learned sentence, as an act.

        A statement settles the slot of the fact. A fact that has a statement or a persistence is unchanged.

        Args:
            fact: Id of the fact.
            tick: Logical time.
            now: Microseconds UTC.
            actor: Name of the act in the journal.
            statement: Its statement.
            persistence: How long it holds.
        """

    def statement_ends(self) -> builtins.list[tuple[str, int]]:
        """The ids of the facts in force whose statement has an end, with that instant, the soonest first."""

    def of_subject(self, subject: str, *, tick: int) -> builtins.list[Fact]:
        """The facts in force whose statement is about a subject, the latest first."""

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
            kind: Kind of the facts.
            category: Category of the facts, which includes those below it.
            subject: Subject that the facts are about, exactly.
            source: Source of the facts.
            status: Status of the facts; None for any. Ignored when `as_of` is given.
            as_of: Tick at whose end the facts were in force; they are returned as they were then.
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

    def tallies(self, ids: Sequence[str]) -> builtins.list[tuple[int, int]]:
        """The numbers of good and bad outcomes of acting on each of these facts; zeros without any."""

    def scopes(self, ids: Sequence[str]) -> builtins.list[tuple[str | None, str | None]]:
        """Thread and mode of these facts, which all their evidence shares; None is no restriction."""

    def has_modes(self) -> bool:
        """Whether any fact in force is known in one mode alone."""

    def set_modes(self, modes: Sequence[tuple[str, str]]) -> None:
        """Sets the modes of facts that have no evidence here, by their ids; evidence decides about the others."""

    def pin(self, ids: Sequence[str], pinned: bool = True, *, tick: int) -> None:
        """Exempts these facts from decay and pruning from this tick on, or ends the exemption."""

    def set_persistence(self, ids: Sequence[str], persistence: str | None = None, *, tick: int) -> None:
        """Sets how long these facts hold without being said again; None lets their kind decide."""

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

    def without_staged_vectors(self, limit: int = 256) -> builtins.list[Fact]:
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
        """Calibration of confidences by the outcomes of `judge_facts`."""

    def stated(self, ids: Sequence[str], *, tick: int) -> builtins.list[float | None]:
        """How often each of these facts is to be expected to hold, going by all outcomes and by its own.

        Returns:
            From 0 to 1; None where there is no such fact.
        """

    def acts(
        self, limit: int = 20
    ) -> builtins.list[tuple[int, str, int, int, int | None, builtins.list[tuple[str, str | None, str]]]]:
        """The latest acts of the journal, the last first.

        Returns:
            Number, name, tick, time (microseconds UTC), the act that undid it, and of each fact that it changed the id
            and JSON objects of the fields that changed, as they were (None if it was born) and as they became.
        """

    def quarantined(self, limit: int = 256) -> builtins.list[Fact]:
        """Facts that were inferred and wait for their check, the oldest first."""

    def count_quarantined(self) -> int:
        """How many facts wait for their check."""

    def release(self, ids: Sequence[str], *, tick: int, now: int) -> tuple[int, int]:
        """Puts those of these facts in force that are held. They are known from this tick on; what one supersedes ends.

        Returns:
            How many were held, and how many other facts they ended.
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

    def undo_of(
        self, act: int, facts: Sequence[str], *, tick: int, now: int
    ) -> tuple[int, builtins.list[str], builtins.list[str], builtins.list[tuple[str, builtins.list[str]]]]:
        """Takes back what an act did to some facts, as `undo` does it to all; the rest of the act stays in force.

        Raises:
            NotFoundError: There is no such act (any more), or it did not change one of the facts.
            InvalidInputError: It was undone before.
        """

    def note_unanswered(self, question: str, *, tick: int) -> int:
        """Notes that a question was asked and nothing was found. The latest 64 of at most 256 bytes are kept.

        Returns:
            How often it was asked by now, in any case and punctuation; 0 if it is too long or says nothing.
        """

    def unanswered_questions(self, limit: int = 10) -> builtins.list[tuple[str, bool]]:
        """The questions that were asked in vain twice, the most frequent first, and whether each is inherited."""

    def answer(self, questions: Sequence[str]) -> int:
        """Drops questions that have an answer now; how many there were."""

    def forget_questions(self, texts: Sequence[str]) -> int:
        """Deletes every question asked in vain that shares a word of content with one of these texts; how many.

        Inherited questions about an entity whose name does are deleted with them.
        """

    def derived_from(self, episodes: Sequence[str]) -> builtins.list[Fact]:
        """The facts that stand on these episodes alone: no other evidence, and no more support than they gave."""

    def supported_by(self, episodes: Sequence[str]) -> builtins.list[Fact]:
        """The facts that have any of these episodes as evidence, in order of their arrival."""

    def contested(self, text: str) -> builtins.list[Fact]:
        """The beliefs that outcomes refuted or an ancestor had ended, and that share a word (stem) with a text."""

    def add_tombstones(self, facts: Sequence[str]) -> None:
        """Refuses the texts of these facts from now on: `upsert` answers `forgotten`. Baselines are passed over."""

    def recount(
        self,
        log: EpisodeLog,
        names: Sequence[tuple[str, str]],
        *,
        minimum: int | None = None,
        seconds: int | None = None,
    ) -> tuple[int, builtins.list[str]]:
        """Counts baselines again from the verified episodes that are left.

        Args:
            log: Where the episodes are.
            names: Subjects and metrics, as `number_names` gives them.
            minimum: Episodes that a stated baseline needs; None for 3.
            seconds: Offset of ticks from the seconds of the epoch; None where ticks are loops.

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

    def first_tick(self) -> int | None:
        """Returns the tick of the first fact that was not inherited; None before there is one."""

    def stats(self) -> dict[str, int]:
        """Counts: `facts`, one per status, `links`, `vectors`, `baselines`, `upsert_*`, `change`, `bytes_on_disk`."""

    def close(self) -> None:
        """Closes the file; every later call raises StoreUnavailableError."""

def arrival_confidence(source: str) -> float | None:
    """Confidence at which a fact of a source arrives at most; None where there is no limit."""

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
